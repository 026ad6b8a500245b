//! What the unstable end of a text may turn into, for `tokstream.compat.tiktoken`.
use std::ops::ControlFlow;

use pyo3::exceptions::PyUnicodeDecodeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use tokstream_core::completions::Completions;
use tokstream_core::error::TableError;
use tokstream_core::stream::Stream;

use crate::errors::{input_error, table_error};
use crate::input::{BLOCK, for_each_block};
use crate::ints;
use crate::stream::feed_block;
use crate::tokenizer::{Core, SpecialSet, on_invalid};

/// Bytes that are encoded without letting other threads in, and between two looks at signals.
const LITTLE: usize = 1 << 13;
const MUCH: usize = 1 << 22;

/// The ids that stay of a text that goes through one pattern, and the text of the others.
#[pyfunction]
#[pyo3(signature = (core, text, specials, /))]
pub fn encode_unstable<'py>(
    core: &Core,
    text: &Bound<'py, PyAny>,
    specials: &SpecialSet,
) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyBytes>)> {
    let py = text.py();
    let mut stream = Stream::new(core.0.clone(), specials.0.clone(), on_invalid(false));
    stream.record_cuts();
    let mut ids = Vec::new();
    for_each_block(text, BLOCK, &mut |block, source| {
        feed_block(py, &mut stream, block, source, false, &mut ids)?;
        stream.forget_cuts();
        Ok(ControlFlow::Continue(()))
    })?;
    stream.finish(&mut ids).map_err(|error| input_error(&error, std::mem::take(&mut ids)))?;
    let Some(cuts) = stream.cuts() else {
        let error = "what is unstable of a text is known for vocabularies of ranks only";
        return Err(table_error(&TableError(error.into())));
    };
    let (stable, unstable) = ids.split_at(ids.len() - core.0.n_unstable(&ids, cuts));
    let unstable: Vec<&[u8]> = unstable.iter().filter_map(|&id| core.0.token_bytes(id)).collect();
    Ok((ints::list(py, stable)?, PyBytes::new(py, &unstable.concat())))
}

/// Sequences of ids, in increasing order, that the unstable end of a text may turn into.
#[pyfunction]
#[pyo3(signature = (core, unstable, /))]
pub fn completions<'py>(
    py: Python<'py>,
    core: &Core,
    unstable: &[u8],
) -> PyResult<Bound<'py, PyList>> {
    let text = match std::str::from_utf8(unstable) {
        Ok(text) => text,
        Err(error) => return Err(PyUnicodeDecodeError::new_utf8(py, unstable, error)?.into()),
    };
    if text.is_empty() {
        return Ok(PyList::empty(py));
    }
    let mut search = core.0.complete(text);
    let mut is_done = search.advance(LITTLE);
    while !is_done {
        is_done = py.detach(|| search.advance(MUCH));
        py.check_signals()?;
    }
    let Completions { single, several } = search.into();
    let mut singles = single.chunks(1).peekable();
    let mut sequences = Vec::with_capacity(single.len() + several.len());
    for ids in &several {
        while let Some(single) = singles.next_if(|&single| single < ids.as_slice()) {
            sequences.push(single);
        }
        sequences.push(ids);
    }
    sequences.extend(singles);
    ints::lists(py, &sequences)
}
