//! Two readers of the transducer, one for each half of a block, that take their steps in turn.
//!
//! Enters: symbols of characters, and where they begin. Leaves: where pretokens end. Held back:
//! nothing.
//!
//! Each step waits for the one before, so two at a time cost little more than one, if nothing else
//! takes time: all that they read and write lies in one place at distances that are known, so that
//! one address does for it, and what changes stays in registers.

use bytemuck::Zeroable;
use bytemuck::allocation::zeroed_box;

use super::blocks::BLOCK;
use super::inert::Inert;
use super::symbols::{SPARE, Symbols};
use super::transducer::{
    ENDS_AT_REGISTER, ENDS_BEFORE, ENDS_HERE, Entries, KNOWN, SET, Transducer, USUAL,
};
use crate::prefetch::Steps;

/// Characters of a half.
const N_SYMBOLS: usize = BLOCK + SPARE;
/// Room for ends, of which there are a few more than characters at most; a power of two, so that an
/// index is cut to it in one step.
const N_ENDS: usize = 2 * BLOCK;

type Ends = [u16; N_ENDS];

/// What the readers read, and what they found.
#[derive(Clone, Copy, Debug, Zeroable)]
#[repr(C)]
struct Memory {
    symbols: [[u8; N_SYMBOLS]; 2],
    begins: [[u16; N_SYMBOLS]; 2],
    ends: [Ends; 2],
}

/// A block in two parts, left and right.
#[derive(Debug, Default)]
pub(crate) struct Halves {
    /// Made when it is first needed.
    memory: Option<Box<Memory>>,
    /// How many characters there are, and how many ends were found.
    n_symbols: [usize; 2],
    n_ends: [usize; 2],
}

/// A reader, at the beginning of a pretoken.
#[derive(Clone, Copy, Default)]
struct Reader {
    state: usize,
    n_ends: usize,
}

/// What of a reader is needed seldom.
struct Seldom<'a> {
    text: &'a [u8],
    register: u16,
}

impl Reader {
    /// Read one character; `None` if the transducer does not know how.
    #[inline(always)]
    fn step(
        &mut self,
        entries: &Entries,
        seldom: &mut Seldom<'_>,
        symbol: u8,
        begin: u16,
        ends: &mut Ends,
    ) -> Option<()> {
        let actions;
        (self.state, actions) = entries.get(self.state, symbol);
        if actions & USUAL == 0 {
            self.n_ends = seldom.step(actions, begin, self.n_ends, ends)?;
        }
        ends[self.n_ends % N_ENDS] = begin;
        self.n_ends += usize::from(actions & ENDS_HERE);
        Some(())
    }

    /// Read characters up to the end, or to one of which the transducer does not know how.
    fn read(
        &mut self,
        entries: &Entries,
        seldom: &mut Seldom<'_>,
        symbols: &[u8],
        begins: &[u16],
        ends: &mut Ends,
    ) -> Option<()> {
        for (&symbol, &begin) in symbols.iter().zip(begins) {
            self.step(entries, seldom, symbol, begin, ends)?;
        }
        Some(())
    }
}

impl Seldom<'_> {
    /// Do what is not usual; returns how many ends there are then.
    #[cold]
    #[inline(never)]
    fn step(
        &mut self,
        actions: u8,
        begin: u16,
        mut n_ends: usize,
        ends: &mut Ends,
    ) -> Option<usize> {
        if actions & KNOWN == 0 {
            return None;
        }
        let mut before = begin - 1;
        while self.text[usize::from(before)] & 0xC0 == 0x80 {
            before -= 1;
        }
        ends[n_ends % N_ENDS] = self.register;
        n_ends += usize::from(actions & ENDS_AT_REGISTER != 0);
        ends[n_ends % N_ENDS] = before;
        n_ends += usize::from(actions & ENDS_BEFORE != 0);
        if actions & SET != 0 {
            self.register = before;
        }
        Some(n_ends)
    }
}

impl Halves {
    /// Take over the `n` characters of a block that matter, in two parts, if there is a place for it:
    /// a pretoken ends before the character at `middle`, which both have.
    pub(crate) fn take(
        &mut self,
        all: &Symbols,
        inert: Option<&Inert>,
        middle: Option<usize>,
        n: usize,
    ) {
        let Memory { symbols: [left, right], begins: [left_begins, right_begins], .. } =
            &mut **self.memory.get_or_insert_with(zeroed_box);
        self.n_symbols = [
            all.copy(inert, 0..middle.map_or(n, |middle| middle + 1), left, left_begins),
            all.copy(inert, middle.unwrap_or(n)..n, right, right_begins),
        ];
    }

    /// Find where pretokens end in `text`, the block.
    #[inline(never)]
    pub(crate) fn read(&mut self, transducer: &Transducer, text: &[u8]) {
        let Self { memory, n_symbols, n_ends } = self;
        let Memory {
            symbols: [symbols, right_symbols],
            begins: [begins, right_begins],
            ends: [ends, right_ends],
        } = &mut **memory.get_or_insert_with(zeroed_box);
        let [n_left, n_right] = n_symbols.map(|n| n.min(N_SYMBOLS));
        let n_both = n_left.min(n_right);
        let mut ahead = Steps::new(text, n_both);
        let entries = transducer.entries();
        let (mut left, mut right) = (Reader::default(), Reader::default());
        let mut seldom = [0, 0].map(|register| Seldom { text, register });
        let [left_seldom, right_seldom] = &mut seldom;
        let (mut left_ok, mut right_ok) = (Some(()), Some(()));
        let mut n_read = 0;
        for at in 0..n_both {
            left_ok = left.step(entries, left_seldom, symbols[at], begins[at], ends);
            if left_ok.is_none() {
                break;
            }
            n_read = at + 1;
            ahead.next();
            let (symbol, begin) = (right_symbols[at], right_begins[at]);
            right_ok = right.step(entries, right_seldom, symbol, begin, right_ends);
            if right_ok.is_none() {
                break;
            }
        }
        let left_ok = left_ok.and_then(|()| {
            left.read(entries, left_seldom, &symbols[n_read..n_left], &begins[n_read..], ends)
        });
        if left_ok.and(right_ok).is_some() && n_read < n_right {
            let (symbols, begins) = (&right_symbols[n_read..n_right], &right_begins[n_read..]);
            right.read(entries, right_seldom, symbols, begins, right_ends);
        }
        // What lies behind a place that could not be read is read again.
        *n_ends = [left.n_ends, if left_ok.is_some() { right.n_ends } else { 0 }];
    }

    /// Offsets in the block of the ends that were found.
    pub(crate) fn ends(&self) -> [&[u16]; 2] {
        let Some(memory) = &self.memory else { return [&[], &[]] };
        let ([left, right], [n_left, n_right]) = (&memory.ends, self.n_ends);
        [&left[..n_left], &right[..n_right]]
    }
}
