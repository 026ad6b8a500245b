//! Python text → blocks of bytes, without leaving cached UTF-8 on the caller's `str`.
use std::ops::ControlFlow;

use pyo3::buffer::{PyBuffer, ReadOnlyCell};
use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PySlice, PyString};
use tokstream_core::chunks::Source;

/// Between blocks of this many bytes signals are looked at.
pub const BLOCK: usize = 1 << 20;
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

/// `text` itself, or its plain copy if a subclass might answer for it.
fn exact<'py>(text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    if text.is_exact_instance_of::<PyString>() {
        return Ok(text.clone());
    }
    let py = text.py();
    let plain = py.get_type::<PyString>().call_method1(pyo3::intern!(py, "__str__"), (text,))?;
    Ok(plain.cast_into()?)
}

/// Sizes of blocks: the first, then growing up to `most`.
struct Sizes {
    next: usize,
    most: usize,
}

impl Sizes {
    fn take(&mut self) -> usize {
        let size = self.next.min(self.most);
        self.next = size.saturating_mul(4);
        size
    }
}

/// Give `object`'s text to `take`, block by block, the first of at most `first` bytes; stop when
/// it says so, or at its first error.
///
/// `take` may release the GIL: a block belongs to an immutable object or is a copy.
pub fn for_each_block(
    object: &Bound<'_, PyAny>,
    first: usize,
    take: &mut dyn FnMut(&[u8], Source) -> PyResult<ControlFlow<()>>,
) -> PyResult<()> {
    let py = object.py();
    let mut sizes = Sizes { next: first, most: BLOCK };
    let mut in_place = |mut rest: &[u8], source| {
        while !rest.is_empty() {
            let (block, after) = rest.split_at(sizes.take().min(rest.len()));
            if take(block, source)?.is_break() {
                break;
            }
            rest = after;
        }
        Ok(())
    };
    if let Ok(text) = object.cast::<PyString>() {
        let text = &exact(text)?;
        if is_ascii(text)? {
            return in_place(text.to_str()?.as_bytes(), Source::Text);
        }
        let n = text.len()?;
        let mut sizes = Sizes { next: first, most: SLICE };
        let mut begin = 0;
        while begin < n {
            let end = n.min(begin + sizes.take());
            let part = if end - begin == n {
                encoded(text)?
            } else {
                let slice = PySlice::new(py, begin.cast_signed(), end.cast_signed(), 1);
                encoded(&text.get_item(slice)?.cast_into::<PyString>()?)?
            };
            if take(part.as_bytes(), Source::Text)?.is_break() {
                break;
            }
            begin = end;
        }
        return Ok(());
    }
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return in_place(bytes.as_bytes(), Source::Bytes);
    }
    // Other buffers may change under our hands: they are copied while the GIL is held.
    let buffer = buffer(object)?;
    let Some(mut rest) = buffer.as_slice(py) else { return Ok(()) };
    let mut copy = Vec::new();
    while !rest.is_empty() {
        let (block, after) = rest.split_at(sizes.take().min(rest.len()));
        copy.clear();
        copy.extend(block.iter().map(ReadOnlyCell::get));
        if take(&copy, Source::Bytes)?.is_break() {
            break;
        }
        rest = after;
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
            let text = &exact(text)?;
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
