//! Tables in files: a tokenizer's tables and bytes of Python's own in, the same back.
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};
use tokstream_core::pretokens::Automaton;
use tokstream_core::{core, prepared};

use crate::errors::table_error;
use crate::spec;
use crate::tokenizer::Core;

/// Write the tables of `core` into the new file `path`, with `sections` before them.
pub fn write(
    py: Python<'_>,
    core: &core::Core,
    path: PathBuf,
    sections: Vec<PyBackedBytes>,
) -> PyResult<()> {
    let sections: Vec<&[u8]> = sections.iter().map(|extra| &**extra).collect();
    Ok(py.detach(|| core.write(&path, &sections))?)
}

/// A number for `data` that other data hardly has (XXH3; no protection against malice).
#[pyfunction]
#[pyo3(signature = (data, /))]
pub fn checksum(data: &[u8]) -> u64 {
    prepared::checksum(data)
}

/// A mapped file.
#[pyclass(frozen, module = "tokstream._core")]
pub struct Prepared(prepared::Prepared);

#[pymethods]
impl Prepared {
    #[new]
    #[pyo3(signature = (path, owner, /))]
    fn new(py: Python<'_>, path: PathBuf, owner: Option<u32>) -> PyResult<Self> {
        let opened = py.detach(|| prepared::Prepared::open(&path, owner));
        Ok(Self(opened.map_err(|error| table_error(&error))?))
    }

    /// The bytes that were given as `sections[index]`.
    #[pyo3(signature = (index, /))]
    fn section<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.0.section(index).map_err(|error| table_error(&error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The tables, with what is not in them.
    #[pyo3(signature = (automaton, spec = None, /))]
    fn core(
        &self,
        py: Python<'_>,
        automaton: Option<&[u8]>,
        spec: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Core> {
        let spec = spec.map(spec::read).transpose()?.unwrap_or_default();
        let read = py.detach(|| {
            let automaton = automaton.map(Automaton::from_bytes).transpose()?;
            core::Core::read(&self.0, automaton, spec)
        });
        Ok(Core(read.map_err(|error| table_error(&error))?.into()))
    }
}
