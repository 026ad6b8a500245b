//! The extension module `tokstream._core`: conversions, GIL, errors; nothing else.
#![allow(clippy::needless_pass_by_value, reason = "PyO3 hands over owned values")]

use pyo3::prelude::*;

mod arrays;
mod batch;
mod completions;
mod decode;
mod errors;
mod input;
mod ints;
mod levels;
mod memory;
mod normalizers;
mod order;
mod output;
mod parallel;
mod parts;
mod positions;
mod prepared;
mod scores;
mod spec;
mod stages;
mod stream;
mod strings;
mod tokenizer;
mod unicode;
mod words;

/// The native part of tokstream.
#[pymodule]
mod _core {
    /// The version of the package and a number that tells its builds apart.
    #[pymodule_export]
    const BUILD: &str = tokstream_core::prepared::BUILD;
    #[pymodule_export]
    use crate::arrays::use_numpy;
    #[pymodule_export]
    use crate::completions::{completions, encode_unstable};
    #[pymodule_export]
    use crate::levels::Levels;
    #[pymodule_export]
    use crate::memory::release_free_memory;
    #[pymodule_export]
    use crate::normalizers::Normalize;
    #[pymodule_export]
    use crate::order::canonical_order;
    #[pymodule_export]
    use crate::output::Ids;
    #[pymodule_export]
    use crate::parallel::usable_cores;
    #[pymodule_export]
    use crate::positions::find_tokens;
    #[pymodule_export]
    use crate::prepared::{Prepared, checksum};
    #[pymodule_export]
    const MAX_THREADS: usize = crate::parallel::MAX_THREADS;
    #[pymodule_export]
    use crate::scores::merges_by_score;
    #[pymodule_export]
    use crate::stages::{Chunks, Pretokens, Segments};
    #[pymodule_export]
    use crate::stream::Stream;
    #[pymodule_export]
    use crate::strings::strings_in_place;
    #[pymodule_export]
    use crate::tokenizer::{Core, SpecialSet};
    #[pymodule_export]
    use crate::unicode::{fold_case, unicode_property};
    #[pymodule_export]
    use crate::words::{encode_with_words, token_places, token_words};
}
