//! What each id stands for, in characters, and which pretoken it belongs to.
use std::ops::Range;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use tokstream_core::stream::Stream;

use crate::input::BLOCK;
use crate::tokenizer::{Core, SpecialSet, encode_blocks, on_invalid};

/// Bytes of a text that is done without letting other threads in.
const SHORT: usize = 1 << 12;

/// Begin and end of what each id of a text stands for, in characters; the index of its pretoken,
/// added tokens in the text counting as one each; and the indices of ids that are added tokens.
type Placed = (Vec<(usize, usize)>, Vec<u32>, Vec<u32>);

/// The ids' places in `text`, which holds no surrogates.
#[pyfunction]
#[pyo3(signature = (core, text, specials, /))]
pub fn encode_with_words(
    py: Python<'_>,
    core: &Core,
    text: &Bound<'_, PyString>,
    specials: &SpecialSet,
) -> PyResult<Placed> {
    let mut stream = Stream::new(core.0.clone(), specials.0.clone(), on_invalid(false));
    stream.record();
    encode_blocks(text.as_any(), &mut stream, BLOCK, Vec::new(), &mut |_| true)?;
    let encoded = text.encode_utf8()?;
    let bytes = encoded.as_bytes();
    let mut place = || {
        let (words, added) = stream.words();
        (in_characters(bytes, stream.spans()), words, added)
    };
    // Letting other threads in takes longer than the places of a short text.
    Ok(if bytes.len() < SHORT { place() } else { py.detach(place) })
}

/// The ids' places in `text`, where their tokens are its bytes, one after another; else none.
///
/// Cost: O(n), without encoding the text again.
#[pyfunction]
#[pyo3(signature = (core, ids, text, /))]
pub fn token_places(
    core: &Core,
    ids: &Bound<'_, PyList>,
    text: &Bound<'_, PyString>,
) -> PyResult<Option<Vec<(usize, usize)>>> {
    let encoded = text.encode_utf8()?;
    let bytes = encoded.as_bytes();
    let mut spans = Vec::with_capacity(ids.len());
    let mut rest = bytes;
    let mut at = 0;
    for id in ids.iter() {
        let Some(token) = core.0.token_bytes(id.extract()?) else { return Ok(None) };
        let Some(behind) = rest.strip_prefix(token) else { return Ok(None) };
        rest = behind;
        let end = at + token.len() as u64;
        spans.push(at..end);
        at = end;
    }
    Ok(rest.is_empty().then(|| in_characters(bytes, spans)))
}

/// The index of each id's pretoken, where that takes no more than to cut `text`; else none.
///
/// `ids`: those of `text`, none of them an added token.
#[pyfunction]
#[pyo3(signature = (core, ids, text, specials, /))]
pub fn token_words(
    core: &Core,
    ids: &Bound<'_, PyList>,
    text: &Bound<'_, PyString>,
    specials: &SpecialSet,
) -> PyResult<Option<Vec<usize>>> {
    let mut stream = Stream::new(core.0.clone(), specials.0.clone(), on_invalid(false));
    stream.record_cuts();
    encode_blocks(text.as_any(), &mut stream, BLOCK, Vec::new(), &mut |_| true)?;
    let Some(cuts) = stream.cuts() else { return Ok(None) };
    let mut words = Vec::with_capacity(ids.len());
    let (mut at, mut n_before) = (0, 0);
    for id in ids.iter() {
        let Some(token) = core.0.token_bytes(id.extract()?) else { return Ok(None) };
        while cuts.get(n_before).is_some_and(|&cut| cut <= at) {
            n_before += 1;
        }
        words.push(n_before);
        at += token.len() as u64;
    }
    Ok((at == text.encode_utf8()?.as_bytes().len() as u64).then_some(words))
}

/// Spans of bytes → spans of characters; a part of a character stands for all of it.
fn in_characters(text: &[u8], spans: Vec<Range<u64>>) -> Vec<(usize, usize)> {
    let whole = |span: Range<u64>| (span.start as usize, span.end as usize);
    if text.is_ascii() {
        return spans.into_iter().map(whole).collect();
    }
    // Characters that begin at or before each byte.
    let begun: Vec<u32> = text
        .iter()
        .scan(0, |n, byte| {
            *n += u32::from(byte & 0xC0 != 0x80);
            Some(*n)
        })
        .collect();
    let before = |at: usize| at.checked_sub(1).map_or(0, |last| begun[last] as usize);
    let inside = |at: usize| text.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    let place = |span| {
        let (start, end) = whole(span);
        let first = before(start) - usize::from(inside(start));
        (first, before(end).max(first))
    };
    spans.into_iter().map(place).collect()
}
