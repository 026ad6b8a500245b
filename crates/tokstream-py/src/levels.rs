//! The cascade of pre-tokenizer levels by itself, and its description as Python tuples.
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use std::num::NonZeroUsize;
use std::sync::Arc;
use tokstream_core::error::TableError;
use tokstream_core::levels;
use tokstream_core::levels::{Behaviour, Level, LevelState, Metaspace, Scheme, Sink, Split};
use tokstream_core::pretokens::Automaton;

use crate::errors::table_error;

fn wrong(index: usize, what: &str) -> PyErr {
    table_error(&TableError(format!("levels[{index}]: {what}")))
}

fn behaviour(name: &str) -> Option<Behaviour> {
    Some(match name {
        "removed" => Behaviour::Removed,
        "isolated" => Behaviour::Isolated,
        "merged_with_previous" => Behaviour::MergedWithPrevious,
        "merged_with_next" => Behaviour::MergedWithNext,
        "contiguous" => Behaviour::Contiguous,
        _ => return None,
    })
}

fn scheme(name: &str) -> Option<Scheme> {
    Some(match name {
        "always" => Scheme::Always,
        "first" => Scheme::First,
        "never" => Scheme::Never,
        _ => return None,
    })
}

fn read_level(index: usize, level: &Bound<'_, PyTuple>) -> PyResult<Level> {
    let name: String = level.get_item(0)?.extract()?;
    let count = level.len() - 1;
    Ok(match (name.as_str(), count) {
        ("split", 3) => {
            let (_, automaton, name, invert): (String, Vec<u8>, String, bool) = level.extract()?;
            let automaton = Automaton::from_bytes(&automaton).map_err(|e| table_error(&e))?;
            let behaviour = behaviour(&name)
                .ok_or_else(|| wrong(index, &format!("unknown behaviour {name:?}")))?;
            Level::Split(Split { automaton: Arc::new(automaton), behaviour, invert })
        }
        ("fixed_length", 1) => {
            let (_, length): (String, usize) = level.extract()?;
            let length = NonZeroUsize::new(length)
                .ok_or_else(|| wrong(index, "a fixed length of 0 cuts nothing; use 1 or more"))?;
            Level::FixedLength(length)
        }
        ("prefix_space", 0) => Level::PrefixSpace,
        ("metaspace", 3) => {
            let (_, replacement, name, split): (String, char, String, bool) = level.extract()?;
            let scheme = scheme(&name)
                .ok_or_else(|| wrong(index, &format!("unknown prepend scheme {name:?}")))?;
            Level::Metaspace(Metaspace { replacement, scheme, split })
        }
        ("byte_level", 0) => Level::ByteLevel,
        ("from_byte_level", 0) => Level::FromByteLevel,
        _ => return Err(wrong(index, &format!("no level {name:?} with {count} parameters"))),
    })
}

/// Refuse what would not be exact.
fn check_order(levels: &[Level]) -> PyResult<()> {
    let mut is_alphabet = false;
    for (index, level) in levels.iter().enumerate() {
        match level {
            Level::ByteLevel => is_alphabet = true,
            Level::FromByteLevel if !is_alphabet || index + 1 < levels.len() => {
                return Err(wrong(index, "from_byte_level is for the end, behind byte_level"));
            }
            // Its bytes would begin where the character begins.
            Level::Metaspace(Metaspace { scheme: Scheme::First, .. }) if is_alphabet => {
                return Err(wrong(index, "metaspace with the scheme first behind byte_level"));
            }
            Level::PrefixSpace | Level::Metaspace(_)
                if is_alphabet && matches!(levels.last(), Some(Level::FromByteLevel)) =>
            {
                return Err(wrong(index, "it adds what from_byte_level cannot read"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Read the description of a cascade.
pub fn read_levels(levels: &Bound<'_, PyList>) -> PyResult<levels::Levels> {
    let read = |(index, level): (usize, Bound<'_, PyAny>)| read_level(index, level.cast()?);
    let levels: PyResult<Vec<Level>> = levels.iter().enumerate().map(read).collect();
    let levels = levels?;
    check_order(&levels)?;
    Ok(levels::Levels::new(levels))
}

/// Text → text of the current pretoken with its source (`(bytes, int)`), and its ends (`None`).
#[pyclass(module = "tokstream._core")]
#[derive(Clone)]
pub struct Levels {
    levels: Arc<levels::Levels>,
    state: LevelState,
}

/// What was given, in order; `None` is an end.
#[derive(Default)]
struct Given(Vec<Option<(Vec<u8>, usize)>>);

impl Sink for Given {
    fn text(&mut self, text: &[u8], n_source: usize) {
        self.0.push(Some((text.to_vec(), levels::source_bytes(n_source))));
    }

    fn end(&mut self) {
        self.0.push(None);
    }
}

impl Given {
    fn list(self, py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
        let give = |part: Option<(Vec<u8>, usize)>| {
            part.map(|(text, n_source)| (PyBytes::new(py, &text), n_source))
        };
        PyList::new(py, self.0.into_iter().map(give))
    }
}

#[pymethods]
impl Levels {
    #[new]
    #[pyo3(signature = (levels, /, *, is_first = true))]
    fn new(levels: &Bound<'_, PyList>, is_first: bool) -> PyResult<Self> {
        let levels = read_levels(levels)?;
        let state = LevelState::new(&levels, is_first);
        Ok(Self { levels: Arc::new(levels), state })
    }

    #[pyo3(signature = (text, /))]
    fn push<'py>(&mut self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyList>> {
        let mut given = Given::default();
        self.state.push(&self.levels, text.as_bytes(), text.len(), &mut given);
        given.list(py)
    }

    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut given = Given::default();
        self.state.finish(&self.levels, &mut given);
        self.state = LevelState::new(&self.levels, false);
        given.list(py)
    }

    #[getter]
    fn n_held(&self) -> usize {
        self.state.n_held()
    }

    fn copy(&self) -> Self {
        self.clone()
    }
}
