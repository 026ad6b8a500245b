//! Bytes of tokens by their ids.
//!
//! Enters: ids, as a list, a buffer of uint32 or whatever can be iterated. Leaves: the bytes of
//! their tokens, or an error that names the first id at fault and its index.
use std::ffi::CStr;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use tokstream_core::core::Core;

use crate::errors::{InvalidTokenIdError, at_index};

/// More ids than this are a long call, in which other threads may run.
const LONG: usize = 1 << 16;

/// Why ids have no bytes.
pub enum Fault {
    /// No token has this id, which is at this index.
    Unknown(u32, usize),
    /// Something else.
    Other(PyErr),
}

impl From<PyErr> for Fault {
    fn from(error: PyErr) -> Self {
        Self::Other(error)
    }
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Unknown(id, index) => unknown_id(id, index),
            Fault::Other(error) => error,
        }
    }
}

/// The bytes of all tokens, one after the other.
pub fn joined<'py>(core: &Core, ids: &Bound<'py, PyAny>) -> Result<Bound<'py, PyBytes>, Fault> {
    let py = ids.py();
    if let Ok(list) = ids.cast_exact::<PyList>() {
        // The usual case: asking for a buffer would make an exception first.
        let mut bytes = Vec::with_capacity(4 * list.len());
        if list.len() > LONG {
            return joined_in_parts(core, list, bytes);
        }
        for (index, id) in list.iter().enumerate() {
            let id = id.extract().map_err(|error| not_an_id(&id, index, error))?;
            bytes.extend_from_slice(token(core, id, index)?);
        }
        return Ok(PyBytes::new(py, &bytes));
    }
    let mut bytes = Vec::new();
    if let Ok(buffer) = PyBuffer::<u32>::get(ids)
        && buffer.dimensions() == 1
        && is_native(buffer.format())
    {
        let ids = buffer.to_vec(py)?;
        if ids.len() > LONG {
            py.detach(|| append(core, &ids, 0, &mut bytes))?;
        } else {
            append(core, &ids, 0, &mut bytes)?;
        }
        return Ok(PyBytes::new(py, &bytes));
    }
    for (index, id) in ids.try_iter()?.enumerate() {
        let id = id?;
        let id = id.extract().map_err(|error| not_an_id(&id, index, error))?;
        bytes.extend_from_slice(token(core, id, index)?);
    }
    Ok(PyBytes::new(py, &bytes))
}

/// `joined` of a long list, some ids at a time: while their tokens are read, other threads may run.
fn joined_in_parts<'py>(
    core: &Core,
    list: &Bound<'py, PyList>,
    mut bytes: Vec<u8>,
) -> Result<Bound<'py, PyBytes>, Fault> {
    let py = list.py();
    let mut ids: Vec<u32> = Vec::with_capacity(LONG);
    let mut n_done = 0;
    for (index, id) in list.iter().enumerate() {
        ids.push(id.extract().map_err(|error| not_an_id(&id, index, error))?);
        if ids.len() == LONG {
            py.detach(|| append(core, &ids, n_done, &mut bytes))?;
            n_done += LONG;
            ids.clear();
        }
    }
    append(core, &ids, n_done, &mut bytes)?;
    Ok(PyBytes::new(py, &bytes))
}

/// Append the bytes of tokens, the first of which has the index `n_before`.
fn append(core: &Core, ids: &[u32], n_before: usize, bytes: &mut Vec<u8>) -> Result<(), Fault> {
    for (index, &id) in (n_before..).zip(ids) {
        bytes.extend_from_slice(token(core, id, index)?);
    }
    Ok(())
}

/// The bytes of each token.
pub fn each<'py>(core: &Core, ids: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyList>> {
    let py = ids.py();
    let mut tokens = Vec::with_capacity(ids.len());
    for (index, id) in ids.iter().enumerate() {
        let id = id.extract().map_err(|error| not_an_id(&id, index, error))?;
        tokens.push(PyBytes::new(py, token(core, id, index)?));
    }
    PyList::new(py, tokens)
}

/// How many bytes each token has.
pub fn lengths(core: &Core, ids: Vec<u32>) -> PyResult<Vec<usize>> {
    ids.into_iter().enumerate().map(|(index, id)| Ok(token(core, id, index)?.len())).collect()
}

fn token(core: &Core, id: u32, index: usize) -> Result<&[u8], Fault> {
    core.token_bytes(id).ok_or(Fault::Unknown(id, index))
}

fn unknown_id(id: u32, index: usize) -> PyErr {
    InvalidTokenIdError::new_err((
        format!(
            "no token has the id {id} (index {index}); check that the ids come from this tokenizer"
        ),
        id,
        index,
    ))
}

/// Does a buffer of this format hold numbers in this machine's byte order?
fn is_native(format: &CStr) -> bool {
    let other = if cfg!(target_endian = "little") { b">!".as_slice() } else { b"<".as_slice() };
    format.to_bytes().first().is_none_or(|mark| !other.contains(mark))
}

fn not_an_id(object: &Bound<'_, PyAny>, index: usize, error: PyErr) -> PyErr {
    let py = object.py();
    if error.is_instance_of::<PyOverflowError>(py) {
        let message = format!("no token has the id {object} (index {index})");
        return InvalidTokenIdError::new_err((message, object.clone().unbind(), index));
    }
    at_index(py, index, error)
}
