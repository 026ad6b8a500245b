//! Text → the class of each character, and where it begins.

use super::automaton::{Automaton, decode};

/// Bytes that begin no character, and bytes that do not say which class theirs is in.
const NONE: u8 = 0xFF;
const LOOK: u8 = 0xFE;

/// Symbols of the characters of one block.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    /// One per character.
    pub(crate) symbols: Vec<u8>,
    /// Where they begin in the block.
    pub(crate) begins: Vec<u32>,
    n: usize,
}

/// What a byte says about the character it begins.
#[derive(Debug)]
pub(crate) struct ByteClasses([u8; 256]);

impl ByteClasses {
    /// From the classes of `automaton`, of which there are fewer than 254.
    pub(crate) fn new(automaton: &Automaton) -> Self {
        Self(std::array::from_fn(|byte| {
            // The code points whose first byte this is.
            let (first, last) = match byte {
                0..0x80 => (byte, byte),
                0x80..0xC0 => return NONE,
                0xC0..0xE0 => ((byte & 0x1F) << 6, (byte & 0x1F) << 6 | 0x3F),
                0xE0..0xF0 => ((byte & 0x0F) << 12, (byte & 0x0F) << 12 | 0xFFF),
                0xF0..0xF5 => ((byte & 7) << 18, ((byte & 7) << 18 | 0x3_FFFF).min(0x10_FFFF)),
                _ => return LOOK,
            };
            let mut classes = (first..=last).map(|cp| automaton.class_of(cp as u32));
            let class = classes.next().unwrap_or(LOOK as usize);
            if classes.all(|other| other == class) { class as u8 } else { LOOK }
        }))
    }
}

impl Symbols {
    /// The characters of `text[begin..end]`, which are whole.
    #[inline(never)]
    pub(crate) fn read(
        &mut self,
        automaton: &Automaton,
        classes: &ByteClasses,
        text: &[u8],
        begin: usize,
        end: usize,
    ) {
        let block = &text[begin..end];
        if self.symbols.len() < block.len() {
            self.symbols.resize(block.len(), 0);
            self.begins.resize(block.len(), 0);
        }
        let mut n = 0;
        for (at, &byte) in block.iter().enumerate() {
            let mut symbol = classes.0[byte as usize];
            if symbol == LOOK {
                symbol = automaton.class_of(decode(text, begin + at).0) as u8;
            }
            self.symbols[n] = symbol;
            self.begins[n] = at as u32;
            n += usize::from(symbol != NONE);
        }
        self.n = n;
    }

    /// Symbols and begins.
    pub(crate) fn as_slices(&self) -> (&[u8], &[u32]) {
        (&self.symbols[..self.n], &self.begins[..self.n])
    }
}
