//! A few ids → a numpy array of its own.
//!
//! A view of a buffer takes numpy several objects; what little a feed gives is copied sooner. The
//! crate numpy finds numpy's C interface at its first use and would panic without it, so Python
//! says when numpy is there.
use std::sync::atomic::{AtomicBool, Ordering};

use numpy::PyArray1;
use pyo3::prelude::*;

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
