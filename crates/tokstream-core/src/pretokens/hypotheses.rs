//! Where the cuts would be if the live pretoken ended at its last match: the paper's `cutQ`.
//!
//! Used only behind a long stretch in which the live match may still grow but has not (`\s*[\n]`
//! on a line break and a million blanks). Instead of reading the stretch again once the match is
//! known to have ended, every pretoken that would begin in it is followed at once. Two runs in the
//! same state behave alike ever after, so only the earlier one is kept: at most one run per state,
//! O(states) per character, whatever the pattern's lookback.

use super::automaton::{Automaton, DEAD, FLAG, START};

/// Reading this many bytes again is cheaper than tracking them.
const MAX_REREAD: u64 = 16;

#[derive(Clone, Debug)]
struct Run {
    begin: u64,
    state: u16,
}

/// Runs that are alive, and the ends of the pretokens that would lie between them.
#[derive(Clone, Debug)]
pub(crate) struct Hypotheses {
    /// Ordered by `begin`; the first is the live pretoken. Never empty.
    runs: Vec<Run>,
    /// Ends of hypothetical pretokens, increasing; the first belongs to the live one.
    ends: Vec<u64>,
    /// The last of the ends that were forgotten; they lie before it.
    forgotten: u64,
    /// By state: the number of the step in which a run reached it last.
    reached: Vec<u32>,
    step: u32,
}

impl Hypotheses {
    /// One run that begins at `begin`; text is to be pushed from there.
    pub(crate) fn new(begin: u64, n_states: usize) -> Self {
        Self {
            runs: vec![Run { begin, state: START }],
            ends: Vec::new(),
            forgotten: 0,
            reached: vec![0; n_states],
            step: 0,
        }
    }

    /// The live pretoken's automaton state.
    pub(crate) fn state(&self) -> u16 {
        self.runs[0].state
    }

    /// Begin of the live pretoken.
    pub(crate) fn begin(&self) -> u64 {
        self.runs[0].begin
    }

    /// Last match end of the live pretoken, or its begin; if that was forgotten, another that was.
    pub(crate) fn last(&self) -> u64 {
        let begin = self.runs[0].begin;
        if self.forgotten > begin {
            return self.forgotten;
        }
        self.ends.first().copied().unwrap_or(begin)
    }

    /// Can the rest be found again by reading a few bytes behind the last match? Text before
    /// `emitted` is gone.
    pub(crate) fn is_settled(&self, position: u64, emitted: u64) -> bool {
        let last = self.last();
        self.ends.len() <= 1 && last >= emitted && position - last <= MAX_REREAD
    }

    /// First hypothetical end behind `position`.
    pub(crate) fn next_end(&self, position: u64) -> Option<u64> {
        self.ends.get(self.ends.partition_point(|&end| end <= position)).copied()
    }

    /// States of the runs that begin at `position` or before: what holds them may still grow.
    pub(crate) fn states(&self, position: u64) -> impl Iterator<Item = u16> + '_ {
        self.runs.iter().take_while(move |run| run.begin <= position).map(|run| run.state)
    }

    /// Ends before `emitted` will not be asked about any more.
    pub(crate) fn forget(&mut self, emitted: u64) {
        let n_gone = self.ends.partition_point(|&end| end < emitted);
        self.forgotten = self.ends.drain(..n_gone).next_back().unwrap_or(self.forgotten);
    }

    /// Put a live pretoken before everything: it began at `begin` and last matched at `last`,
    /// where the tracked text begins; `settled` are ends that only it can still void.
    pub(crate) fn put_before(&mut self, begin: u64, state: u16, last: u64, settled: Vec<u64>) {
        self.runs.retain(|run| run.state != state);
        self.runs.insert(0, Run { begin, state });
        let later = std::mem::take(&mut self.ends);
        self.ends.push(last);
        self.ends.extend(settled);
        self.ends.extend(later);
    }

    /// Read the character at position `at`, whose entry in each state `read` gives.
    ///
    /// Gives the ends of pretokens that became certain to `cut`.
    pub(crate) fn push(&mut self, at: u64, read: &dyn Fn(u16) -> u16, cut: &mut dyn FnMut(u64)) {
        self.step = self.step.wrapping_add(1);
        if self.step == 0 {
            self.reached.fill(0);
            self.step = 1;
        }
        let mut kept = 0;
        for index in 0..self.runs.len() {
            let Run { begin, state } = self.runs[index];
            let entry = read(state);
            let next = entry & !FLAG;
            let matched = entry & FLAG != 0 && at > begin;
            if next != DEAD && self.is_new(next) {
                self.runs[kept] = Run { begin, state: next };
                kept += 1;
            }
            if matched {
                // Everything that would have begun inside this longer match is void.
                self.runs.truncate(kept);
                while self.ends.last().is_some_and(|&end| end > begin) {
                    self.ends.pop();
                }
                self.forgotten = self.forgotten.min(begin);
                self.begin_at(at, read);
                return self.settle(cut);
            }
        }
        self.runs.truncate(kept);
        if self.runs.is_empty() {
            // Only a pattern that is not total comes here: cut before the character.
            self.begin_at(at, read);
        }
        self.settle(cut);
    }

    /// End of input at position `at`: every remaining end is certain.
    pub(crate) fn finish(mut self, automaton: &Automaton, at: u64, cut: &mut dyn FnMut(u64)) {
        let matched = self.runs.iter().find(|run| automaton.read_end(run.state) & FLAG != 0);
        if let Some(begin) = matched.map(|run| run.begin) {
            self.ends.retain(|&end| end <= begin);
        }
        if self.ends.last() != Some(&at) {
            self.ends.push(at);
        }
        self.ends.into_iter().for_each(cut);
    }

    /// Is this the first run to reach `state` in this step?
    fn is_new(&mut self, state: u16) -> bool {
        std::mem::replace(&mut self.reached[state as usize], self.step) != self.step
    }

    fn begin_at(&mut self, at: u64, read: &dyn Fn(u16) -> u16) {
        self.ends.push(at);
        let state = read(START) & !FLAG;
        if self.is_new(state) {
            self.runs.push(Run { begin: at, state });
        }
    }

    /// Ends at or before the first live run are final.
    fn settle(&mut self, cut: &mut dyn FnMut(u64)) {
        let begin = self.runs[0].begin;
        let n_final = self.ends.partition_point(|&end| end <= begin);
        self.ends.drain(..n_final).for_each(cut);
    }
}
