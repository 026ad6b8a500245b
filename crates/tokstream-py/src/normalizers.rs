//! Normalizers: from the tuples that Python writes them as; and the stage alone, for tests.
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use tokstream_core::normalize::{Characters, Form, Normalizer, Normalizing, Options, Step};
use tokstream_core::pretokens::Automaton;

use crate::errors::table_error;

/// The normalizer that `spec` describes: one tuple per step, its name first.
pub fn normalizer(spec: &Bound<'_, PyAny>) -> PyResult<Normalizer> {
    let steps: Vec<Bound<'_, PyTuple>> = spec.extract()?;
    let steps: PyResult<Vec<Step>> = steps.iter().map(step).collect();
    Ok(Normalizer::new(steps?))
}

/// A step with its arguments; see `_core.pyi` for the list.
fn step(spec: &Bound<'_, PyTuple>) -> PyResult<Step> {
    let name: String = spec.get_item(0)?.extract()?;
    let arguments = spec.get_slice(1, usize::MAX);
    let arguments = arguments.as_any();
    let simple = |step: Step| spec.extract::<(String,)>().map(|_| step);
    match name.as_str() {
        "nfc" => simple(Step::form(Form::Nfc)),
        "nfd" => simple(Step::form(Form::Nfd)),
        "nfkc" => simple(Step::form(Form::Nfkc)),
        "nfkd" => simple(Step::form(Form::Nfkd)),
        "lowercase" => simple(Step::characters(Characters::Lowercase)),
        "strip_accents" => simple(Step::characters(Characters::StripAccents)),
        "nmt" => simple(Step::characters(Characters::Nmt)),
        "bert_clean" => simple(Step::characters(Characters::BertClean)),
        "bert_ideographs" => simple(Step::characters(Characters::BertIdeographs)),
        "bert_strip_marks" => simple(Step::characters(Characters::BertStripMarks)),
        "byte_level" => simple(Step::characters(Characters::ByteLevel)),
        "strip" => {
            let (left, right) = arguments.extract()?;
            Ok(Step::strip(left, right))
        }
        "prepend" => {
            let (text,): (String,) = arguments.extract()?;
            Ok(Step::prepend(&text))
        }
        "prepend_unless" => {
            let (text, first_only): (String, bool) = arguments.extract()?;
            Ok(Step::prepend_unless(&text, first_only))
        }
        "replace" => {
            let (literal, content): (String, String) = arguments.extract()?;
            Step::replace(&literal, &content).map_err(|error| table_error(&error))
        }
        "replace_pattern" => {
            let (automaton, content): (Vec<u8>, String) = arguments.extract()?;
            let automaton =
                Automaton::from_bytes(&automaton).map_err(|error| table_error(&error))?;
            Ok(Step::replace_pattern(automaton, &content))
        }
        "precompiled" => {
            let (charsmap,): (Vec<u8>,) = arguments.extract()?;
            Step::precompiled(&charsmap).map_err(|error| table_error(&error))
        }
        "sp_normalize" => {
            let (charsmap, symbols, flags): (Vec<u8>, Vec<String>, [bool; 4]) =
                arguments.extract()?;
            let options = Options {
                add_dummy_prefix: flags[0],
                remove_extra_whitespaces: flags[1],
                escape_whitespaces: flags[2],
                treat_whitespace_as_suffix: flags[3],
            };
            Step::sentencepiece(&charsmap, &symbols, options).map_err(|error| table_error(&error))
        }
        _ => Err(PyValueError::new_err(format!("normalizer: there is no step {name:?}"))),
    }
}

/// Text → normalized text (`bytes`) with the number of source bytes each part accounts for.
#[pyclass(module = "tokstream._core")]
#[derive(Clone)]
pub struct Normalize {
    normalizer: Normalizer,
    state: Normalizing,
}

#[pymethods]
impl Normalize {
    #[new]
    #[pyo3(signature = (spec, /))]
    fn new(spec: &Bound<'_, PyAny>) -> PyResult<Self> {
        let normalizer = normalizer(spec)?;
        let state = normalizer.begin();
        Ok(Self { normalizer, state })
    }

    #[pyo3(signature = (text, /))]
    fn push<'py>(&mut self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyList>> {
        let mut parts = Vec::new();
        self.state.push(text.as_bytes(), &mut |text, n| parts.push((PyBytes::new(py, text), n)));
        PyList::new(py, parts)
    }

    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut parts = Vec::new();
        self.state.finish(&mut |text, n| parts.push((PyBytes::new(py, text), n)));
        PyList::new(py, parts)
    }

    fn leave_start(&mut self) {
        self.state.leave_start();
    }

    #[getter]
    fn n_held(&self) -> usize {
        self.state.n_held()
    }

    #[getter]
    fn unbounded(&self) -> Vec<&'static str> {
        self.normalizer.unbounded()
    }

    fn copy(&self) -> Self {
        self.clone()
    }
}
