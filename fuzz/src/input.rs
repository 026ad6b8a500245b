//! Bytes of the fuzzer → choices, texts and cuts.
//!
//! Every input means something: what is missing reads as zero. Choices come first, text last, so
//! that the fuzzer can change either without moving the other.

use tokstream_core::chunks::{OnInvalid, Source};
use tokstream_core::stream::Delay;

/// Characters that tokens, patterns and special tokens are made of.
const ALPHABET: [char; 24] = [
    'a', 'b', 'c', ' ', '\n', '\r', '\t', '\'', 's', 'T', '1', '2', '<', '|', '>', '.', 'é', '漢',
    '字', '\u{301}', '\u{200D}', '🙂', '\u{85}', 'x',
];

/// Runs are not made longer than this by much.
const MAX_RUNS: usize = 1500;

/// The unread part of the input.
pub struct Input<'a>(pub &'a [u8]);

/// A text, how it is given, and in which parts.
#[derive(Debug)]
pub struct Text {
    pub bytes: Vec<u8>,
    pub source: Source,
    pub on_invalid: OnInvalid,
    pub delay: Delay,
    /// Increasing; for text, between code points.
    pub cuts: Vec<usize>,
}

impl Input<'_> {
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.byte() as usize % n
    }

    /// Gaps between cuts, to be placed once the length is known.
    fn gaps(&mut self) -> Vec<usize> {
        (0..self.below(17)).map(|_| self.byte() as usize).collect()
    }

    /// A text made of all that is left.
    pub fn text(&mut self) -> Text {
        let mode = self.byte();
        let gaps = self.gaps();
        let on_invalid = if mode & 1 == 0 { OnInvalid::Fail } else { OnInvalid::Replace };
        let source = if mode & 2 == 0 { Source::Bytes } else { Source::Text };
        let mut bytes = match mode >> 2 & 3 {
            0 => self.0.to_vec(),
            1 => from_alphabet(self.0),
            _ => runs(self.0),
        };
        self.0 = &[];
        if source == Source::Text {
            bytes = with_surrogates(&bytes);
        }
        let cuts =
            if mode & 16 == 0 { place(&gaps, bytes.len()) } else { (1..bytes.len()).collect() };
        let delay = if mode & 32 == 0 { Delay::Optimal } else { Delay::Composition };
        let mut text = Text { bytes, source, on_invalid, delay, cuts };
        text.move_cuts();
        text
    }
}

impl Text {
    /// The parts between the cuts.
    pub fn chunks(&self) -> impl Iterator<Item = &[u8]> {
        let begins = std::iter::once(0).chain(self.cuts.iter().copied());
        let ends = self.cuts.iter().copied().chain(std::iter::once(self.bytes.len()));
        begins.zip(ends).map(|(begin, end)| &self.bytes[begin..end])
    }

    /// What a part of it is: text without surrogates is told apart.
    pub fn source_of(&self, part: &[u8]) -> Source {
        let is_valid = self.source == Source::Text && std::str::from_utf8(part).is_ok();
        if is_valid { Source::Valid } else { self.source }
    }

    /// A `str` is never cut inside a code point.
    fn move_cuts(&mut self) {
        if self.source == Source::Text {
            self.cuts.retain(|&cut| self.bytes.get(cut).is_none_or(|byte| byte & 0xC0 != 0x80));
        }
    }
}

/// Put gap after gap; an empty chunk is a cut too.
fn place(gaps: &[usize], n: usize) -> Vec<usize> {
    let mut at = 0;
    let mut cuts = Vec::new();
    for gap in gaps {
        at += gap;
        if at <= n {
            cuts.push(at);
        }
    }
    cuts
}

/// One character per byte.
pub fn from_alphabet(bytes: &[u8]) -> Vec<u8> {
    let text: String = bytes.iter().map(|&b| ALPHABET[b as usize % ALPHABET.len()]).collect();
    text.into_bytes()
}

/// Pairs of a character and how often, so that few bytes make long runs; the oracle is slow.
fn runs(pairs: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    for pair in pairs.chunks(2) {
        let n = pair.get(1).map_or(1, |&n| 1 + n as usize * n as usize / 32);
        text.extend(from_alphabet(&pair[..1]).repeat(n));
        if text.len() > MAX_RUNS {
            break;
        }
    }
    text
}

/// UTF-8 with U+FFFD for what is not, and surrogates (as three bytes each) for U+E000..=U+E7FF.
pub fn with_surrogates(bytes: &[u8]) -> Vec<u8> {
    let mut wtf8 = Vec::new();
    for character in String::from_utf8_lossy(bytes).chars() {
        let point = character as u32;
        if (0xE000..0xE800).contains(&point) {
            let surrogate = point - 0x800;
            wtf8.extend([
                0xED,
                0x80 | (surrogate >> 6 & 0x3F) as u8,
                0x80 | (surrogate & 0x3F) as u8,
            ]);
        } else {
            wtf8.extend(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    wtf8
}
