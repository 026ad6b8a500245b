//! Python text → bytes, without leaving cached UTF-8 on the caller's `str`.
//!
//! In place: `bytes`, a `memoryview` of them, a `str` that is ASCII. Encoded part by part: any
//! other `str`, from its characters where they are if that is known. Copied block by block while the GIL is held, since it may change under our hands:
//! any other buffer.
use std::ops::{ControlFlow, Range};
use std::sync::LazyLock;

use pyo3::buffer::{PyBuffer, ReadOnlyCell};
use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyMemoryView, PySlice, PyString};
use tokstream_core::chunks::{Characters, Source};
use tokstream_core::simd::Path;

use crate::strings::{self, Kept};

/// Between blocks of this many bytes signals are looked at.
pub const BLOCK: usize = 1 << 20;
/// A longer `str` that is not ASCII is encoded in parts of this many characters.
const PART: usize = 1 << 16;
/// The same where Python encodes it.
const SLICE: usize = 1 << 18;
/// Characters that a whole `str` is judged by.
const SAMPLE: usize = 1 << 12;

static PATH: LazyLock<Path> = LazyLock::new(Path::from_environment);

fn is_ascii(text: &Bound<'_, PyString>) -> PyResult<bool> {
    text.call_method0(pyo3::intern!(text.py(), "isascii"))?.extract()
}

/// About how many bytes `object`'s text has, 0 if it is none: a `str` is judged by its beginning.
pub fn n_bytes_about(object: &Bound<'_, PyAny>) -> usize {
    let length = object.len().unwrap_or(0);
    if length < SAMPLE {
        return length;
    }
    let text = object.cast_exact::<PyString>().ok();
    let Some(characters) = text.and_then(strings::characters) else { return length };
    let mut bytes = Vec::new();
    characters.encode(0, SAMPLE, *PATH, &mut bytes);
    length.saturating_mul(bytes.len()) / SAMPLE
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
        let characters = match strings::characters(text) {
            Some(Characters::Ascii(bytes)) => return in_place(bytes, Source::Valid),
            None if is_ascii(text)? => return in_place(text.to_str()?.as_bytes(), Source::Valid),
            characters => characters,
        };
        let most = if characters.is_some() { PART } else { SLICE };
        let mut sizes = Sizes { next: first, most };
        let mut copy = Vec::new();
        let mut begin = 0;
        while begin < n {
            let end = n.min(begin + sizes.take());
            copy.clear();
            let source = append(text, characters, begin..end, &mut copy)?;
            if let Some(characters) = characters {
                // Reading four bytes a character is a wait for memory, unless they are near.
                characters.bring_near(end, end + PART, copy.len());
            }
            if take(&copy, source)?.is_break() {
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
    loop {
        copy.clear();
        let n = append_block(&buffer, py, at, sizes.take(), &mut copy);
        if n == 0 || take(&copy, Source::Bytes)?.is_break() {
            return Ok(());
        }
        at += n;
    }
}

/// Append the UTF-8 of a part of `text`, whose characters these are if they are known.
fn append(
    text: &Bound<'_, PyString>,
    characters: Option<Characters<'_>>,
    part: Range<usize>,
    out: &mut Vec<u8>,
) -> PyResult<Source> {
    if let Some(characters) = characters {
        return Ok(characters.encode(part.start, part.end, *PATH, out));
    }
    let (begin, end) = (part.start.cast_signed(), part.end.cast_signed());
    let slice = PySlice::new(text.py(), begin, end, 1);
    let bytes = encoded(&text.get_item(slice)?.cast_into::<PyString>()?)?;
    out.extend_from_slice(bytes.as_bytes());
    Ok(Source::Text)
}

/// Append at most `size` bytes from `at` on; returns how many.
fn append_block(
    buffer: &PyBuffer<u8>,
    py: Python<'_>,
    at: usize,
    size: usize,
    out: &mut Vec<u8>,
) -> usize {
    let all = buffer.as_slice(py).unwrap_or_default();
    let begin = out.len();
    out.extend(all[at..].iter().take(size).map(ReadOnlyCell::get));
    out.len() - begin
}

/// A whole text that can be read without the GIL.
pub enum Whole {
    /// An ASCII `str`, used in place.
    Str(PyBackedStr),
    /// A `bytes` object, or the encoded form of a `str`.
    Bytes(PyBackedBytes, Source),
    /// What had to be encoded or copied.
    Copy(Vec<u8>, Source),
    /// A view of a `bytes` object.
    View(PyBuffer<u8>),
}

impl Whole {
    /// Take hold of `object`'s text if nothing has to be encoded or copied.
    fn in_place(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if let Ok(text) = object.cast::<PyString>() {
            let text = exact(text)?;
            let is_in_place = match strings::characters(&text) {
                Some(characters) => matches!(characters, Characters::Ascii(_)),
                None => is_ascii(&text)?,
            };
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
            Self::Str(text) => (text.as_bytes(), Source::Valid),
            Self::Bytes(bytes, source) => (bytes, *source),
            Self::Copy(bytes, source) => (bytes, *source),
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
    /// A `str` whose characters are known.
    Kept(Kept),
    /// A `str` of so many characters that Python has to encode.
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
            if let Some(kept) = Kept::new(&text) {
                return Ok(Self::Kept(kept));
            }
            let n = text.len()?;
            return Ok(Self::Slices(text.unbind(), n));
        }
        buffer(object).map(Self::Buffer)
    }

    /// Length in characters or bytes.
    pub fn length(&self) -> usize {
        match self {
            Self::Whole(whole) => whole.bytes().0.len(),
            Self::Kept(kept) => kept.characters().len(),
            Self::Slices(_, n) => *n,
            Self::Buffer(buffer) => buffer.len_bytes(),
        }
    }

    /// All of it, encoded or copied if need be.
    pub fn whole(self, py: Python<'_>) -> PyResult<Whole> {
        Ok(match self {
            Self::Whole(whole) => whole,
            Self::Kept(kept) => {
                let mut copy = Vec::new();
                let characters = kept.characters();
                let source = characters.encode(0, characters.len(), *PATH, &mut copy);
                Whole::Copy(copy, source)
            }
            Self::Slices(text, _) => Whole::Bytes(encoded(text.bind(py))?.into(), Source::Text),
            Self::Buffer(buffer) => Whole::Copy(buffer.to_vec(py)?, Source::Bytes),
        })
    }

    /// Append the next block of a text that is not in place, about `size` bytes, to `out`: `at`
    /// counts characters or bytes. Nothing at the end.
    pub fn append(&self, at: &mut usize, size: usize, out: &mut Vec<u8>) -> PyResult<Source> {
        let next = |n: usize, at: &mut usize| {
            let begin = std::mem::replace(at, (*at + size).min(n));
            begin..*at
        };
        match self {
            Self::Whole(_) => Ok(Source::Bytes),
            Self::Kept(kept) => {
                let characters = kept.characters();
                let part = next(characters.len(), at);
                Ok(characters.encode(part.start, part.end, *PATH, out))
            }
            Self::Slices(text, n) => {
                Python::attach(|py| append(text.bind(py), None, next(*n, at), out))
            }
            Self::Buffer(buffer) => {
                *at += Python::attach(|py| append_block(buffer, py, *at, size, out));
                Ok(Source::Bytes)
            }
        }
    }
}
