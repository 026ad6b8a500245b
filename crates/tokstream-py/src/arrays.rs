//! A few ids → a numpy array of its own, made by numpy itself.
//!
//! A view of a buffer takes numpy several objects; what little a feed gives is copied sooner. All
//! that is used of numpy's C interface has been the same in its versions 1 and 2, and others are
//! not used: then, as before numpy is known here, ids are a buffer that Python makes a view of.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyCapsule;

/// More ids are better viewed than copied.
const MAX_IDS: usize = 1 << 10;

/// Entries of numpy's table, which later versions only append to.
const VERSION: usize = 0;
const ARRAY_TYPE: usize = 2;
const NEW_FROM_DESCR: usize = 94;
/// Versions of the binary interface, as `VERSION` gives them: those of numpy 1 and 2.
const KNOWN: [c_uint; 2] = [0x0100_0009, 0x0200_0000];

type GetVersion = unsafe extern "C" fn() -> c_uint;
/// Type, data type (whose reference it takes), number of dimensions, dimensions, strides, data,
/// flags, and an object to derive from.
type NewFromDescr = unsafe extern "C" fn(
    *mut ffi::PyTypeObject,
    *mut ffi::PyObject,
    c_int,
    *const isize,
    *const isize,
    *mut c_void,
    c_int,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;

/// What arrays are made with.
struct Numpy {
    array_type: *mut ffi::PyTypeObject,
    new_from_descr: NewFromDescr,
    /// The data type of ids.
    dtype: Py<PyAny>,
}

// SAFETY: numpy's type and function stay where they are as long as the process runs, and are used
// only with the interpreter's lock held.
unsafe impl Send for Numpy {}
// SAFETY: as above.
unsafe impl Sync for Numpy {}

static NUMPY: PyOnceLock<Numpy> = PyOnceLock::new();

/// Make arrays with numpy's `api`, its capsule `_ARRAY_API`, and of `dtype`, which is that of
/// native 32-bit numbers; false if it is not a version that is known here.
#[pyfunction]
#[pyo3(signature = (api, dtype, /))]
pub fn use_numpy(py: Python<'_>, api: &Bound<'_, PyCapsule>, dtype: Py<PyAny>) -> bool {
    // SAFETY: the capsule has no name; it is numpy's, and alive.
    let table = unsafe { ffi::PyCapsule_GetPointer(api.as_ptr(), ptr::null()) };
    let table = table.cast::<*mut c_void>().cast_const();
    if table.is_null() {
        drop(PyErr::take(py));
        return false;
    }
    // SAFETY: numpy's table has this function at this place, in all versions.
    let version = unsafe { std::mem::transmute::<*mut c_void, GetVersion>(*table.add(VERSION))() };
    if !KNOWN.contains(&version) {
        return false;
    }
    // SAFETY: in these versions the table has this type and this function there.
    let numpy = unsafe {
        Numpy {
            array_type: (*table.add(ARRAY_TYPE)).cast(),
            new_from_descr: std::mem::transmute::<*mut c_void, NewFromDescr>(
                *table.add(NEW_FROM_DESCR),
            ),
            dtype,
        }
    };
    NUMPY.get_or_init(py, || numpy);
    true
}

/// A new array with these ids, if they are few and numpy is known.
pub fn copy<'py>(py: Python<'py>, ids: &[u32]) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(numpy) = NUMPY.get(py).filter(|_| ids.len() <= MAX_IDS) else { return Ok(None) };
    let dimension = ids.len().cast_signed();
    // SAFETY: numpy takes a new reference to the data type, and allocates the data itself, since it
    // is given none.
    let array = unsafe {
        let array = (numpy.new_from_descr)(
            numpy.array_type,
            numpy.dtype.clone_ref(py).into_ptr(),
            1,
            &raw const dimension,
            ptr::null(),
            ptr::null_mut(),
            0,
            ptr::null_mut(),
        );
        Bound::from_owned_ptr_or_err(py, array)?
    };
    // SAFETY: the first field behind the head of an array is the address of its data, which has room
    // for as many numbers as were asked for, and which nobody else knows of yet.
    unsafe {
        let data = *array.as_ptr().add(1).cast::<*mut u32>();
        ptr::copy_nonoverlapping(ids.as_ptr(), data, ids.len());
    }
    Ok(Some(array))
}
