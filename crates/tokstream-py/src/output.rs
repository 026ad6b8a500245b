//! Ids → Python lists, or a buffer that numpy views without a copy.
use std::ffi::c_int;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::ints;

/// Native 32-bit ids that other objects view through the buffer protocol; writable.
///
/// The numbers belong to whoever holds a view: nothing here reads or writes them again. Handing
/// the list over saves a copy and the page faults of a second buffer.
#[pyclass(frozen, module = "tokstream._core")]
pub struct Ids {
    start: *mut u32,
    length: usize,
    capacity: usize,
}

// SAFETY: the memory is owned like a Vec's, and only reached through Python views, whose users
// are responsible for access from several threads as with every writable buffer.
unsafe impl Send for Ids {}
// SAFETY: as above; no method reads through the pointer.
unsafe impl Sync for Ids {}

impl Ids {
    fn new(ids: Vec<u32>) -> Self {
        let mut ids = std::mem::ManuallyDrop::new(ids);
        Self { start: ids.as_mut_ptr(), length: ids.len(), capacity: ids.capacity() }
    }
}

impl Drop for Ids {
    fn drop(&mut self) {
        // SAFETY: the parts of a Vec<u32> that was never dropped; views keep this object alive.
        drop(unsafe { Vec::from_raw_parts(self.start, self.length, self.capacity) });
    }
}

#[pymethods]
impl Ids {
    fn __len__(&self) -> usize {
        self.length
    }

    // SAFETY: `view` is the interpreter's, to be filled as the buffer protocol says; the memory
    // lives as long as the object that the view keeps a reference to, and does not move.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("no view to fill"));
        }
        let this = slf.get();
        let n_bytes = (this.length * size_of::<u32>()).cast_signed();
        // SAFETY: start and n_bytes describe the memory this object owns.
        let status = unsafe {
            ffi::PyBuffer_FillInfo(view, slf.as_ptr(), this.start.cast(), n_bytes, 0, flags)
        };
        if status == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}

/// Texts of fewer bytes get no room in advance.
const LONG_TEXT: usize = 1 << 20;
/// Ids that so many bytes have at most, usually: `r50k_base` has 2.9 of Chinese, `o200k_base` one of
/// English. Room that is not used is not handed out.
const IDS: usize = 3;
const IN_BYTES: usize = 4;

/// A list with room for the ids of a text of about `length` bytes, if that is long.
///
/// The system hands it out in large pages where it can: in small ones, being handed them takes
/// longer than writing them.
pub fn room_for(length: usize) -> Vec<u32> {
    let mut ids = Vec::new();
    if length < LONG_TEXT || ids.try_reserve_exact(length / IN_BYTES * IDS).is_err() {
        return ids;
    }
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 1 << 12;
        let begin = (ids.as_mut_ptr() as usize).next_multiple_of(PAGE);
        let end = (ids.as_mut_ptr() as usize + ids.capacity() * size_of::<u32>()) / PAGE * PAGE;
        // SAFETY: a hint about whole pages that belong to the list; it changes no contents.
        unsafe { libc::madvise(begin as *mut _, end - begin, libc::MADV_HUGEPAGE) };
    }
    ids
}

/// Ids as a list of `int`, or as a buffer of native 32-bit numbers.
pub fn ids(py: Python<'_>, ids: Vec<u32>, as_array: bool) -> PyResult<Bound<'_, PyAny>> {
    if as_array {
        return Ok(Bound::new(py, Ids::new(ids))?.into_any());
    }
    Ok(ints::list(py, &ids)?.into_any())
}

/// Ids that come in parts.
pub enum Collected {
    /// For a buffer.
    Numbers(Vec<u32>),
    /// For a list, which grows while other threads find the next ids.
    List(Py<PyList>),
}

impl Collected {
    /// For the ids of a text of about `length` bytes.
    pub fn new(py: Python<'_>, as_array: bool, length: usize) -> Self {
        if as_array {
            Self::Numbers(room_for(length))
        } else {
            Self::List(PyList::empty(py).unbind())
        }
    }

    /// Append a part.
    pub fn extend(&mut self, part: &[u32]) -> PyResult<()> {
        match self {
            Self::Numbers(ids) => {
                ids.extend_from_slice(part);
                Ok(())
            }
            Self::List(list) => Python::attach(|py| {
                let (list, n) = (list.bind(py), list.bind(py).len());
                let more = ints::list(py, part)?;
                list.set_slice(n, n, more.as_any())
            }),
        }
    }

    /// All so far.
    pub fn numbers(self, py: Python<'_>) -> PyResult<Vec<u32>> {
        match self {
            Self::Numbers(ids) => Ok(ids),
            Self::List(list) => list.extract(py),
        }
    }

    /// All so far, as a list in any case.
    pub fn list(self, py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
        match self {
            Self::Numbers(ids) => ints::list(py, &ids),
            Self::List(list) => Ok(list.into_bound(py)),
        }
    }

    /// The list or buffer.
    pub fn finish(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match self {
            Self::Numbers(numbers) => ids(py, numbers, true),
            Self::List(list) => Ok(list.into_bound(py).into_any()),
        }
    }
}
