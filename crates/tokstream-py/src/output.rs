//! Ids → Python lists, or the bytes of an array.
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyList};

/// Ids as a list of `int`, or as a `bytearray` of native 32-bit numbers.
pub fn ids<'py>(py: Python<'py>, ids: &[u32], as_array: bool) -> PyResult<Bound<'py, PyAny>> {
    if as_array {
        return Ok(PyByteArray::new(py, bytemuck::cast_slice(ids)).into_any());
    }
    Ok(PyList::new(py, ids)?.into_any())
}
