//! Text → the class of each character, and where it begins.

use std::ops::Range;

use super::automaton::{Automaton, decode};
#[cfg(target_arch = "x86_64")]
use super::avx512;
use super::inert::Inert;
use crate::simd::Path;

/// Bytes that begin no character, and bytes that do not say which class theirs is in.
const NONE: u8 = 0xFF;
pub(crate) const LOOK: u8 = 0xFE;
/// Room behind the last value, so that 64 can be written at a time.
const SPARE: usize = 64;

/// What a byte says about the character it begins.
#[derive(Debug)]
pub(crate) struct ByteClasses {
    pub(crate) of_byte: [u8; 256],
    /// A first byte that needs the second one to tell, and the classes by the second one's lower
    /// six bits.
    pub(crate) row_lead: u8,
    pub(crate) row: [u8; 64],
}

impl ByteClasses {
    /// From the classes of `automaton`, of which there are fewer than 254.
    pub(crate) fn new(automaton: &Automaton) -> Self {
        let class_of_all = |mut code_points: std::ops::RangeInclusive<usize>| {
            let class = code_points.next().map(|cp| automaton.class_of(cp as u32));
            let is_same = |cp| Some(automaton.class_of(cp as u32)) == class;
            class.filter(|_| code_points.all(is_same)).map_or(LOOK, |class| class as u8)
        };
        let of_byte = std::array::from_fn(|byte| match byte {
            0..0x80 => automaton.class_of(byte as u32) as u8,
            0x80..0xC0 => NONE,
            0xC0..0xE0 => class_of_all((byte & 0x1F) << 6..=(byte & 0x1F) << 6 | 0x3F),
            0xE0..0xF0 => class_of_all((byte & 0x0F) << 12..=(byte & 0x0F) << 12 | 0xFFF),
            0xF0..0xF5 => {
                class_of_all((byte & 7) << 18..=((byte & 7) << 18 | 0x3_FFFF).min(0x10_FFFF))
            }
            _ => LOOK,
        });
        // The row of most use is one that tells all its characters.
        let row_of = |lead: usize| -> [u8; 64] {
            std::array::from_fn(|second| {
                let first = (lead & 0x0F) << 12 | second << 6;
                class_of_all(first..=first | 0x3F)
            })
        };
        let rows = (0xE0..0xF0_usize).filter(|&lead| of_byte[lead] == LOOK);
        let row_lead = rows
            .max_by_key(|&lead| row_of(lead).into_iter().filter(|&class| class != LOOK).count())
            .unwrap_or(0xE0);
        Self { of_byte, row_lead: row_lead as u8, row: row_of(row_lead) }
    }
}

/// Symbols of some characters, and where they begin in the block.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    classes: Vec<u8>,
    begins: Vec<u16>,
    n: usize,
}

impl Symbols {
    fn make_room(&mut self, n: usize) {
        let n = n + SPARE;
        if self.classes.len() < n {
            self.classes.resize(n, 0);
            self.begins.resize(n, 0);
        }
    }

    /// The characters of `text[begin..end]`, which are whole and less than 64 KiB.
    pub(crate) fn read(
        &mut self,
        path: Path,
        automaton: &Automaton,
        classes: &ByteClasses,
        text: &[u8],
        range: Range<usize>,
    ) {
        let Range { start: begin, end } = range;
        self.make_room(end - begin);
        let look = |at| automaton.class_of(decode(text, at).0) as u8;
        let Self { classes: symbols, begins, n } = self;
        #[cfg(target_arch = "x86_64")]
        if path == Path::Avx512 {
            // SAFETY: paths that the processor does not have are not taken.
            *n = unsafe { avx512::read(classes, &look, text, begin, end, symbols, begins) };
            return;
        }
        *n = 0;
        for (at, &byte) in text[begin..end].iter().enumerate() {
            let mut symbol = classes.of_byte[byte as usize];
            if symbol == LOOK {
                symbol = look(begin + at);
            }
            symbols[*n] = symbol;
            begins[*n] = at as u16;
            *n += usize::from(symbol != NONE);
        }
    }

    /// Take over, of `from[range]`, the characters that matter.
    pub(crate) fn take_lively(&mut self, tables: &Inert, from: &Self, range: Range<usize>) {
        self.make_room(range.len());
        let (symbols, begins) = from.slices(range);
        #[cfg(target_arch = "x86_64")]
        {
            // SAFETY: there are such tables only if the processor has it.
            self.n = unsafe {
                avx512::drop_inert(tables, symbols, begins, &mut self.classes, &mut self.begins)
            };
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            let _ = tables;
            self.classes[..symbols.len()].copy_from_slice(symbols);
            self.begins[..begins.len()].copy_from_slice(begins);
            self.n = symbols.len();
        }
    }

    /// Symbols and begins of some of the characters.
    pub(crate) fn slices(&self, range: Range<usize>) -> (&[u8], &[u16]) {
        (&self.classes[range.clone()], &self.begins[range])
    }

    /// Symbols and begins.
    pub(crate) fn as_slices(&self) -> (&[u8], &[u16]) {
        (&self.classes[..self.n], &self.begins[..self.n])
    }
}
