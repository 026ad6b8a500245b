//! The extension module `tokstream._core`: conversions, GIL, errors; nothing else.
use pyo3::prelude::*;

mod unicode;

/// The native part of tokstream.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::unicode::{fold_case, unicode_property};
}
