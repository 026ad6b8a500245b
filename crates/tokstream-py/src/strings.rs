//! The characters of a Python `str`, where they are.
//!
//! The stable ABI shows those of an ASCII `str` only; all others it encodes, and keeps the result or
//! copies it more than once. So they are read in place for the versions of `CPython` whose layout is
//! known: it does not change within a version, and is tried on some strings before it is relied
//! upon. Everywhere else there is `None`, and the caller encodes by Python's means.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;
use tokstream_core::chunks::Characters;
use tokstream_core::simd::Path;

/// Where the flags of a `str` are.
const STATE: usize = 32;
const IS_COMPACT: u32 = 1 << 5;
const IS_ASCII: u32 = 1 << 6;
/// One of each kind, of several lengths. None is a single character below U+0100: those are shared,
/// and may keep their UTF-8.
const PROBES: [&str; 8] =
    ["", "aa", "probes are ASCII", "éé", "prôbe", "漢", "prob漢", "a\u{10FFFF}😀"];

/// Where the characters of a `str` begin.
#[derive(Clone, Copy, Debug)]
struct Layout {
    ascii: usize,
    other: usize,
}

static LAYOUT: PyOnceLock<Option<Layout>> = PyOnceLock::new();

impl Layout {
    fn find(py: Python<'_>) -> Option<Self> {
        let layout = Self::known(py)?;
        let is_right = |probe: &&str| layout.is_right(py, probe).unwrap_or(false);
        PROBES.iter().all(is_right).then_some(layout)
    }

    fn known(py: Python<'_>) -> Option<Self> {
        // Who asks for the plain way gets it here, too.
        let is_wanted = Path::from_environment() != Path::Plain;
        let is_usual = cfg!(all(target_pointer_width = "64", target_endian = "little"));
        let implementation = py.import("sys").and_then(|sys| sys.getattr("implementation"));
        let name = implementation.and_then(|named| named.getattr("name"));
        let is_cpython = name.and_then(|name| name.eq("cpython")).unwrap_or(false);
        let version = py.version_info();
        match (version.major, version.minor) {
            _ if !(is_wanted && is_usual && is_cpython) => None,
            (3, 11) => Some(Self { ascii: 48, other: 72 }),
            (3, 12..=14) => Some(Self { ascii: 40, other: 56 }),
            _ => None,
        }
    }

    /// Is a new `str` of `probe` laid out like this? Nothing is read before its size is right.
    fn is_right(self, py: Python<'_>, probe: &str) -> PyResult<bool> {
        let text = PyString::new(py, probe);
        let size: usize = text.call_method0("__sizeof__")?.extract()?;
        let highest = probe.chars().map(u32::from).max().unwrap_or(0);
        let (begin, unit) = match highest {
            0..0x80 => (self.ascii, 1),
            0x80..0x100 => (self.other, 1),
            0x100..0x1_0000 => (self.other, 2),
            _ => (self.other, 4),
        };
        if size != begin + unit * (probe.chars().count() + 1) {
            return Ok(false);
        }
        let mut bytes = Vec::new();
        if let Some(found) = self.characters(&text) {
            found.encode(0, found.len(), Path::Scalar, &mut bytes);
        }
        Ok(bytes == probe.as_bytes())
    }

    fn characters<'a>(self, text: &'a Bound<'_, PyString>) -> Option<Characters<'a>> {
        let n = text.len().ok()?;
        let object = text.as_ptr().cast::<u8>();
        // SAFETY: the object is a `str` of this layout, which the caller keeps alive; its flags say
        // what characters follow it, `n` of them, and they never change.
        #[allow(clippy::cast_ptr_alignment, reason = "characters begin at a multiple of 8 bytes")]
        unsafe {
            let state = object.add(STATE).cast::<u32>().read();
            if state & IS_COMPACT == 0 {
                return None;
            }
            let other = object.add(self.other);
            let part = |from, n| std::slice::from_raw_parts(from, n);
            match state >> 2 & 7 {
                1 if state & IS_ASCII != 0 => {
                    Some(Characters::Ascii(part(object.add(self.ascii), n)))
                }
                1 => Some(Characters::One(part(other, n))),
                2 => Some(Characters::Two(std::slice::from_raw_parts(other.cast(), n))),
                4 => Some(Characters::Four(std::slice::from_raw_parts(other.cast(), n))),
                _ => None,
            }
        }
    }
}

/// The characters of `text`, if they can be read in place. Cost: constant.
pub fn characters<'a>(text: &'a Bound<'_, PyString>) -> Option<Characters<'a>> {
    let py = text.py();
    LAYOUT.get_or_init(py, || Layout::find(py)).and_then(|layout| layout.characters(text))
}

/// Are the characters of a `str` read where they are?
#[pyfunction]
pub fn strings_in_place(py: Python<'_>) -> bool {
    characters(&PyString::new(py, "éé")).is_some()
}

/// A `str` whose characters are read without the GIL.
pub struct Kept {
    characters: Characters<'static>,
    /// Keeps the characters where they are.
    _text: Py<PyString>,
}

impl Kept {
    /// Take hold of `text`, if its characters can be read in place.
    pub fn new(text: &Bound<'_, PyString>) -> Option<Self> {
        let characters = characters(text)?;
        // SAFETY: the characters live as long as the object, which is kept beside them.
        let characters =
            unsafe { std::mem::transmute::<Characters<'_>, Characters<'static>>(characters) };
        Some(Self { characters, _text: text.clone().unbind() })
    }

    /// Its characters.
    pub fn characters(&self) -> Characters<'_> {
        self.characters
    }
}
