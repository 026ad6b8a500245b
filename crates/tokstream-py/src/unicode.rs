//! Unicode tables for the pattern compiler.
use pyo3::prelude::*;
use tokstream_core::unicode;

/// Inclusive ranges of the Unicode property `name`, or `None` if it is unknown.
#[pyfunction]
#[pyo3(signature = (name, /))]
pub fn unicode_property(name: &str) -> Option<unicode::Ranges> {
    unicode::property(name)
}

/// `ranges` closed under simple case folding.
#[pyfunction]
#[pyo3(signature = (ranges, /))]
pub fn fold_case(ranges: unicode::Ranges) -> unicode::Ranges {
    unicode::fold_case(&ranges)
}
