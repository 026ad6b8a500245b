//! Ends of pretokens, a block of text at a time.
//!
//! First the class of each character, then the transducer over those that matter, in two halves,
//! split where a pretoken ends whatever came before. What a block leaves undecided is read again.

use super::automaton::Automaton;
use super::certain::CertainCuts;
use super::ends::Ends;
use super::halves::Halves;
use super::inert::Inert;
use super::symbols::{ByteClasses, Symbols};
use super::transducer::Transducer;
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
    pub(crate) halves: Halves,
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
        let BlockBuffers { all, halves } = &mut ends.blocks;
        all.read(self.path, automaton, &self.classes, text, begin..end);
        let n = all.as_slices().0.len();
        let middle = self.middle(all.as_slices().0);
        halves.take(all, self.inert.as_ref(), middle, n);
        halves.read(&self.transducer, &text[begin..end]);
        ends.take_block(begin);
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
