//! Ends of pretokens, a block of text at a time.
//!
//! First the class of each character, then the transducer over those that matter. Each of its
//! steps waits for the one before, so two halves of the block are read in turn, split where a
//! pretoken ends whatever came before. What a block leaves undecided is read again.

use super::automaton::Automaton;
use super::certain::CertainCuts;
use super::ends::Ends;
use super::inert::Inert;
use super::symbols::{ByteClasses, Symbols};
use super::transducer::{self, Transducer};
use crate::prefetch::Steps;
use crate::simd::Path;

/// Longest block, in bytes.
pub(crate) const BLOCK: usize = 4096;
/// Characters that are looked at on both sides to find a place near the middle.
const MAX_SEARCH: usize = 256;
/// Blocks of fewer characters are read in one go.
const MIN_SPLIT: usize = 256;

/// Tables of one pattern.
#[derive(Clone, Debug)]
pub(crate) struct BlockScan {
    classes: ByteClasses,
    transducer: Transducer,
    /// Where a block may be split.
    cuts: CertainCuts,
    /// Where looking for inert characters saves more than it costs.
    inert: Option<Inert>,
    path: Path,
}

/// Buffers, kept between calls.
#[derive(Debug, Default)]
pub(crate) struct BlockBuffers {
    all: Symbols,
    halves: [Symbols; 2],
    right_ends: Vec<usize>,
}

/// One reader of the transducer.
#[derive(Clone, Copy)]
struct Cursor {
    state: usize,
    register: usize,
    n_ends: usize,
    has_bailed: bool,
}

/// What a reader reads, and where the ends go.
struct Block<'a> {
    transducer: &'a Transducer,
    text: &'a [u8],
    begin: usize,
    end: usize,
}

impl Cursor {
    /// At the beginning of a pretoken.
    fn new() -> Self {
        Self { state: 0, register: 0, n_ends: 0, has_bailed: false }
    }

    /// Read one character; false if the transducer does not know how.
    #[inline(always)]
    fn step(&mut self, block: &Block<'_>, symbol: u8, begin: u16, ends: &mut [usize]) -> bool {
        let entry = block.transducer.entry(self.state, symbol);
        let begin = block.begin + begin as usize;
        if entry & transducer::SELDOM != 0 && !self.step_seldom(block.text, entry, begin, ends) {
            return false;
        }
        ends[self.n_ends] = begin;
        self.n_ends += (entry & transducer::ENDS_HERE != 0) as usize;
        self.state = transducer::next(entry);
        true
    }

    fn step_seldom(&mut self, text: &[u8], entry: u32, begin: usize, ends: &mut [usize]) -> bool {
        if entry & transducer::BAIL != 0 {
            self.has_bailed = true;
            return false;
        }
        let mut before = begin - 1;
        while text[before] & 0xC0 == 0x80 {
            before -= 1;
        }
        ends[self.n_ends] = self.register;
        self.n_ends += (entry & transducer::ENDS_AT_REGISTER != 0) as usize;
        ends[self.n_ends] = before;
        self.n_ends += (entry & transducer::ENDS_BEFORE != 0) as usize;
        if entry & transducer::SET != 0 {
            self.register = before;
        }
        true
    }

    /// Read on to the end of `symbols`, or until that is not possible.
    fn read(&mut self, block: &Block<'_>, symbols: &[u8], begins: &[u16], ends: &mut [usize]) {
        for (&symbol, &begin) in symbols.iter().zip(begins) {
            if !self.step(block, symbol, begin, ends) {
                return;
            }
        }
    }
}

impl BlockScan {
    /// `None` if the pattern has too many classes.
    pub(crate) fn new(automaton: &Automaton, path: Path) -> Option<Self> {
        let transducer = Transducer::new(automaton)?;
        let inert = match path {
            Path::Avx512 => Inert::new(&transducer, automaton.n_classes()),
            Path::Plain | Path::Scalar | Path::Avx2 => None,
        };
        let (classes, cuts) = (ByteClasses::new(automaton), CertainCuts::new(automaton));
        Some(Self { classes, transducer, cuts, inert, path })
    }

    /// How text is read.
    pub(crate) fn path(&self) -> Path {
        self.path
    }

    /// Append the ends of the pretokens of `text[begin..end]` that are known from that text, the
    /// first of which begins at `begin`. There may be none.
    pub(crate) fn run(
        &self,
        automaton: &Automaton,
        text: &[u8],
        begin: usize,
        end: usize,
        ends: &mut Ends,
    ) {
        let mut buffers = std::mem::take(&mut ends.blocks);
        buffers.all.read(self.path, automaton, &self.classes, text, begin..end);
        self.run_with(
            &mut buffers,
            &Block { transducer: &self.transducer, text, begin, end },
            ends,
        );
        ends.blocks = buffers;
    }

    #[inline(never)]
    fn run_with(&self, buffers: &mut BlockBuffers, block: &Block<'_>, ends: &mut Ends) {
        let BlockBuffers { all, halves: [left_half, right_half], right_ends } = buffers;
        let n = all.as_slices().0.len();
        let middle = self.middle(all.as_slices().0);
        let (left, right) = match &self.inert {
            Some(inert) => {
                left_half.take_lively(inert, all, 0..middle.map_or(n, |middle| middle + 1));
                right_half.take_lively(inert, all, middle.unwrap_or(n)..n);
                (left_half.as_slices(), right_half.as_slices())
            }
            None => (
                all.slices(0..middle.map_or(n, |middle| middle + 1)),
                all.slices(middle.unwrap_or(n)..n),
            ),
        };
        right_ends.resize(right.0.len() + 4, 0);
        // A character ends at most three pretokens, and none twice.
        let left_ends = ends.room(n + 4);
        let (mut left_cursor, mut right_cursor) = (Cursor::new(), Cursor::new());
        let mut n_read = 0;
        let n_steps = left.0.len().min(right.0.len());
        let mut ahead = Steps::new(&block.text[block.begin..block.end], n_steps);
        let pairs = left.0.iter().zip(left.1).zip(right.0.iter().zip(right.1));
        for ((&symbol, &begin), (&right_symbol, &right_begin)) in pairs {
            if !left_cursor.step(block, symbol, begin, left_ends) {
                break;
            }
            n_read += 1;
            ahead.next();
            if !right_cursor.step(block, right_symbol, right_begin, right_ends) {
                break;
            }
        }
        if !left_cursor.has_bailed {
            left_cursor.read(block, &left.0[n_read..], &left.1[n_read..], left_ends);
        }
        if !left_cursor.has_bailed && !right_cursor.has_bailed {
            right_cursor.read(
                block,
                right.0.get(n_read..).unwrap_or_default(),
                right.1.get(n_read..).unwrap_or_default(),
                right_ends,
            );
        }
        ends.grow(left_cursor.n_ends);
        if !left_cursor.has_bailed {
            let n_ends = right_cursor.n_ends;
            ends.room(n_ends).copy_from_slice(&right_ends[..n_ends]);
            ends.grow(n_ends);
        }
    }

    /// Index of a character near the middle before which a pretoken surely ends.
    fn middle(&self, symbols: &[u8]) -> Option<usize> {
        if symbols.len() < MIN_SPLIT {
            return None;
        }
        let is_cut = |pair: &[u8]| self.cuts.between(pair[0].into(), pair[1].into());
        let half = symbols.len() / 2;
        let before = &symbols[half.saturating_sub(MAX_SEARCH)..=half];
        let after = &symbols[half - 1..symbols.len().min(half + MAX_SEARCH)];
        let ahead = after.windows(2).position(is_cut);
        let back = || before.windows(2).rev().position(is_cut);
        ahead.map(|index| half + index).or_else(|| back().map(|index| half - index))
    }
}
