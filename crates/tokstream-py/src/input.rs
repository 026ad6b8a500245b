//! Python text → blocks of bytes, without leaving cached UTF-8 on the caller's `str`.
use pyo3::buffer::{PyBuffer, ReadOnlyCell};
use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PySlice, PyString};
use tokstream_core::chunks::Source;

/// Between blocks of this many bytes signals are looked at.
const BLOCK: usize = 1 << 20;
/// A longer `str` that is not ASCII is encoded in slices of this many characters.
const SLICE: usize = 1 << 18;

fn is_ascii(text: &Bound<'_, PyString>) -> PyResult<bool> {
    text.call_method0(pyo3::intern!(text.py(), "isascii"))?.extract()
}

/// UTF-8 of `text`, surrogates as three bytes each.
fn encoded<'py>(text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyBytes>> {
    let py = text.py();
    match text.encode_utf8() {
        Err(error) if error.is_instance_of::<PyUnicodeEncodeError>(py) => Ok(text
            .call_method1(pyo3::intern!(py, "encode"), ("utf-8", "surrogatepass"))?
            .cast_into()?),
        result => result,
    }
}

fn buffer(object: &Bound<'_, PyAny>) -> PyResult<PyBuffer<u8>> {
    let refuse = |error: PyErr| {
        let kind = object.get_type();
        let refusal = PyTypeError::new_err(format!(
            "expected str or a contiguous bytes-like object, got {kind}; \
             call .encode() or bytes() on it, or feed its parts one by one"
        ));
        refusal.set_cause(object.py(), Some(error));
        refusal
    };
    let buffer = PyBuffer::<u8>::get(object).map_err(refuse)?;
    if buffer.is_c_contiguous() {
        return Ok(buffer);
    }
    Err(refuse(PyTypeError::new_err("the buffer is not contiguous")))
}

/// Give `object`'s text to `take`, block by block; stop at its first error.
///
/// `take` may release the GIL: a block belongs to an immutable object or is a copy.
pub fn for_each_block(
    object: &Bound<'_, PyAny>,
    take: &mut dyn FnMut(&[u8], Source) -> PyResult<()>,
) -> PyResult<()> {
    let py = object.py();
    if let Ok(text) = object.cast::<PyString>() {
        if is_ascii(text)? {
            return text
                .to_str()?
                .as_bytes()
                .chunks(BLOCK)
                .try_for_each(|block| take(block, Source::Text));
        }
        let n = text.len()?;
        if n <= SLICE {
            return take(encoded(text)?.as_bytes(), Source::Text);
        }
        for begin in (0..n).step_by(SLICE) {
            let end = n.min(begin + SLICE);
            let slice = PySlice::new(py, begin.cast_signed(), end.cast_signed(), 1);
            let part = text.get_item(slice)?.cast_into::<PyString>()?;
            take(encoded(&part)?.as_bytes(), Source::Text)?;
        }
        return Ok(());
    }
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return bytes.as_bytes().chunks(BLOCK).try_for_each(|block| take(block, Source::Bytes));
    }
    // Other buffers may change under our hands: they are copied while the GIL is held.
    let buffer = buffer(object)?;
    let Some(cells) = buffer.as_slice(py) else { return Ok(()) };
    let mut copy = Vec::with_capacity(cells.len().min(BLOCK));
    for block in cells.chunks(BLOCK) {
        copy.clear();
        copy.extend(block.iter().map(ReadOnlyCell::get));
        take(&copy, Source::Bytes)?;
    }
    Ok(())
}

/// A whole text that can be read without the GIL.
pub enum Whole {
    /// An ASCII `str`, used in place.
    Str(PyBackedStr),
    /// A `bytes` object, or the encoded form of something else.
    Bytes(PyBackedBytes, Source),
}

impl Whole {
    /// Take hold of `object`'s text.
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            if is_ascii(text)? {
                return Ok(Self::Str(PyBackedStr::try_from(text.clone())?));
            }
            return Ok(Self::Bytes(encoded(text)?.into(), Source::Text));
        }
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.clone().into(), Source::Bytes));
        }
        let copy = buffer(object)?.to_vec(object.py())?;
        Ok(Self::Bytes(PyBytes::new(object.py(), &copy).into(), Source::Bytes))
    }

    /// Its bytes.
    pub fn bytes(&self) -> (&[u8], Source) {
        match self {
            Self::Str(text) => (text.as_bytes(), Source::Text),
            Self::Bytes(bytes, source) => (bytes, *source),
        }
    }
}
