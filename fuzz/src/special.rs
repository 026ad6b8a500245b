//! Special tokens of a case: some of a fixed list, allowed or forbidden.

use std::sync::Arc;

use tokstream_core::segments::SpecialSet;

use super::input::Input;

/// Names that begin, contain and overlap each other.
const NAMES: [&str; 8] = ["<a>", "<a><b>", "ab", "abcd", "bc", "<|e|>", "漢字", "字"];
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
    /// Two masks, and whether the second counts; a name is never both allowed and forbidden.
    pub fn read(input: &mut Input<'_>) -> Self {
        let (allowed, forbidden, forbids) = (input.byte(), input.byte(), input.byte() >= 0xA0);
        let forbidden = if forbids { forbidden & !allowed } else { 0 };
        let has = |mask: u8, k: usize| mask >> k & 1 == 1;
        let names = all().into_iter().enumerate();
        let forbidden = names.clone().filter(|&(k, _)| has(forbidden, k)).map(|(_, (name, _))| name);
        Self {
            allowed: names.clone().filter(|&(k, _)| has(allowed, k)).map(|(_, pair)| pair).collect(),
            forbidden: forbidden.collect(),
        }
    }

    pub fn set(&self) -> Arc<SpecialSet> {
        Arc::new(SpecialSet::new(&self.allowed, &self.forbidden).expect("small sets are fine"))
    }
}
