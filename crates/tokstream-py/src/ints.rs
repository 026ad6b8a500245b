//! Lists of ids without making an `int` for each: one is kept per id and shared.
//!
//! Making millions of equal numbers costs more time than finding their ids, and four times the
//! memory. What is kept is bounded by the largest vocabulary: 40 bytes per id that was ever listed.
use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList};

/// Larger ids get numbers of their own.
const MAX_ID: usize = 1 << 19;

/// By id. Only used while the GIL is held, so the lock is free but for lists within lists: making
/// one may collect garbage, and what that calls may make another.
static KEPT: Mutex<Vec<Option<Py<PyInt>>>> = Mutex::new(Vec::new());

/// A list of `ids`.
pub fn list<'py>(py: Python<'py>, ids: &[u32]) -> PyResult<Bound<'py, PyList>> {
    let most = ids.iter().copied().max().unwrap_or(0) as usize;
    let Ok(mut kept) = KEPT.try_lock() else { return PyList::new(py, ids) };
    if most >= MAX_ID {
        return PyList::new(py, ids);
    }
    if kept.len() <= most {
        kept.resize_with(most + 1, || None);
    }
    let number = |&id: &u32| match &mut kept[id as usize] {
        Some(number) => number.clone_ref(py).into_bound(py),
        none => none.insert(PyInt::new(py, id).unbind()).clone_ref(py).into_bound(py),
    };
    PyList::new(py, ids.iter().map(number))
}

/// A list of such lists.
pub fn lists<'py>(py: Python<'py>, lists: &[&[u32]]) -> PyResult<Bound<'py, PyList>> {
    let made = PyList::empty(py);
    for ids in lists {
        made.append(list(py, ids)?)?;
    }
    Ok(made)
}

/// Ids that become such a list where Python wants an object: the arguments of an error.
pub struct Listed(pub Vec<u32>);

impl<'py> IntoPyObject<'py> for Listed {
    type Target = PyList;
    type Output = Bound<'py, PyList>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        list(py, &self.0)
    }
}
