//! The plain twin of the engine: whole text in, ids out, every stage by its definition.

use std::collections::HashMap;

use tokstream_core::chunks::{OnInvalid, Source};
use tokstream_core::error::{Error, ErrorKind};

use super::input::Text;
use super::special::Special;
use super::tables::Table;

/// One tokenizer, as slow as it is simple.
pub struct Oracle {
    table: Table,
    /// Rank and id of each token.
    tokens: HashMap<Vec<u8>, (usize, u32)>,
}

/// What a whole text gives.
#[derive(Debug)]
pub struct Outcome {
    /// All ids; if there is a fault, those of the text before the first one.
    pub ids: Vec<u32>,
    /// The faults that a stream may name; which one it meets first depends on the special tokens
    /// that are still possible there.
    pub faults: Vec<Error>,
}

impl Oracle {
    pub fn new(table: Table, tokens: Vec<Vec<u8>>, ids: Vec<u32>) -> Self {
        let ranked = tokens.into_iter().zip(ids).enumerate();
        Self { table, tokens: ranked.map(|(rank, (token, id))| (token, (rank, id))).collect() }
    }

    pub fn encode(&self, special: &Special, text: &Text) -> Outcome {
        let (mut characters, offsets, fault) = decode(text);
        let mut faults: Vec<Error> = fault.into_iter().collect();
        let found =
            special.forbidden.iter().filter_map(|name| Some((characters.find(name)?, name)));
        // Leftmost, then longest.
        let first = found.min_by_key(|(at, name)| (*at, usize::MAX - name.len()));
        if let Some((at, name)) = first {
            let kind = ErrorKind::DisallowedSpecial(name.clone());
            faults.push(Error { kind, offset: offsets[at] });
            characters.truncate(at);
        }
        Outcome { ids: self.encode_text(special, &characters), faults }
    }

    fn encode_text(&self, special: &Special, text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        let mut rest = text;
        loop {
            let found = special.allowed.iter().filter_map(|(name, id)| {
                Some((rest.find(name)?, usize::MAX - name.len(), name.len(), *id))
            });
            let Some((at, _, n, id)) = found.min() else { break };
            self.encode_segment(&rest[..at], &mut ids);
            ids.push(id);
            rest = &rest[at + n..];
        }
        self.encode_segment(rest, &mut ids);
        ids
    }

    /// Merge of a piece of text, never looked up as a whole.
    pub fn merge(&self, piece: &[u8]) -> Vec<u32> {
        merge(&self.tokens, piece).map(|(_, id)| id).collect()
    }

    fn encode_segment(&self, text: &str, ids: &mut Vec<u32>) {
        for pretoken in self.table.split(text) {
            match self.tokens.get(pretoken.as_bytes()) {
                Some(&(_, id)) => ids.push(id),
                None => ids.extend(self.merge(pretoken.as_bytes())),
            }
        }
    }
}

/// Join the adjacent pair of lowest rank, the leftmost of equals, as long as there is one.
fn merge<'a>(
    tokens: &'a HashMap<Vec<u8>, (usize, u32)>,
    piece: &'a [u8],
) -> impl Iterator<Item = (usize, u32)> + 'a {
    let mut bounds: Vec<usize> = (0..=piece.len()).collect();
    loop {
        let ranked = bounds.windows(3).enumerate().filter_map(|(k, bounds)| {
            let (rank, _) = tokens.get(&piece[bounds[0]..bounds[2]])?;
            Some((*rank, k))
        });
        let Some((_, k)) = ranked.min() else { break };
        bounds.remove(k + 1);
    }
    (1..bounds.len()).map(move |k| tokens[&piece[bounds[k - 1]..bounds[k]]])
}

/// Characters, the source offset of each of their bytes, and what stopped the decoding.
fn decode(text: &Text) -> (String, Vec<u64>, Option<Error>) {
    let mut characters = String::new();
    let mut offsets = Vec::new();
    let mut put = |character: char, at: usize| {
        characters.push(character);
        offsets.resize(characters.len(), at as u64);
    };
    let mut fault = None;
    if text.source == Source::Text {
        let mut at = 0;
        for decoded in char::decode_utf16(to_utf16(&text.bytes)) {
            let character = decoded.unwrap_or(char::REPLACEMENT_CHARACTER);
            put(character, at);
            // A pair is two surrogates of three bytes each in the source.
            let is_pair = character.len_utf8() == 4 && text.bytes[at] == 0xED;
            at += if is_pair { 6 } else { character.len_utf8() };
        }
    } else {
        let mut at = 0;
        for chunk in text.bytes.utf8_chunks() {
            for (offset, character) in chunk.valid().char_indices() {
                put(character, at + offset);
            }
            at += chunk.valid().len();
            let invalid = chunk.invalid();
            if invalid.is_empty() {
                continue;
            }
            if text.on_invalid == OnInvalid::Fail {
                let rest = &text.bytes[at..];
                let is_cut = str::from_utf8(rest).is_err_and(|e| e.error_len().is_none());
                let kind = if is_cut { ErrorKind::TruncatedUtf8 } else { ErrorKind::InvalidUtf8 };
                fault = Some(Error { kind, offset: at as u64 });
                break;
            }
            put(char::REPLACEMENT_CHARACTER, at);
            at += invalid.len();
        }
    }
    (characters, offsets, fault)
}

/// Code units of text whose surrogates are written as three bytes each.
fn to_utf16(wtf8: &[u8]) -> Vec<u16> {
    let mut units = Vec::new();
    let mut rest = wtf8;
    while let Some(&lead) = rest.first() {
        let width = match lead {
            0..0x80 => 1,
            0x80..0xE0 => 2,
            0xE0..0xF0 => 3,
            _ => 4,
        };
        let (character, after) = rest.split_at(width);
        match str::from_utf8(character) {
            Ok(character) => units.extend(character.encode_utf16()),
            Err(_) => units.push(
                0xD000 | u16::from(character[1] & 0x3F) << 6 | u16::from(character[2] & 0x3F),
            ),
        }
        rest = after;
    }
    units
}

/// How the engine should judge a vocabulary.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Ids of tokens that merging never produces.
    Good(Vec<u32>),
    /// Two equal tokens, or a missing byte.
    Refused,
}

/// Judge a vocabulary by following Merge on every token.
pub fn judge(tokens: &[Vec<u8>], ids: &[u32]) -> Verdict {
    let ranked: HashMap<&[u8], usize> =
        tokens.iter().enumerate().map(|(rank, token)| (token.as_slice(), rank)).collect();
    let has_byte = |byte: u8| ranked.contains_key([byte].as_slice());
    if ranked.len() < tokens.len() || !(0..=255).all(has_byte) {
        return Verdict::Refused;
    }
    let mut unreachable = Vec::new();
    for (token, &id) in tokens.iter().zip(ids) {
        let mut bounds: Vec<usize> = (0..=token.len()).collect();
        loop {
            let found = bounds.windows(3).enumerate();
            let found = found.filter_map(|(k, b)| Some((*ranked.get(&token[b[0]..b[2]])?, k)));
            let Some((_, k)) = found.min() else { break };
            bounds.remove(k + 1);
        }
        if bounds.len() > 2 {
            unreachable.push(id);
        }
    }
    unreachable.sort_unstable();
    Verdict::Good(unreachable)
}
