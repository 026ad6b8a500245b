//! What a tokenizer has beyond a pattern and a vocabulary, as its format says it.
use crate::levels::Levels;
use crate::normalize::Normalizer;
use crate::segments::AddedToken;

/// All of it; the default is nothing.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// Tokens that are found in the text before anything else.
    pub added: Vec<AddedToken>,
    /// Added tokens are looked for in normalized text as they are written, not normalized.
    pub keeps_added: bool,
    /// How text between the first added tokens is changed.
    pub normalizer: Normalizer,
    /// How normalized text is cut, if not by an automaton.
    pub levels: Levels,
    /// For tokens in canonical order: left part, right part, first token of the level.
    pub rules: Option<Vec<[u32; 3]>>,
    /// Internal ids and what they stand for.
    pub expansions: Vec<(u32, Vec<u32>)>,
    /// The unknown token, if several of it in a row become one.
    pub fused: Option<u32>,
    /// Whole pretokens that are one token, though merging does not make it: (bytes, id).
    pub whole_pieces: Vec<(Box<[u8]>, u32)>,
    /// Tokens that no text becomes: (bytes, id), to decode them.
    pub decode_only: Vec<(Box<[u8]>, u32)>,
    /// Marker bytes at the ends of pretokens.
    pub markers: Markers,
    /// Characters (or bytes) that are no token are left out before merging.
    pub drops: Option<Drops>,
    /// Ids before and behind a text, given out on request.
    pub template: (Vec<u32>, Vec<u32>),
}

/// Which ends of a pretoken have a marker byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Markers {
    /// The beginning.
    pub has_begin: bool,
    /// The end.
    pub has_end: bool,
}

/// Which units are left out if they are no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drops {
    /// Single bytes.
    Bytes,
    /// Characters.
    Characters,
}
