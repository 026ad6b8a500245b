//! The Python form of what a tokenizer has beyond pattern and vocabulary → the native one.
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyDict;
use tokstream_core::levels::Levels;
use tokstream_core::normalize::Normalizer;
use tokstream_core::segments::AddedToken;
use tokstream_core::spec::{Drops, Markers, Spec};

use crate::levels::read_levels;
use crate::normalizers::normalizer;

/// (content, id, special, normalized, lstrip, rstrip, `single_word`)
type Added = (String, u32, bool, bool, bool, bool, bool);

/// Keys of the dictionary.
const KEYS: [&str; 14] = [
    "rules",
    "normalizer",
    "levels",
    "added_tokens",
    "keeps_added",
    "expansions",
    "unk_id",
    "fuse_unk",
    "whole_pieces",
    "decode_only",
    "has_begin_marker",
    "has_end_marker",
    "drops_unknown",
    "template",
];

fn wrong(message: String) -> PyErr {
    PyValueError::new_err(message)
}

/// The entry `key`, its default if it is left out or None.
fn entry<'py, T: FromPyObjectOwned<'py> + Default>(
    dict: &Bound<'py, PyDict>,
    key: &str,
) -> PyResult<T> {
    match dict.get_item(key)? {
        Some(value) if !value.is_none() => {
            let value: Result<T, PyErr> = value.extract().map_err(Into::into);
            value.map_err(|error| in_entry(dict.py(), key, &error))
        }
        _ => Ok(T::default()),
    }
}

fn in_entry(py: Python<'_>, key: &str, error: &PyErr) -> PyErr {
    wrong(format!("spec[{key:?}]: {}", error.value(py)))
}

fn pieces(list: Vec<(PyBackedBytes, u32)>) -> Vec<(Box<[u8]>, u32)> {
    list.into_iter().map(|(bytes, id)| ((&*bytes).into(), id)).collect()
}

/// Read `dict`.
pub fn read(dict: &Bound<'_, PyDict>) -> PyResult<Spec> {
    for key in dict.keys() {
        let key: String = key.extract()?;
        if !KEYS.contains(&key.as_str()) {
            return Err(wrong(format!("spec has no entry {key:?}; there are {KEYS:?}")));
        }
    }
    let added: Vec<Added> = entry(dict, "added_tokens")?;
    let unknown: Option<u32> = entry(dict, "unk_id")?;
    let fuses: bool = entry(dict, "fuse_unk")?;
    let drops: Option<String> = entry(dict, "drops_unknown")?;
    let mut expansions = Vec::new();
    if let Some(map) = dict.get_item("expansions")? {
        for (internal, ids) in map.cast::<PyDict>()? {
            expansions.push((internal.extract()?, ids.extract()?));
        }
    }
    let rules: Option<PyBackedBytes> = entry(dict, "rules")?;
    Ok(Spec {
        normalizer: match dict.get_item("normalizer")? {
            Some(steps) => normalizer(&steps)?,
            None => Normalizer::default(),
        },
        levels: match dict.get_item("levels")? {
            Some(levels) => read_levels(levels.cast()?)?,
            None => Levels::default(),
        },
        rules: rules.as_deref().map(unpack),
        added: added.into_iter().map(added_token).collect(),
        keeps_added: entry(dict, "keeps_added")?,
        expansions,
        fused: unknown.filter(|_| fuses),
        whole_pieces: pieces(entry(dict, "whole_pieces")?),
        decode_only: pieces(entry(dict, "decode_only")?),
        markers: Markers {
            has_begin: entry(dict, "has_begin_marker")?,
            has_end: entry(dict, "has_end_marker")?,
        },
        drops: match drops.as_deref() {
            None => None,
            Some("bytes") => Some(Drops::Bytes),
            Some("characters") => Some(Drops::Characters),
            Some(other) => {
                return Err(wrong(format!(
                    "spec[\"drops_unknown\"] is {other:?}; it may be \"bytes\" or \"characters\""
                )));
            }
        },
        template: entry(dict, "template")?,
    })
}

fn added_token(
    (content, id, is_special, is_normalized, strips_left, strips_right, is_single_word): Added,
) -> AddedToken {
    AddedToken { content, id, is_special, is_normalized, strips_left, strips_right, is_single_word }
}

/// Three native 32-bit numbers per token.
fn unpack(bytes: &[u8]) -> Vec<[u32; 3]> {
    let number = |bytes: &[u8]| u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let rule = |rule: &[u8]| [number(&rule[..4]), number(&rule[4..8]), number(&rule[8..])];
    bytes.chunks_exact(12).map(rule).collect()
}
