//! Ends of pretokens, a block of text at a time.
//!
//! First the class of each character, then the transducer over the classes. Each of its steps
//! waits for the one before, so two halves of the block are read in turn, split where a pretoken
//! ends whatever came before. What a block leaves undecided is read again.

use super::automaton::Automaton;
use super::ends::Ends;
use super::symbols::{ByteClasses, Symbols};
use super::transducer::{self, Transducer};

/// Longest block, in bytes.
pub(crate) const BLOCK: usize = 8192;
/// Characters that are looked at to find the middle.
const MAX_SEARCH: usize = 512;
/// Blocks of fewer characters are read in one go.
const MIN_SPLIT: usize = 256;

/// Tables of one pattern.
#[derive(Debug)]
pub(crate) struct BlockScan {
    classes: ByteClasses,
    transducer: Transducer,
}

/// Buffers, kept between calls.
#[derive(Debug, Default)]
pub(crate) struct BlockBuffers {
    symbols: Symbols,
    right: Vec<usize>,
}

/// One reader of the transducer.
#[derive(Clone, Copy)]
struct Cursor {
    state: usize,
    register: usize,
    /// Begin of the character read last.
    before: usize,
    n_ends: usize,
    has_bailed: bool,
}

impl Cursor {
    /// At the beginning of a pretoken.
    fn new() -> Self {
        Self { state: 0, register: 0, before: 0, n_ends: 0, has_bailed: false }
    }

    /// Read one character; false if the transducer does not know how.
    #[inline(always)]
    fn step(
        &mut self,
        transducer: &Transducer,
        symbol: u8,
        begin: usize,
        ends: &mut [usize],
    ) -> bool {
        let entry = transducer.entry(self.state, symbol);
        if entry & transducer::SELDOM != 0 && !self.step_seldom(entry, ends) {
            return false;
        }
        ends[self.n_ends] = begin;
        self.n_ends += (entry & transducer::ENDS_HERE != 0) as usize;
        self.register = if entry & transducer::SET != 0 { self.before } else { self.register };
        self.before = begin;
        self.state = transducer::next(entry);
        true
    }

    fn step_seldom(&mut self, entry: u32, ends: &mut [usize]) -> bool {
        if entry & transducer::BAIL != 0 {
            self.has_bailed = true;
            return false;
        }
        ends[self.n_ends] = self.register;
        self.n_ends += (entry & transducer::ENDS_AT_REGISTER != 0) as usize;
        ends[self.n_ends] = self.before;
        self.n_ends += (entry & transducer::ENDS_BEFORE != 0) as usize;
        true
    }

    /// Read on to the end of `symbols`, or until that is not possible.
    fn read(
        &mut self,
        transducer: &Transducer,
        symbols: &[u8],
        begins: &[u32],
        base: usize,
        ends: &mut [usize],
    ) {
        for (&symbol, &begin) in symbols.iter().zip(begins) {
            if !self.step(transducer, symbol, base + begin as usize, ends) {
                return;
            }
        }
    }
}

impl BlockScan {
    /// `None` if the pattern has too many classes.
    pub(crate) fn new(automaton: &Automaton) -> Option<Self> {
        let transducer = Transducer::new(automaton)?;
        Some(Self { classes: ByteClasses::new(automaton), transducer })
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
        self.run_with(&mut buffers, automaton, text, begin, end, ends);
        ends.blocks = buffers;
    }

    #[inline(never)]
    fn run_with(
        &self,
        buffers: &mut BlockBuffers,
        automaton: &Automaton,
        text: &[u8],
        begin: usize,
        end: usize,
        ends: &mut Ends,
    ) {
        buffers.symbols.read(automaton, &self.classes, text, begin, end);
        let (symbols, begins) = buffers.symbols.as_slices();
        let transducer = &self.transducer;
        // A character ends at most three pretokens, and none twice.
        let room = ends.room(symbols.len() + 4);
        let mut left = Cursor::new();
        let Some(middle) = self.middle(symbols) else {
            left.read(transducer, symbols, begins, begin, room);
            return ends.grow(left.n_ends);
        };
        buffers.right.resize(BLOCK + 4, 0);
        let mut right = Cursor::new();
        let (left_symbols, right_symbols) = (&symbols[..=middle], &symbols[middle..]);
        let (left_begins, right_begins) = (&begins[..=middle], &begins[middle..]);
        let mut n = 0;
        let pairs = left_symbols.iter().zip(left_begins).zip(right_symbols.iter().zip(right_begins));
        for ((&symbol, &at), (&right_symbol, &right_at)) in pairs {
            if !left.step(transducer, symbol, begin + at as usize, room)
                || !right.step(
                    transducer,
                    right_symbol,
                    begin + right_at as usize,
                    &mut buffers.right,
                )
            {
                break;
            }
            n += 1;
        }
        if !left.has_bailed && !right.has_bailed {
            left.read(transducer, &left_symbols[n..], &left_begins[n..], begin, room);
            right.read(
                transducer,
                &right_symbols[n..],
                &right_begins[n..],
                begin,
                &mut buffers.right,
            );
        } else if right.has_bailed {
            left.read(transducer, &left_symbols[n + 1..], &left_begins[n + 1..], begin, room);
        }
        ends.grow(left.n_ends);
        if !left.has_bailed {
            ends.room(right.n_ends).copy_from_slice(&buffers.right[..right.n_ends]);
            ends.grow(right.n_ends);
        }
    }

    /// Index of a character near the middle before which a pretoken surely ends.
    fn middle(&self, symbols: &[u8]) -> Option<usize> {
        if symbols.len() < MIN_SPLIT {
            return None;
        }
        let half = symbols.len() / 2;
        let first = half.saturating_sub(MAX_SEARCH / 2);
        let near = &symbols[first..half + MAX_SEARCH.min(half) / 2];
        let is_cut = |pair: &[u8]| self.transducer.cuts(pair[0], pair[1]);
        near.windows(2).position(is_cut).map(|index| first + index + 1)
    }
}
