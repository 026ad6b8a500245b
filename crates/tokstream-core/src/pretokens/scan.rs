//! One pass over the text of a segment: the ends of complete pretokens.

use super::automaton::{Automaton, FLAG, START};
use super::blocks::{BLOCK, BlockScan};
use super::ends::Ends;
use super::growing::Growing;
use super::hypotheses::Hypotheses;
use super::reading::{Reading, STRIDE};

/// Longest stretch without a match end that is read again rather than tracked, in bytes.
const MAX_REREAD: isize = 64;
/// Reading again may cost this many bytes per byte of progress before tracking takes over.
const REREAD_PER_BYTE: usize = 4;
/// Debt of reading again at which tracking takes over.
const MAX_DEBT: usize = 256;
/// How long tracking is kept once reading again has cost too much, in bytes.
const MIN_STAY: u64 = 1024;
/// The same where reading in blocks could begin behind the next end.
const SHORT_STRIDE: usize = 32;
/// Less text than this is not read in blocks, in bytes.
const MIN_BLOCK: usize = 128;
/// A live pretoken longer than this is handed on before it is complete.
const LONG: usize = 4096;
/// The same while hypotheses are tracked: what is emitted of them is merged anew from each of
/// their ends, so there should not be many at a time.
const LONG_TRACKED: u64 = 256;

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
    /// No block is read before this position: one was, and hardly a pretoken ended in it.
    no_block: u64,
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
            no_block: 0,
            tracked: None,
        }
    }

    /// Inside a pretoken that began before position 1, where the next text begins, and whose match
    /// goes on for certain.
    pub(crate) fn inside(state: u16) -> Self {
        Self { state, begin: 0, last: 0, ..Self::at(1) }
    }

    /// The state, if that is all that decides how the text is read on and all of it so far surely
    /// belongs to the live pretoken, or to earlier ones.
    pub(crate) fn state_inside(&self, automaton: &Automaton) -> Option<u16> {
        (self.tracked.is_none() && automaton.covers(self.state)).then_some(self.state)
    }

    /// So many more bytes, not none, belong to the live pretoken, which `automaton` never ends.
    pub(crate) fn skip(&mut self, automaton: &Automaton, n: usize) {
        self.state = automaton.step(self.state, 0) & !FLAG;
        self.position += n as u64;
        self.long += n as u64;
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

    /// Where the pretoken that holds the text behind `emitted` would end if nothing that is live
    /// grew any more. `None`: not before the position up to which text was read, in no future;
    /// either the live match covers it, or nothing behind `emitted` has matched yet, and something
    /// must.
    pub(crate) fn next_end(
        &mut self,
        automaton: &Automaton,
        text: &[u8],
        emitted: u64,
    ) -> Option<u64> {
        if automaton.covers(self.state) {
            return None;
        }
        if self.tracked.is_none() {
            if self.last > emitted {
                return Some(self.last);
            }
            self.track(automaton, text, emitted);
        }
        let tracked = self.tracked.as_mut()?;
        tracked.forget(emitted);
        tracked.next_end(emitted)
    }

    /// States of the matches, begun before `emitted` or there, that may still grow.
    pub(crate) fn growing(&self, automaton: &Automaton, emitted: u64) -> Growing {
        let mut growing = Growing::default();
        match &self.tracked {
            Some(tracked) if !automaton.covers(self.state) => {
                tracked.states(emitted).for_each(|state| growing.add(state));
            }
            _ => growing.add(self.state),
        }
        growing
    }

    /// Text before this position surely belongs to the live pretoken (or to earlier ones).
    #[must_use]
    pub fn certain(&self, automaton: &Automaton) -> u64 {
        if automaton.covers(self.state) { self.position } else { self.last }
    }

    /// May a pretoken begin at `emitted`, or have begun there, other than the live one?
    pub(crate) fn may_begin(&self, automaton: &Automaton, emitted: u64) -> bool {
        self.last <= emitted && !automaton.covers(self.state)
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
    /// (relative to `origin`) to `ends` until it is full. Text before `emitted` is done with.
    ///
    /// Cost: O(bytes read) for every pattern; long lookback is tracked, see `hypotheses`.
    pub fn run(
        &mut self,
        automaton: &Automaton,
        text: &[u8],
        origin: u64,
        emitted: u64,
        ends: &mut Ends,
    ) -> Stop {
        loop {
            // One step of tracking may have made many ends certain.
            if ends.is_full() {
                return Stop::Full;
            }
            let stop = if self.tracked.is_some() {
                self.run_tracked(automaton, text, origin, emitted, ends)
            } else {
                self.run_plain(automaton, text, origin, ends)
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
        ends: &mut Ends,
    ) -> Option<Stop> {
        let n = text.len();
        // Relative to `origin`; `begin`, and `last` in a covering state, may lie before it.
        let relative = |position: u64| position.wrapping_sub(origin).cast_signed() as isize;
        let mut begin = relative(self.begin);
        let mut read = Reading {
            at: (self.position - origin) as usize,
            last: relative(self.last),
            state: self.state as usize,
        };
        let blocks = automaton.block_scan();
        let mut no_block = self.no_block;
        let may_read_block = |at: usize, no_block: u64| {
            blocks.is_some() && n - at >= MIN_BLOCK && origin + at as u64 >= no_block
        };
        if begin >= 0
            && read.at as isize - begin <= SHORT_STRIDE as isize
            && may_read_block(begin as usize, no_block)
        {
            // What was read of the live pretoken is read again, with a block: sooner done than to
            // look for its end.
            read = Reading { at: begin as usize, last: begin, state: START as usize };
        }
        let stop = loop {
            let may_read_soon = may_read_block(read.at, no_block);
            if let Some(blocks) = blocks
                && may_read_soon
                && begin == read.at as isize
            {
                let at = read.at;
                let (last, end) = read_block(blocks, automaton, text, at, ends);
                if last - at < (end - at) / 2 {
                    no_block = origin + end as u64;
                }
                begin = last as isize;
                read = Reading { at: last, last: begin, state: START as usize };
                if ends.is_full() {
                    break Some(Stop::Full);
                }
                continue;
            }
            let n_before = ends.len();
            let stride = if may_read_soon { SHORT_STRIDE } else { STRIDE };
            let died = read.stride(automaton, text, n.min(read.at + stride), ends);
            if ends.len() > n_before {
                let last = ends.as_slice()[ends.len() - 1];
                begin = last as isize;
                if !died && may_read_block(last, no_block) {
                    // What was read behind it is read again, with the block.
                    read = Reading { at: last, last: begin, state: START as usize };
                    continue;
                }
            }
            if died {
                let at = read.at;
                // Only a pattern that is not total dies without a match.
                let end = if read.last > begin { read.last } else { (begin + 1).max(at as isize) };
                let progress = (end - begin) as usize * REREAD_PER_BYTE;
                self.debt = (self.debt + at.saturating_sub(end as usize)).saturating_sub(progress);
                ends.push(end as usize);
                begin = end;
                read = Reading { at: end as usize, last: end, state: START as usize };
            }
            if ends.is_full() {
                break Some(Stop::Full);
            }
            let stretch = read.at as isize - read.last;
            if self.debt > MAX_DEBT
                || (stretch > MAX_REREAD && !automaton.covers(read.state as u16))
            {
                break None;
            }
            if read.at >= n {
                break Some(Stop::End);
            }
            let position = origin + read.at as u64;
            if position >= self.long && read.at as isize - begin >= LONG as isize {
                self.long = position + LONG as u64;
                break Some(Stop::Long);
            }
        };
        self.no_block = no_block;
        let absolute = |position: isize| origin.wrapping_add_signed(position as i64);
        (self.begin, self.last) = (absolute(begin), absolute(read.last));
        (self.position, self.state) = (origin + read.at as u64, read.state as u16);
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
        let mut tracked = Hypotheses::new(self.last, automaton.n_states());
        let mut settled = Vec::new();
        let mut at = (self.last - origin) as usize;
        let end = (self.position - origin) as usize;
        while at < end {
            let (class, width) = automaton.read_class(text, at);
            let position = origin + at as u64;
            let read = |state| automaton.step(state, class);
            tracked.push(position, &read, &mut |end| settled.push(end));
            at += width;
        }
        if self.last > self.begin {
            tracked.put_before(self.begin, self.state, self.last, settled);
        }
        self.tracked = Some(Box::new(tracked));
        self.long = self.long.min(self.position + LONG_TRACKED);
    }

    /// The same as `run_plain` while hypotheses are tracked; `None` when they are few again.
    fn run_tracked(
        &mut self,
        automaton: &Automaton,
        text: &[u8],
        origin: u64,
        emitted: u64,
        ends: &mut Ends,
    ) -> Option<Stop> {
        let mut tracked = self.tracked.take()?;
        let mut at = (self.position - origin) as usize;
        let stop = loop {
            let position = origin + at as u64;
            if position >= self.stay && tracked.is_settled(position, emitted) {
                break None;
            }
            if at >= text.len() {
                break Some(Stop::End);
            }
            if ends.is_full() {
                break Some(Stop::Full);
            }
            if position >= self.long {
                self.long = position + LONG_TRACKED;
                break Some(Stop::Long);
            }
            let (class, width) = automaton.read_class(text, at);
            let read = |state| automaton.step(state, class);
            // Ends inside emitted text were foreseen: whatever ends there, the tokens are out.
            tracked.push(position, &read, &mut |end| {
                if end >= emitted {
                    ends.push((end - origin) as usize);
                }
            });
            at += width;
        };
        self.position = origin + at as u64;
        (self.begin, self.last, self.state) = (tracked.begin(), tracked.last(), tracked.state());
        if stop.is_some() {
            self.tracked = Some(tracked);
        }
        stop
    }

    /// End of input: append remaining ends. False if the list filled up before: take them, then
    /// call again. When done, the scan is at the beginning of a pretoken.
    pub fn finish(
        &mut self,
        automaton: &Automaton,
        text: &[u8],
        origin: u64,
        emitted: u64,
        ends: &mut Ends,
    ) -> bool {
        let n = origin + text.len() as u64;
        if self.position < n && self.run(automaton, text, origin, emitted, ends) != Stop::End {
            return false;
        }
        while self.begin < n {
            if let Some(tracked) = self.tracked.take() {
                tracked.finish(automaton, n, &mut |end| {
                    if end >= emitted {
                        ends.push((end - origin) as usize);
                    }
                });
                break;
            }
            if automaton.read_end(self.state) & FLAG != 0 || self.last <= self.begin {
                self.last = n;
            }
            let end = self.last;
            ends.push((end - origin) as usize);
            *self = Self::at(end);
            if self.run(automaton, text, origin, emitted, ends) != Stop::End {
                return false;
            }
        }
        *self = Self::at(n);
        true
    }
}

/// Append the ends of the pretokens in a block of `text` that begins at `begin`, where a pretoken
/// does; returns the last of them, or `begin`, and the block's end.
fn read_block(
    blocks: &BlockScan,
    automaton: &Automaton,
    text: &[u8],
    begin: usize,
    ends: &mut Ends,
) -> (usize, usize) {
    let mut end = text.len().min(begin + BLOCK);
    while end < text.len() && text[end] & 0xC0 == 0x80 {
        end -= 1;
    }
    let n_before = ends.len();
    blocks.run(automaton, text, begin, end, ends);
    let last = ends.as_slice()[n_before..].last().copied().unwrap_or(begin);
    (last, end)
}
