//! Split at the matches of a pattern: which matches and gaps make one piece.
//!
//! In: text. Out: pieces. Held back: text of which `search` cannot say yet what it is, unless it is
//! part of the same piece in any case.

use std::sync::Arc;

use super::Sink;
use super::held::Held;
use super::search::{Found, Search};
use crate::pretokens::Automaton;

/// What becomes of a match; gaps are kept in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// Matches are dropped.
    Removed,
    /// Each match is a piece.
    Isolated,
    /// A match joins the gap before it.
    MergedWithPrevious,
    /// A match joins the gap behind it.
    MergedWithNext,
    /// Adjacent matches are one piece.
    Contiguous,
}

/// A split: how to cut.
#[derive(Clone, Debug)]
pub struct Split {
    /// Finds the matches; it need not match everywhere.
    pub automaton: Arc<Automaton>,
    /// What becomes of the matches.
    pub behaviour: Behaviour,
    /// Matches and gaps change places.
    pub invert: bool,
}

impl Split {
    /// Are two neighbours one piece? Each is given as "it counts as a match".
    fn joins(&self, before: bool, behind: bool) -> bool {
        match self.behaviour {
            Behaviour::Removed | Behaviour::Isolated => false,
            Behaviour::MergedWithPrevious => !before && behind,
            Behaviour::MergedWithNext => before && !behind,
            Behaviour::Contiguous => before == behind,
        }
    }
}

/// State of a split in one piece.
#[derive(Clone, Debug, Default)]
pub(crate) struct SplitState {
    held: Held,
    search: Search,
    pieces: Pieces,
}

/// The match or gap that was told last, and the piece it went to.
#[derive(Clone, Debug, Default)]
struct Pieces {
    given: u64,
    /// Counts it as a match? `None` before the first one.
    last: Option<bool>,
    /// More of it may come.
    goes_on: bool,
    is_open: bool,
    /// The piece of the next match or gap is open already.
    is_early: bool,
}

impl Pieces {
    fn take(&mut self, split: &Split, found: Found, held: &mut Held, sink: &mut impl Sink) {
        let (position, is_match) = match found {
            Found::Gap(position) => (position, split.invert),
            Found::Match(position) => (position, !split.invert),
            Found::MatchEnd => {
                self.goes_on = false;
                // Only what the next one may join stays open.
                let last = !split.invert;
                if !split.joins(last, true) && !split.joins(last, false) {
                    self.close(sink);
                }
                return;
            }
            Found::Either(position) => return self.take_early(split, position, held, sink),
        };
        if !(self.goes_on && self.last == Some(is_match)) {
            let joins = self.last.is_some_and(|last| split.joins(last, is_match));
            if !joins && !self.is_early {
                self.close(sink);
            }
            self.is_early = false;
            (self.last, self.goes_on) = (Some(is_match), true);
        }
        let is_dropped = is_match && split.behaviour == Behaviour::Removed;
        self.is_open |= !is_dropped;
        self.give(position, is_dropped, held, sink);
    }

    /// Give text up to `position` if it makes no difference whether it is a match or a gap.
    fn take_early(&mut self, split: &Split, position: u64, held: &mut Held, sink: &mut impl Sink) {
        if split.behaviour == Behaviour::Removed || position <= self.given {
            return;
        }
        let joins = |is_match| self.last.is_some_and(|last| split.joins(last, is_match));
        let is_gap_open = self.goes_on && self.last == Some(split.invert);
        let (as_gap, as_match) = (is_gap_open || joins(split.invert), joins(!split.invert));
        if as_gap != as_match && !self.is_early {
            return;
        }
        if !as_gap && !self.is_early {
            self.close(sink);
            self.is_early = true;
        }
        self.is_open = true;
        self.give(position, false, held, sink);
    }

    fn give(&mut self, position: u64, is_dropped: bool, held: &mut Held, sink: &mut impl Sink) {
        held.take(position.saturating_sub(self.given) as usize, is_dropped, sink);
        self.given = self.given.max(position);
    }

    fn close(&mut self, sink: &mut impl Sink) {
        if std::mem::take(&mut self.is_open) {
            sink.end();
        }
    }
}

impl SplitState {
    pub(crate) fn n_held(&self) -> usize {
        self.held.n_source()
    }

    pub(crate) fn push(
        &mut self,
        split: &Split,
        text: &[u8],
        n_source: usize,
        sink: &mut impl Sink,
    ) {
        let Self { held, search, pieces } = self;
        held.push(text, n_source);
        if held.has_no_text() {
            // Source that was dropped between pieces: there may be no other piece.
            return held.take_rest(sink);
        }
        search.push(&split.automaton, text, &mut |found| pieces.take(split, found, held, sink));
        held.trim();
    }

    pub(crate) fn finish(&mut self, split: &Split, sink: &mut impl Sink) {
        let Self { held, search, pieces } = self;
        search.finish(&split.automaton, &mut |found| pieces.take(split, found, held, sink));
        pieces.close(sink);
        held.take_rest(sink);
        *pieces = Pieces::default();
    }
}
