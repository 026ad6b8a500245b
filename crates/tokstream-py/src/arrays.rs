//! Ids of a feed → a numpy array.
//!
//! A view of a buffer takes numpy several objects; what little a feed gives is copied sooner. The
//! crate numpy finds numpy's C interface at its first use and would panic without it, so Python
//! says when numpy is there.
use std::sync::atomic::{AtomicBool, Ordering};

use numpy::PyArray1;
use pyo3::prelude::*;

use crate::output;

/// More ids are better viewed than copied.
const MAX_IDS: usize = 1 << 10;

static IS_THERE: AtomicBool = AtomicBool::new(false);

/// Numpy is imported: make arrays with it.
#[pyfunction]
pub fn use_numpy() {
    IS_THERE.store(true, Ordering::Relaxed);
}

/// A new array with these ids, if they are few and numpy is there.
pub fn copy<'py>(py: Python<'py>, ids: &[u32]) -> Option<Bound<'py, PyAny>> {
    let makes = ids.len() <= MAX_IDS && IS_THERE.load(Ordering::Relaxed);
    makes.then(|| PyArray1::from_slice(py, ids).into_any())
}

/// An array that views the ids, made by Python: numpy is imported if it was not.
pub fn view(py: Python<'_>, ids: Vec<u32>) -> PyResult<Bound<'_, PyAny>> {
    let module = py.import(pyo3::intern!(py, "tokstream._arrays"))?;
    module.call_method1(pyo3::intern!(py, "as_array"), (output::ids(py, ids, true)?,))
}
