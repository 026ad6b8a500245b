//! Texts → where each stands in a list of tokens: what reading half a million merges spends most on.
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rustc_hash::FxHashMap;

/// Positions of `texts` among `tokens`, both joined by `separator`, as native 32-bit numbers;
/// 0xFFFFFFFF for those that are not there.
#[pyfunction]
#[pyo3(signature = (tokens, texts, separator, /))]
pub fn find_tokens<'py>(
    py: Python<'py>,
    tokens: &str,
    texts: &str,
    separator: char,
) -> PyResult<Bound<'py, PyBytes>> {
    let found = py.detach(|| {
        let mut positions: FxHashMap<&str, u32> = FxHashMap::default();
        positions.reserve(tokens.len() / 8);
        for (position, token) in (0_u32..).zip(tokens.split(separator)) {
            if positions.insert(token, position).is_some() {
                return None;
            }
        }
        let position = |text| positions.get(text).copied().unwrap_or(u32::MAX).to_ne_bytes();
        Some(texts.split(separator).flat_map(position).collect::<Vec<u8>>())
    });
    let found = found.ok_or_else(|| PyValueError::new_err("a token is there twice"))?;
    Ok(PyBytes::new(py, &found))
}
