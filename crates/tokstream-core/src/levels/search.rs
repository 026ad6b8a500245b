//! Text → the matches of a pattern, and the gaps between them.
//!
//! In: the text of one piece, as it grows, and an automaton that need not match everywhere. Out: in
//! text order, how far the text surely is a gap or a match, and where matches end. Held back: what
//! the text is from the first place on where a match may begin but need not.
//!
//! A search that goes back to try again costs quadratic time on some pattern. Here every place
//! where a match might begin is followed at once, as one *run* of the automaton. Two runs in the
//! same state behave alike ever after, so only the earlier is kept: at most one run per state, and
//! where a match is certain only that one, whatever the pattern's lookback.

use std::collections::VecDeque;

use crate::pretokens::Automaton;
use crate::pretokens::{DEAD, FLAG, START};

/// What a piece of text is, up to a position counted from the piece's begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Text before the position, as far as not told before, lies between matches.
    Gap(u64),
    /// It belongs to one match, which may go on.
    Match(u64),
    /// The match that was told ends where it was told to.
    MatchEnd,
    /// Text from the position told last up to this one lies in one gap or in one match that begins
    /// there; which of the two will be told.
    Either(u64),
}

/// A match that may begin at `begin`.
#[derive(Clone, Copy, Debug)]
struct Run {
    begin: u64,
    /// Where it ends if it grows no more; `begin`, which no match has as end, for nowhere.
    last: u64,
    state: u16,
}

impl Run {
    fn has_matched(self) -> bool {
        self.last > self.begin
    }
}

/// State of the search in one piece; positions count bytes from its begin.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// Matches that may still grow, by begin.
    runs: Vec<Run>,
    /// Matches (begin, end) that grow no more, by begin: they count unless an earlier run matches
    /// beyond their begin. None lies before the first run.
    settled: VecDeque<(u64, u64)>,
    /// By state: the number of the step in which a run reached it last.
    reached: Vec<u32>,
    step: u32,
    position: u64,
    told: u64,
    in_match: bool,
}

impl Search {
    /// Position up to which text has been read.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Read on: all of `text`, whole characters that begin at the position reached.
    ///
    /// Cost: O(bytes of text) for every pattern, times the number of runs, mostly 1 or 2.
    pub fn push(&mut self, automaton: &Automaton, text: &[u8], sink: &mut impl FnMut(Found)) {
        let origin = self.position;
        let mut at = 0;
        while at < text.len() {
            let (class, width) = automaton.read_class(text, at);
            self.read(automaton, class, origin + at as u64, sink);
            at += width;
        }
        self.position = origin + at as u64;
        self.tell_certain(automaton, sink);
    }

    /// End of the piece; the search is at the begin of the next one.
    pub fn finish(&mut self, automaton: &Automaton, sink: &mut impl FnMut(Found)) {
        for run in std::mem::take(&mut self.runs) {
            if automaton.read_end(run.state) & FLAG != 0 {
                self.void_behind(run.begin);
                self.settle(Run { last: self.position, ..run });
                break;
            }
            self.settle(run);
        }
        self.tell_settled(sink);
        if self.told < self.position {
            sink(Found::Gap(self.position));
        }
        (self.position, self.told) = (0, 0);
    }

    /// Read one character of class `class` at position `at`.
    #[inline(always)]
    fn read(&mut self, automaton: &Automaton, class: usize, at: u64, sink: &mut impl FnMut(Found)) {
        if let [run] = self.runs.as_mut_slice() {
            // One match that is certain: nothing else can begin.
            let entry = automaton.step(run.state, class);
            let next = entry & !FLAG;
            if automaton.covers(next) && self.settled.is_empty() {
                run.state = next;
                run.last = if entry & FLAG != 0 { at } else { run.last };
                return;
            }
            self.read_all(automaton, class, at);
            self.tell_settled(sink);
        } else if self.runs.is_empty() {
            self.begin(automaton, class, at);
        } else {
            self.read_all(automaton, class, at);
            self.tell_settled(sink);
        }
    }

    #[inline(always)]
    fn begin(&mut self, automaton: &Automaton, class: usize, at: u64) {
        let state = automaton.step(START, class) & !FLAG;
        if state != DEAD {
            self.runs.push(Run { begin: at, last: at, state });
        }
    }

    fn read_all(&mut self, automaton: &Automaton, class: usize, at: u64) {
        self.begin_step(automaton);
        let mut kept = 0;
        let mut is_certain = false;
        for index in 0..self.runs.len() {
            let mut run = self.runs[index];
            let entry = automaton.step(run.state, class);
            let is_match = entry & FLAG != 0;
            run.state = entry & !FLAG;
            if is_match {
                run.last = at;
                self.void_behind(run.begin);
            }
            if run.state != DEAD && self.is_new(run.state) {
                self.runs[kept] = run;
                kept += 1;
                is_certain = automaton.covers(run.state);
                if is_certain {
                    self.void_behind(run.begin);
                }
            } else {
                self.settle(run);
            }
            if is_match || is_certain {
                // What begins inside a longer match is void.
                break;
            }
        }
        self.runs.truncate(kept);
        if !is_certain {
            let state = automaton.step(START, class) & !FLAG;
            if state != DEAD && self.is_new(state) {
                self.runs.push(Run { begin: at, last: at, state });
            }
        }
    }

    fn begin_step(&mut self, automaton: &Automaton) {
        self.step = self.step.wrapping_add(1);
        if self.step == 0 || self.reached.is_empty() {
            self.reached = vec![0; automaton.n_states()];
            self.step = 1;
        }
    }

    /// Is this the first run to reach `state` in this step?
    fn is_new(&mut self, state: u16) -> bool {
        let reached = &mut self.reached[state as usize];
        std::mem::replace(reached, self.step) != self.step
    }

    /// A match that begins at `begin` ends at the current position or behind it.
    fn void_behind(&mut self, begin: u64) {
        while self.settled.back().is_some_and(|&(other, _)| other > begin) {
            self.settled.pop_back();
        }
    }

    /// `run` is over: keep its match, if it has one.
    fn settle(&mut self, run: Run) {
        if run.has_matched() {
            let index = self.settled.partition_point(|&(begin, _)| begin < run.begin);
            self.settled.insert(index, (run.begin, run.last));
        }
    }

    /// Tell the matches before the first run: nothing can void them.
    fn tell_settled(&mut self, sink: &mut impl FnMut(Found)) {
        let first = self.runs.first().map_or(u64::MAX, |run| run.begin);
        while let Some(&(begin, end)) = self.settled.front()
            && begin < first
        {
            self.settled.pop_front();
            self.tell_match(begin, end, sink);
            self.in_match = false;
            sink(Found::MatchEnd);
        }
    }

    fn tell_match(&mut self, begin: u64, end: u64, sink: &mut impl FnMut(Found)) {
        if !self.in_match {
            self.tell_gap(begin, sink);
            self.in_match = true;
        }
        if self.told < end {
            self.told = end;
            sink(Found::Match(end));
        }
    }

    fn tell_gap(&mut self, end: u64, sink: &mut impl FnMut(Found)) {
        if self.told < end {
            self.told = end;
            sink(Found::Gap(end));
        }
    }

    /// Tell what no continuation can change.
    fn tell_certain(&mut self, automaton: &Automaton, sink: &mut impl FnMut(Found)) {
        let Some(&run) = self.runs.first() else {
            return self.tell_gap(self.position, sink);
        };
        if automaton.covers(run.state) {
            self.tell_match(run.begin, self.position, sink);
        } else if run.has_matched() {
            self.tell_match(run.begin, run.last, sink);
        } else {
            self.tell_gap(run.begin, sink);
            // If this match fails, the gap ends at the next one at the earliest.
            let next = self.runs.get(1).map_or(self.position, |next| next.begin);
            sink(Found::Either(self.settled.front().map_or(next, |&(begin, _)| next.min(begin))));
        }
        if automaton.ends(run.state) {
            self.runs.clear();
            self.in_match = false;
            sink(Found::MatchEnd);
        }
    }
}
