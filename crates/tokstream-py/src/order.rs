//! Merge lists → tokens in canonical order.
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tokstream_core::error::TableError;
use tokstream_core::tokens::{Units, canonical_order as native_order};

use crate::errors::table_error;
use crate::tokenizer::numbers;

/// Native 32-bit numbers as bytes.
fn packed<'py>(py: Python<'py>, numbers: &[u32]) -> Bound<'py, PyBytes> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    PyBytes::new(py, &bytes)
}

type Table<'py> = Bound<'py, PyBytes>;
type Tables<'py> = (Table<'py>, Table<'py>, Table<'py>, Table<'py>, Table<'py>);

/// Tokens in canonical order: (bytes, lengths, which token, unreachable tokens, rules).
#[pyfunction]
#[pyo3(signature = (blob, lengths, merges, units, has_begin_marker, has_end_marker, /))]
pub fn canonical_order<'py>(
    py: Python<'py>,
    blob: &[u8],
    lengths: &Bound<'py, PyAny>,
    merges: &Bound<'py, PyAny>,
    units: &str,
    has_begin_marker: bool,
    has_end_marker: bool,
) -> PyResult<Tables<'py>> {
    let (lengths, merges) = (numbers(py, lengths)?, numbers(py, merges)?);
    let are_characters = match units {
        "bytes" => false,
        "characters" => true,
        _ => {
            return Err(PyValueError::new_err(format!(
                "units is {units:?}; it may be \"bytes\" or \"characters\""
            )));
        }
    };
    let units = Units { are_characters, have_begin: has_begin_marker, have_end: has_end_marker };
    let order = py.detach(|| {
        let mut rest = blob;
        let mut tokens = Vec::with_capacity(lengths.len());
        for &length in &lengths {
            let (token, after) = rest
                .split_at_checked(length as usize)
                .ok_or_else(|| TableError("the lengths add up to more than there is".into()))?;
            tokens.push(token);
            rest = after;
        }
        let merges: Vec<(u32, u32)> =
            merges.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        native_order(&tokens, &merges, units)
    });
    let order = order.map_err(|error| table_error(&error))?;
    Ok((
        PyBytes::new(py, &order.blob),
        packed(py, &order.lengths),
        packed(py, &order.tokens),
        packed(py, &order.unreachable),
        packed(py, order.rules.as_flattened()),
    ))
}
