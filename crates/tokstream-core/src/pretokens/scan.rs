//! One pass over the text of a segment: the ends of complete pretokens.

use super::automaton::{Automaton, DEAD, FLAG, START};
use super::hypotheses::Hypotheses;

/// Longest stretch without a match end that is read again rather than tracked, in bytes.
const MAX_REREAD: isize = 64;
/// Reading again may cost this many bytes per byte of progress before tracking takes over.
const REREAD_PER_BYTE: usize = 4;
/// Debt of reading again at which tracking takes over.
const MAX_DEBT: usize = 256;
/// How long tracking is kept once reading again has cost too much, in bytes.
const MIN_STAY: u64 = 1024;
/// How far the inner loop runs before it looks at lengths.
const STRIDE: usize = 256;
/// A live pretoken longer than this is handed on before it is complete.
const LONG: usize = 4096;

/// Why a scan returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All text was read.
    End,
    /// The list of ends is full.
    Full,
    /// The live pretoken is long: hand on what is certain of it, then go on.
    Long,
}

/// State of the live pretoken; positions count bytes from the segment's first.
#[derive(Clone, Debug)]
pub struct Scan {
    state: u16,
    begin: u64,
    /// Last match end of the live pretoken, `begin` if there is none.
    last: u64,
    /// Text before this position has been read.
    position: u64,
    /// Position at which the next `Stop::Long` is due.
    long: u64,
    debt: usize,
    /// Tracking goes on at least up to this position.
    stay: u64,
    tracked: Option<Box<Hypotheses>>,
}

impl Default for Scan {
    fn default() -> Self {
        Self::at(0)
    }
}

impl Scan {
    /// At the beginning of a pretoken.
    #[must_use]
    pub fn at(position: u64) -> Self {
        Self {
            state: START,
            begin: position,
            last: position,
            position,
            long: position + LONG as u64,
            debt: 0,
            stay: 0,
            tracked: None,
        }
    }

    /// Begin of the live pretoken.
    #[must_use]
    pub fn begin(&self) -> u64 {
        self.begin
    }

    /// Position up to which text has been read.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Text before this position surely belongs to the live pretoken (or to earlier ones).
    #[must_use]
    pub fn certain(&self, automaton: &Automaton) -> u64 {
        if automaton.covers(self.state) { self.position } else { self.last }
    }

    /// Does the live pretoken end here, whatever follows?
    #[must_use]
    pub fn ends_here(&self, automaton: &Automaton) -> bool {
        self.position > self.begin && automaton.ends(self.state)
    }

    /// Begin a new pretoken here; only right behind `ends_here`.
    pub fn cut_here(&mut self) {
        *self = Self::at(self.position);
    }

    /// Read on in `text`, whose first byte has position `origin`; append ends of pretokens
    /// (relative to `origin`) to `ends` until it holds `max_ends`.
    ///
    /// Cost: O(bytes read) for every pattern; long lookback is tracked, see `hypotheses`.
    pub fn run(
        &mut self,
        automaton: &Automaton,
        text: &[u8],
        origin: u64,
        ends: &mut Vec<usize>,
        max_ends: usize,
    ) -> Stop {
        loop {
            let stop = if self.tracked.is_some() {
                self.run_tracked(automaton, text, origin, ends, max_ends)
            } else {
                self.run_plain(automaton, text, origin, ends, max_ends)
            };
            if let Some(stop) = stop {
                return stop;
            }
        }
    }

    /// Read until the automaton dies, begin again behind the last match; `None` when tracking is due.
    fn run_plain(
        &mut self,
        automaton: &Automaton,
        text: &[u8],
        origin: u64,
        ends: &mut Vec<usize>,
        max_ends: usize,
    ) -> Option<Stop> {
        let n = text.len();
        // Relative to `origin`; `begin`, and `last` in a covering state, may lie before it.
        let relative = |position: u64| position.wrapping_sub(origin).cast_signed() as isize;
        let (mut begin, mut last) = (relative(self.begin), relative(self.last));
        let (mut at, mut state) = ((self.position - origin) as usize, self.state);
        let mut pause = n.min(at + STRIDE);
        let stop = loop {
            while at < pause {
                let (entry, width) = automaton.read(state, text, at);
                if entry & FLAG != 0 {
                    last = at as isize;
                }
                let next = entry & !FLAG;
                if next != DEAD {
                    state = next;
                    at += width;
                    continue;
                }
                // Only a pattern that is not total dies without a match.
                let end = if last > begin { last as usize } else { at.max((begin + 1) as usize) };
                let progress = (end as isize - begin) as usize;
                let reread = at.saturating_sub(end);
                (begin, last) = (end as isize, end as isize);
                ends.push(end);
                if reread == 0 {
                    state = automaton.read(START, text, at).0 & !FLAG;
                    at += width;
                } else {
                    (state, at) = (START, end);
                    self.debt = (self.debt + reread).saturating_sub(progress * REREAD_PER_BYTE);
                }
                if ends.len() >= max_ends || self.debt > MAX_DEBT {
                    break;
                }
                pause = n.min(at + STRIDE);
            }
            if ends.len() >= max_ends {
                break Some(Stop::Full);
            }
            let stretch = at as isize - last;
            if self.debt > MAX_DEBT || (stretch > MAX_REREAD && !automaton.covers(state)) {
                break None;
            }
            if at >= n {
                break Some(Stop::End);
            }
            if origin + at as u64 >= self.long && at as isize - begin >= LONG as isize {
                self.long = origin + at as u64 + LONG as u64;
                break Some(Stop::Long);
            }
            pause = n.min(at + STRIDE);
        };
        let absolute = |position: isize| origin.wrapping_add_signed(position as i64);
        (self.begin, self.last) = (absolute(begin), absolute(last));
        (self.position, self.state) = (origin + at as u64, state);
        if stop.is_none() {
            if self.debt > MAX_DEBT {
                self.stay = self.position + MIN_STAY;
                self.debt = 0;
            }
            self.track(automaton, text, origin);
        }
        stop
    }

    /// Follow, from the last match on, what would be cut if the live pretoken ended there.
    fn track(&mut self, automaton: &Automaton, text: &[u8], origin: u64) {
        let mut tracked = Hypotheses::new(self.last);
        let mut settled = Vec::new();
        let mut at = (self.last - origin) as usize;
        let end = (self.position - origin) as usize;
        while at < end {
            let width = automaton.read(START, text, at).1;
            let position = origin + at as u64;
            let read = |state| automaton.read(state, text, at).0;
            tracked.push(position, &read, &mut |end| settled.push(end));
            at += width;
        }
        if self.last > self.begin {
            tracked.put_before(self.begin, self.state, self.last, settled);
        }
        self.tracked = Some(Box::new(tracked));
    }

    /// The same as `run_plain` while hypotheses are tracked; `None` when they are few again.
    fn run_tracked(
        &mut self,
        automaton: &Automaton,
        text: &[u8],
        origin: u64,
        ends: &mut Vec<usize>,
        max_ends: usize,
    ) -> Option<Stop> {
        let mut tracked = self.tracked.take()?;
        let mut at = (self.position - origin) as usize;
        let stop = loop {
            if origin + at as u64 >= self.stay && tracked.is_settled(origin + at as u64) {
                break None;
            }
            if at >= text.len() {
                break Some(Stop::End);
            }
            if ends.len() >= max_ends {
                break Some(Stop::Full);
            }
            if origin + at as u64 >= self.long {
                self.long = origin + at as u64 + LONG as u64;
                break Some(Stop::Long);
            }
            let width = automaton.read(START, text, at).1;
            let position = origin + at as u64;
            let read = |state| automaton.read(state, text, at).0;
            tracked.push(position, &read, &mut |end| ends.push((end - origin) as usize));
            at += width;
        };
        self.position = origin + at as u64;
        (self.begin, self.last, self.state) = (tracked.begin(), tracked.last(), tracked.state());
        if stop.is_some() {
            self.tracked = Some(tracked);
        }
        stop
    }

    /// End of input: append the remaining ends. The scan is at the beginning of a pretoken then.
    pub fn finish(
        &mut self,
        automaton: &Automaton,
        text: &[u8],
        origin: u64,
        ends: &mut Vec<usize>,
    ) {
        let n = origin + text.len() as u64;
        while self.begin < n {
            if let Some(tracked) = self.tracked.take() {
                tracked.finish(automaton, n, &mut |end| ends.push((end - origin) as usize));
                break;
            }
            if automaton.read_end(self.state) & FLAG != 0 || self.last <= self.begin {
                self.last = n;
            }
            let end = self.last;
            ends.push((end - origin) as usize);
            *self = Self::at(end);
            while self.run(automaton, text, origin, ends, usize::MAX) != Stop::End {}
        }
        *self = Self::at(n);
    }
}

