//! Text → the class of each character, and where it begins.

use std::ops::Range;

use super::automaton::{Automaton, decode};
#[cfg(target_arch = "x86_64")]
use super::avx2;
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
#[derive(Clone, Debug)]
pub(crate) struct ByteClasses {
    pub(crate) of_byte: [u8; 256],
    /// A first byte that needs the second one to tell, and the classes by the second one's lower
    /// six bits.
    pub(crate) row_lead: u8,
    pub(crate) row: [u8; 64],
    /// Such classes of all first bytes of three.
    rows: [[u8; 64]; 16],
}

impl ByteClasses {
    /// From the classes of `automaton`, of which there are fewer than 254.
    pub(crate) fn new(automaton: &Automaton) -> Self {
        // Whole blocks of 64 code points: a first byte begins some number of them.
        let class_of_all = |code_points: std::ops::RangeInclusive<usize>| {
            let class = automaton.class_of(*code_points.start() as u32);
            let mut blocks = code_points.start() >> 6..=code_points.end() >> 6;
            let is_same = blocks.all(|block| automaton.class_of_block(block) == Some(class));
            if is_same { class as u8 } else { LOOK }
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
        let rows: [[u8; 64]; 16] = std::array::from_fn(|lead| {
            std::array::from_fn(|second| {
                let first = lead << 12 | second << 6;
                class_of_all(first..=first | 0x3F)
            })
        });
        // The row of most use is one that tells all its characters.
        let n_told = |&lead: &usize| rows[lead].iter().filter(|&&class| class != LOOK).count();
        let row_lead =
            (0..16).filter(|&lead| of_byte[0xE0 | lead] == LOOK).max_by_key(n_told).unwrap_or(0);
        Self { of_byte, row_lead: 0xE0 | row_lead as u8, row: rows[row_lead], rows }
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
        self.make_room(range.len());
        let look = |at| automaton.class_of(decode(text, at).0) as u8;
        self.n = 0;
        match path {
            // SAFETY: paths that the processor does not have are not taken.
            #[cfg(target_arch = "x86_64")]
            Path::Avx512 => unsafe {
                let Self { classes: symbols, begins, n } = self;
                *n = avx512::read(classes, &look, text, range.start, range.end, symbols, begins);
            },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Path::Avx2 => unsafe { self.read_avx2(classes, &look, text, range) },
            _ => self.read_each(classes, &look, text, range.start, range),
        }
    }

    /// Append the characters of `text[range]`; they count from `begin`.
    #[inline(always)]
    fn read_each(
        &mut self,
        classes: &ByteClasses,
        look: &dyn Fn(usize) -> u8,
        text: &[u8],
        begin: usize,
        range: Range<usize>,
    ) {
        let mut n = self.n;
        for at in range {
            let byte = text[at];
            let mut symbol = classes.of_byte[byte as usize];
            if byte >> 4 == 0xE {
                symbol = classes.rows[(byte & 0x0F) as usize][(text[at + 1] & 0x3F) as usize];
            }
            if symbol == LOOK {
                symbol = look(at);
            }
            self.classes[n] = symbol;
            self.begins[n] = (at - begin) as u16;
            n += usize::from(symbol != NONE);
        }
        self.n = n;
    }

    /// # Safety
    /// The processor must have AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn read_avx2(
        &mut self,
        classes: &ByteClasses,
        look: &dyn Fn(usize) -> u8,
        text: &[u8],
        range: Range<usize>,
    ) {
        let Range { start: begin, end } = range;
        // SAFETY: the caller vouches for the processor.
        let reader = unsafe { avx2::Reader::new(&classes.of_byte) };
        let mut at = begin;
        while at < end {
            let room = (self.classes[self.n..].first_chunk_mut())
                .zip(self.begins[self.n..].first_chunk_mut());
            if let Some(bytes) = text[at..end].first_chunk()
                && let Some((symbols, begins)) = room
                // SAFETY: as above.
                && unsafe { reader.read(bytes, at - begin, symbols, begins) }
            {
                self.n += avx2::WIDTH;
            } else {
                self.read_each(classes, look, text, begin, at..end.min(at + avx2::WIDTH));
            }
            at += avx2::WIDTH;
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
