//! Python text → bytes, without leaving cached UTF-8 on the caller's `str`.
//!
//! In place: `bytes`, a `memoryview` of them, a `str` that is ASCII. Encoded slice by slice: any
//! other `str`. Copied block by block while the GIL is held, since it may change under our hands:
//! any other buffer.
use std::ops::ControlFlow;

use pyo3::buffer::{PyBuffer, ReadOnlyCell};
use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyMemoryView, PySlice, PyString};
use tokstream_core::chunks::Source;

/// Between blocks of this many bytes signals are looked at.
pub const BLOCK: usize = 1 << 20;
/// A longer `str` that is not ASCII is encoded in slices of this many characters.
const SLICE: usize = 1 << 18;
/// Encoding a shorter `str` takes less time than asking whether it is ASCII.
const SHORT: usize = 1 << 10;

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

/// The bytes that `object` views, if it is a `memoryview` of immutable ones.
fn view_of_bytes(object: &Bound<'_, PyAny>) -> PyResult<Option<PyBuffer<u8>>> {
    let Ok(view) = object.cast_exact::<PyMemoryView>() else { return Ok(None) };
    let owner = view.getattr(pyo3::intern!(object.py(), "obj"));
    if !owner.is_ok_and(|owner| owner.is_exact_instance_of::<PyBytes>()) {
        return Ok(None);
    }
    buffer(object).map(Some)
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
        let n = text.len()?;
        if n <= SHORT.min(first) {
            let bytes = encoded(text)?;
            return if n == 0 { Ok(()) } else { take(bytes.as_bytes(), Source::Text).map(|_| ()) };
        }
        if is_ascii(text)? {
            return in_place(text.to_str()?.as_bytes(), Source::Text);
        }
        let mut sizes = Sizes { next: first, most: SLICE };
        let mut begin = 0;
        while begin < n {
            let end = n.min(begin + sizes.take());
            if take(slice(text, begin, end)?.as_bytes(), Source::Text)?.is_break() {
                break;
            }
            begin = end;
        }
        return Ok(());
    }
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return in_place(bytes.as_bytes(), Source::Bytes);
    }
    if let Some(view) = view_of_bytes(object)? {
        return in_place(Whole::View(view).bytes().0, Source::Bytes);
    }
    let py = object.py();
    let buffer = buffer(object)?;
    let mut copy = Vec::new();
    let mut at = 0;
    while copy_block(&buffer, py, at, sizes.take(), &mut copy) {
        at += copy.len();
        if take(&copy, Source::Bytes)?.is_break() {
            break;
        }
    }
    Ok(())
}

/// UTF-8 of `text[begin..end]`.
fn slice<'py>(
    text: &Bound<'py, PyString>,
    begin: usize,
    end: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let slice = PySlice::new(text.py(), begin.cast_signed(), end.cast_signed(), 1);
    encoded(&text.get_item(slice)?.cast_into::<PyString>()?)
}

/// Put at most `size` bytes from `at` on into `copy`; false if there are none.
fn copy_block(
    buffer: &PyBuffer<u8>,
    py: Python<'_>,
    at: usize,
    size: usize,
    copy: &mut Vec<u8>,
) -> bool {
    copy.clear();
    let all = buffer.as_slice(py).unwrap_or_default();
    copy.extend(all[at..].iter().take(size).map(ReadOnlyCell::get));
    !copy.is_empty()
}

/// A whole text that can be read without the GIL.
pub enum Whole {
    /// An ASCII `str`, used in place.
    Str(PyBackedStr),
    /// A `bytes` object, or the encoded form of something else.
    Bytes(PyBackedBytes, Source),
    /// A view of a `bytes` object.
    View(PyBuffer<u8>),
}

impl Whole {
    /// Take hold of `object`'s text, which is encoded or copied if need be.
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Some(whole) = Self::in_place(object)? {
            return Ok(whole);
        }
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(Self::Bytes(encoded(&exact(text)?)?.into(), Source::Text));
        }
        let copy = buffer(object)?.to_vec(object.py())?;
        Ok(Self::Bytes(PyBytes::new(object.py(), &copy).into(), Source::Bytes))
    }

    /// The same if nothing has to be encoded or copied.
    fn in_place(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if let Ok(text) = object.cast::<PyString>() {
            let text = exact(text)?;
            let is_in_place = is_ascii(&text)?;
            return is_in_place.then(|| PyBackedStr::try_from(text).map(Self::Str)).transpose();
        }
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Some(Self::Bytes(bytes.clone().into(), Source::Bytes)));
        }
        Ok(view_of_bytes(object)?.map(Self::View))
    }

    /// Its bytes.
    pub fn bytes(&self) -> (&[u8], Source) {
        match self {
            Self::Str(text) => (text.as_bytes(), Source::Text),
            Self::Bytes(bytes, source) => (bytes, *source),
            Self::View(buffer) if buffer.len_bytes() == 0 => (&[], Source::Bytes),
            Self::View(buffer) => {
                // SAFETY: the view is contiguous and keeps its `bytes` object alive, whose
                // contents never change.
                let bytes = unsafe {
                    std::slice::from_raw_parts(buffer.buf_ptr().cast(), buffer.len_bytes())
                };
                (bytes, Source::Bytes)
            }
        }
    }
}

/// A text that is read from time to time, without the GIL in between.
pub enum Held {
    /// In place.
    Whole(Whole),
    /// A `str` of so many characters that has to be encoded.
    Slices(Py<PyString>, usize),
    /// A buffer that has to be copied.
    Buffer(PyBuffer<u8>),
}

impl Held {
    /// Take hold of `object`'s text.
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Some(whole) = Whole::in_place(object)? {
            return Ok(Self::Whole(whole));
        }
        if let Ok(text) = object.cast::<PyString>() {
            let text = exact(text)?;
            let n = text.len()?;
            return Ok(Self::Slices(text.unbind(), n));
        }
        buffer(object).map(Self::Buffer)
    }

    /// The next block of a text that is not in place, about `size` bytes: `at` counts characters
    /// or bytes. Empty at the end.
    pub fn block(&self, at: &mut usize, size: usize) -> PyResult<(Vec<u8>, Source)> {
        Python::attach(|py| match self {
            Self::Whole(_) => Ok((Vec::new(), Source::Bytes)),
            Self::Slices(text, n) => {
                let begin = std::mem::replace(at, (*at + size).min(*n));
                let bytes = slice(text.bind(py), begin, *at)?;
                Ok((bytes.as_bytes().to_vec(), Source::Text))
            }
            Self::Buffer(buffer) => {
                let mut copy = Vec::new();
                copy_block(buffer, py, *at, size, &mut copy);
                *at += copy.len();
                Ok((copy, Source::Bytes))
            }
        })
    }
}
