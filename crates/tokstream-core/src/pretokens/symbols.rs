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
pub(crate) const SPARE: usize = 64;
/// ASCII bytes that are read together without a special instruction.
const ASCII_GROUP: usize = 8;

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
            Path::Avx2 => unsafe {
                let Self { classes: symbols, begins, n } = self;
                *n = avx2::read(classes, &look, text, range.start, range.end, symbols, begins);
            },
            _ => self.read_each(classes, look, text, range),
        }
    }

    #[inline(always)]
    fn read_each(
        &mut self,
        classes: &ByteClasses,
        look: impl Fn(usize) -> u8,
        text: &[u8],
        range: Range<usize>,
    ) {
        let (symbols, begins) = (&mut self.classes[..], &mut self.begins[..]);
        let mut n = 0;
        let mut at = range.start;
        while at < range.end {
            let byte = text[at];
            let place = (at - range.start) as u16;
            let (mut symbol, width) = match byte {
                0..0x80 => {
                    // Mostly more of them follow.
                    if let Some(bytes) = text[at..range.end].first_chunk::<ASCII_GROUP>()
                        && bytes.is_ascii()
                        && let Some(symbols) = symbols[n..].first_chunk_mut::<ASCII_GROUP>()
                        && let Some(begins) = begins[n..].first_chunk_mut::<ASCII_GROUP>()
                    {
                        *symbols = bytes.map(|byte| classes.of_byte[usize::from(byte)]);
                        *begins = std::array::from_fn(|k| place + k as u16);
                        (n, at) = (n + ASCII_GROUP, at + ASCII_GROUP);
                        continue;
                    }
                    (classes.of_byte[usize::from(byte)], 1)
                }
                0xE0..0xF0 => {
                    let row = &classes.rows[usize::from(byte & 0x0F)];
                    (row[usize::from(text[at + 1] & 0x3F)], 3)
                }
                0x80..0xE0 => (classes.of_byte[usize::from(byte)], 2),
                _ => (classes.of_byte[usize::from(byte)], 4),
            };
            if symbol == LOOK {
                symbol = look(at);
            }
            (symbols[n], begins[n]) = (symbol, place);
            (n, at) = (n + 1, at + width);
        }
        self.n = n;
    }

    /// Copy the characters of `range` that matter, or all; returns how many. There is room for `SPARE`
    /// more.
    pub(crate) fn copy(
        &self,
        inert: Option<&Inert>,
        range: Range<usize>,
        symbols: &mut [u8],
        begins: &mut [u16],
    ) -> usize {
        let (from, from_begins) = (&self.classes[range.clone()], &self.begins[range]);
        #[cfg(target_arch = "x86_64")]
        if let Some(tables) = inert {
            // SAFETY: there are such tables only if the processor has it.
            return unsafe { avx512::drop_inert(tables, from, from_begins, symbols, begins) };
        }
        let _ = inert;
        symbols[..from.len()].copy_from_slice(from);
        begins[..from.len()].copy_from_slice(from_begins);
        from.len()
    }

    /// Symbols and begins.
    pub(crate) fn as_slices(&self) -> (&[u8], &[u16]) {
        (&self.classes[..self.n], &self.begins[..self.n])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random.
    fn next(state: &mut u64) -> usize {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state >> 33) as usize
    }

    #[test]
    fn every_path_reads_the_same_characters() {
        let data = include_bytes!("../../../../fuzz/seeds/cl100k.automaton");
        let automaton = Automaton::from_bytes(data).expect("a sound automaton");
        let classes = ByteClasses::new(&automaton);
        // First bytes that tell the class, that need the second one, and that need all of them.
        let characters: Vec<char> =
            "a 7.\n\u{7F}é×ßа中一乀的。、，あｱ가“”…\u{2028}😀𠀀".chars().collect();
        let mut state = 1;
        let mut symbols = Symbols::default();
        for n in 0..150 {
            for round in 0..20 {
                // Mostly characters of one kind, others now and then.
                let usual = characters[next(&mut state) % characters.len()];
                let draw = |state: &mut u64| {
                    let is_usual = next(state) % 21 >= round;
                    if is_usual { usual } else { characters[next(state) % characters.len()] }
                };
                let text: String = (0..n + 20).map(|_| draw(&mut state)).collect();
                let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
                let first = next(&mut state) % 20;
                let range = places[first]..places[first + n];
                let expected: (Vec<u8>, Vec<u16>) = places[first..first + n]
                    .iter()
                    .map(|&at| {
                        let (class, _) = automaton.read_class(text.as_bytes(), at);
                        (class as u8, (at - range.start) as u16)
                    })
                    .unzip();
                // Text may go on behind the range, or not.
                for text in [&text, &text[..range.end]] {
                    for &path in Path::available() {
                        let text = text.as_bytes();
                        symbols.read(path, &automaton, &classes, text, range.clone());
                        let (found, begins) = symbols.as_slices();
                        assert_eq!((found, begins), (&expected.0[..], &expected.1[..]), "{path:?}");
                    }
                }
            }
        }
    }
}
