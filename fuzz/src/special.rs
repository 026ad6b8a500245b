//! Special tokens of a case: some of a fixed list, allowed or forbidden.

use std::sync::Arc;

use tokstream_core::segments::SpecialSet;

use super::input::Input;

/// Names that begin, contain and overlap each other.
const NAMES: [&str; 16] = [
    "<a>", "<a><b>", "ab", "abcd", "bc", "<|e|>", "漢字", "字", "ba", "aba", "<<<", "a b", "b a",
    "

", "éa", "<",
];
/// Above every id of a vocabulary.
const FIRST_ID: u32 = 1_000_000;

/// The choice of one case.
#[derive(Clone, Debug)]
pub struct Special {
    pub allowed: Vec<(String, u32)>,
    pub forbidden: Vec<String>,
}

/// All of them with their ids, which a tokenizer needs to decode.
pub fn all() -> Vec<(String, u32)> {
    (FIRST_ID..).zip(NAMES).map(|(id, name)| (name.to_owned(), id)).collect()
}

impl Special {
    /// Two masks, and whether the second counts; a name may be both, and is forbidden then.
    pub fn read(input: &mut Input<'_>) -> Self {
        let mut mask = || u16::from(input.byte()) | u16::from(input.byte()) << 8;
        let (allowed, forbidden) = (mask(), mask());
        let forbidden = if input.byte() >= 0xA0 { forbidden } else { 0 };
        let chosen = |mask: u16| {
            all()
                .into_iter()
                .enumerate()
                .filter(move |(k, _)| mask >> k & 1 == 1)
                .map(|(_, pair)| pair)
        };
        let forbidden = chosen(forbidden).map(|(name, _)| name);
        Self { allowed: chosen(allowed).collect(), forbidden: forbidden.collect() }
    }

    pub fn set(&self) -> Arc<SpecialSet> {
        Arc::new(SpecialSet::new(&self.allowed, &self.forbidden).expect("small sets are fine"))
    }
}
