//! The tokenizers of the cases: written patterns and vocabularies, and made-up ones.
//!
//! The written ones come from `fuzz/seeds` (`scripts/make_fuzz_seeds.py`).

use std::sync::{Arc, LazyLock, OnceLock};

use tokstream_core::core::Core;
use tokstream_core::error::TableError;
use tokstream_core::pretokens::Automaton;
use tokstream_core::tokens::TokenTable;

use super::input::Input;
use super::oracle::Oracle;
use super::special;
use super::tables::Table;

static AUTOMATA: [&[u8]; 10] = [
    include_bytes!("../seeds/gpt2.automaton"),
    include_bytes!("../seeds/cl100k.automaton"),
    include_bytes!("../seeds/o200k.automaton"),
    include_bytes!("../seeds/whole.automaton"),
    include_bytes!("../seeds/blanks.automaton"),
    include_bytes!("../seeds/pairs.automaton"),
    include_bytes!("../seeds/lookback.automaton"),
    include_bytes!("../seeds/lookahead.automaton"),
    include_bytes!("../seeds/late.automaton"),
    include_bytes!("../seeds/stall.automaton"),
];
static VOCABULARIES: [&str; 3] = [
    include_str!("../seeds/english.tokens"),
    include_str!("../seeds/runs.tokens"),
    include_str!("../seeds/spellings.tokens"),
];
const N_WRITTEN: usize = AUTOMATA.len() * VOCABULARIES.len();

/// What made-up tokens are built from.
const PARTS: [u8; 12] = [b'a', b'b', b'c', b' ', b'\n', b'1', b'\'', b'<', 0xC3, 0xE6, 0xBC, 0xA2];

/// A tokenizer of the engine and its plain twin.
#[derive(Clone)]
pub struct Tokenizer {
    pub core: Arc<Core>,
    pub oracle: Arc<Oracle>,
}

impl Tokenizer {
    /// The tokenizer that the input spells; `None` if the engine may refuse its vocabulary.
    pub fn read(input: &mut Input<'_>) -> Option<Self> {
        static WRITTEN: [OnceLock<Tokenizer>; N_WRITTEN] = [const { OnceLock::new() }; N_WRITTEN];
        let choice = input.byte() as usize;
        if choice < 128 {
            let k = choice % N_WRITTEN;
            return Some(WRITTEN[k].get_or_init(|| Self::written(k)).clone());
        }
        Self::new(table(input, choice & 1 == 0), made_up_tokens(input)).ok()
    }

    /// A tokenizer for which every text is one pretoken, with its made-up tokens and their ids.
    pub fn one_pretoken(input: &mut Input<'_>) -> Option<(Self, Vec<Vec<u8>>, Vec<u32>)> {
        let tokens = made_up_tokens(input);
        let tokenizer = Self::new(Table::read(any_automaton()), tokens.clone()).ok()?;
        let ids = ids(tokens.len());
        Some((tokenizer, tokens, ids))
    }

    fn written(k: usize) -> Self {
        static TOKENS: LazyLock<Vec<Vec<Vec<u8>>>> =
            LazyLock::new(|| VOCABULARIES.iter().map(|text| parse_tokens(text)).collect());
        let (pattern, vocabulary) = (k % AUTOMATA.len(), k / AUTOMATA.len());
        Self::new(Table::read(AUTOMATA[pattern]), TOKENS[vocabulary].clone())
            .expect("the written tokenizers are good")
    }

    fn new(table: Table, tokens: Vec<Vec<u8>>) -> Result<Self, TableError> {
        let ids = ids(tokens.len());
        let core = core(&tokens, ids.clone(), &table.to_bytes())?;
        Ok(Self { core: Arc::new(core), oracle: Arc::new(Oracle::new(table, tokens, ids)) })
    }
}

/// The tables of a pattern, a written or a made-up one.
pub fn table(input: &mut Input<'_>, is_written: bool) -> Table {
    if is_written {
        Table::read(AUTOMATA[input.below(AUTOMATA.len())])
    } else {
        Table::made_up(input)
    }
}

/// Ids are no ranks, so that mixing them up shows.
fn ids(n_tokens: usize) -> Vec<u32> {
    (0..n_tokens as u32).map(|rank| 3 * rank + 1).collect()
}

/// The engine's tables of a vocabulary.
pub fn core(tokens: &[Vec<u8>], ids: Vec<u32>, automaton: &[u8]) -> Result<Core, TableError> {
    let lengths: Vec<u32> = tokens.iter().map(|token| token.len() as u32).collect();
    let table = TokenTable::new(tokens.concat(), &lengths, ids)?;
    Core::new(&table, &special::all(), Automaton::from_bytes(automaton)?)
}

/// The tables of the pattern for which every text is one pretoken.
pub fn any_automaton() -> &'static [u8] {
    AUTOMATA[3]
}

/// All 256 single bytes, as every vocabulary begins.
pub fn single_bytes() -> Vec<Vec<u8>> {
    (0..=255).map(|byte| vec![byte]).collect()
}

/// Tokens that each join two earlier ones, and a few that join three and may be unreachable.
fn made_up_tokens(input: &mut Input<'_>) -> Vec<Vec<u8>> {
    let mut tokens = single_bytes();
    let mut parts: Vec<Vec<u8>> = PARTS.iter().map(|&byte| vec![byte]).collect();
    for _ in 0..input.below(33) {
        let mut token = parts[input.below(parts.len())].clone();
        let second = input.byte() as usize;
        token.extend_from_slice(&parts[second % parts.len()]);
        if second >= 240 {
            token.extend_from_slice(&parts[input.below(parts.len())]);
        }
        if !tokens.contains(&token) {
            tokens.push(token.clone());
            parts.push(token);
        }
    }
    tokens
}

/// One token per line, in hexadecimal.
fn parse_tokens(text: &str) -> Vec<Vec<u8>> {
    let digits = |pair: &[u8]| {
        let pair = str::from_utf8(pair).expect("seeds are ASCII");
        u8::from_str_radix(pair, 16).expect("seeds are hexadecimal")
    };
    text.lines().map(|line| line.as_bytes().chunks(2).map(digits).collect()).collect()
}
