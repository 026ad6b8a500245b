//! The text of a segment through one pattern: complete pretokens at once, the live one as it grows.
//!
//! In: text of one segment. Out: ids that are final. Held back: from the last emitted boundary on.

mod cut;
mod parted;

use crate::core::Core;
use crate::pretokens::{Growing, Scan, Stop};
use crate::scratch::Scratch;
use crate::tokens::{Across, Live, MAX_KEPT_BYTES, Pretokens, give_back};

use super::credit::Credit;
use parted::Single;

/// Least text joined to pending text at a time, in bytes.
const MIN_JOIN: usize = 64;
/// Text of up to this many bytes is joined to pending text as a whole.
const WHOLE_JOIN: usize = 4096;
/// Bytes for which room is kept between feeds; less would have to grow anew with each ordinary chunk.
const MAX_KEPT: usize = 4096;

/// What is emitted while the live match may still grow past its last end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delay {
    /// What is common to both futures; the delay does not depend on the pattern's lookback.
    #[default]
    Optimal,
    /// Only what is certain to be in the live pretoken: each stage waits for the one before.
    Composition,
}

/// The text of the current segment that is not emitted yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    /// Bytes from the last emitted boundary on.
    pending: Vec<u8>,
    /// Position of `pending`'s first byte.
    origin: u64,
    scan: Scan,
    live: Live,
    /// Some tokens of the live pretoken are emitted already.
    is_partial: bool,
    pub(super) delay: Delay,
    credit: Credit,
    /// Positions of the ends of pretokens, if they are asked for.
    pub(super) cuts: Option<Vec<u64>>,
}

impl Run {
    /// A new run that emits as this one does.
    pub(super) fn anew(&self) -> Self {
        Self { delay: self.delay, ..Self::default() }
    }

    /// Bytes of text that no emitted id covers.
    pub(super) fn n_pending(&self) -> usize {
        self.pending.len()
    }

    /// Bytes of text taken since the run began.
    pub(super) fn n_taken(&self) -> u64 {
        self.origin + self.pending.len() as u64
    }

    /// Bytes of text that may belong to the live pretoken or to the next one.
    pub(super) fn n_undecided(&self, core: &Core) -> usize {
        if self.scan.ends_here(&core.automaton) {
            return 0;
        }
        let certain = self.scan.certain(&core.automaton).max(self.origin);
        (self.scan.position() - certain) as usize
    }

    /// Take more text; complete pretokens are encoded at once, and complete parts of a single one.
    pub(super) fn feed(
        &mut self,
        core: &Core,
        scratch: &mut Scratch,
        text: &[u8],
        out: &mut Vec<u32>,
    ) {
        match core.links() {
            Some(links) => {
                super::parted::take(links, text, &mut Single { run: self, core, scratch, out });
            }
            None => self.grow(core, scratch, text, out),
        }
    }

    fn grow(&mut self, core: &Core, scratch: &mut Scratch, mut text: &[u8], out: &mut Vec<u32>) {
        self.credit.earn(text.len());
        if !self.pending.is_empty() {
            // Join just enough to get past the pending text, then go on in place.
            let mut taken = 0;
            loop {
                let least = if text.len() <= WHOLE_JOIN {
                    text.len()
                } else {
                    MIN_JOIN.max(self.pending.len())
                };
                let mut end = text.len().min(taken + least);
                while end < text.len() && text[end] & 0xC0 == 0x80 {
                    end += 1;
                }
                let mut joint = std::mem::take(&mut self.pending);
                joint.extend_from_slice(&text[taken..end]);
                taken = end;
                let done = self.advance(core, scratch, &joint, out);
                joint.drain(..done);
                if joint.len() <= taken {
                    text = &text[taken - joint.len()..];
                    joint.clear();
                    self.pending = joint;
                    break;
                }
                self.pending = joint;
                if taken == text.len() {
                    return;
                }
            }
        }
        let done = self.advance(core, scratch, text, out);
        self.pending.extend_from_slice(&text[done..]);
    }

    /// Read `text`, which begins at `origin`; returns how many bytes of it are done with.
    fn advance(
        &mut self,
        core: &Core,
        scratch: &mut Scratch,
        text: &[u8],
        out: &mut Vec<u32>,
    ) -> usize {
        let mut done = 0;
        loop {
            scratch.ends.clear();
            let emitted = self.origin + done as u64;
            let Scratch { ends, window, .. } = scratch;
            let stop = self.scan.run(&core.automaton, text, self.origin, emitted, ends);
            if let (Stop::End, Some(&end)) = (stop, ends.as_slice().last()) {
                // What will be asked at the end of a feed comes near while ids are looked up.
                let growing = self.scan.growing(&core.automaton, self.origin + end as u64);
                window.prefetch(&text[end..], growing);
            }
            self.close_pieces(core, scratch, text, &mut done, out);
            match stop {
                Stop::Full => {}
                Stop::Long => done += self.emit_stable(core, scratch, text, done, out),
                Stop::End => break,
            }
        }
        self.origin += done as u64;
        done
    }

    /// Encode the pretokens that end at `scratch.ends`, the first of which begins at `done`.
    fn close_pieces(
        &mut self,
        core: &Core,
        scratch: &mut Scratch,
        text: &[u8],
        done: &mut usize,
        out: &mut Vec<u32>,
    ) {
        let ends = std::mem::take(&mut scratch.ends);
        let mut rest = ends.as_slice();
        // What is left of a pretoken is merged as a pretoken is, where no other way leads to ids.
        let is_like_whole = !self.is_partial || !core.vocabulary.has_whole_pieces();
        let is_little = |n: usize| n > 0 && n.min(self.live.n_bytes()) <= MAX_KEPT_BYTES;
        if is_like_whole && rest.first().is_some_and(|&end| is_little(end - *done)) {
            // To look it up is faster than to go on merging.
            self.live.clear();
            self.is_partial = false;
        }
        if let Some(cuts) = &mut self.cuts {
            cuts.extend(rest.iter().map(|&end| self.origin + end as u64));
        }
        if (self.is_partial || self.live.n_bytes() > 0)
            && let Some((&end, after)) = rest.split_first()
        {
            self.close_live(core, scratch, &text[*done..end], out);
            (*done, rest) = (end, after);
        }
        if let Some(&end) = rest.last() {
            let Scratch { batch, pieces, .. } = scratch;
            let pretokens = Pretokens::new(text, *done, rest);
            batch.encode(&core.vocabulary, pieces, pretokens, out);
            *done = end;
            self.live.clear();
        }
        scratch.ends = ends;
    }

    /// The live pretoken, whose remaining text is `text`, is complete.
    fn close_live(&mut self, core: &Core, scratch: &mut Scratch, text: &[u8], out: &mut Vec<u32>) {
        let whole = if self.is_partial { None } else { core.vocabulary.whole_piece(text) };
        if let Some(id) = whole {
            out.push(id);
            self.live.clear();
        } else if self.live.n_bytes() == 0 {
            self.live.clear();
            core.vocabulary.merge_rest(text, &mut scratch.merge, out);
        } else {
            self.live.close(&core.vocabulary, text, out);
        }
        self.is_partial = false;
    }

    /// Emit what is stable of the text that was read, from `text[done]` on; returns how much.
    ///
    /// If the live match may still grow past its last end there are two futures: what holds
    /// `text[done]` ends where its last match ended, or it reaches past everything read. What the
    /// tokens of both have in common is stable (the paper's main theorem, with the eager prefix
    /// in place of its length threshold).
    fn emit_stable(
        &mut self,
        core: &Core,
        scratch: &mut Scratch,
        text: &[u8],
        done: usize,
        out: &mut Vec<u32>,
    ) -> usize {
        let Core { automaton, vocabulary, .. } = core;
        let read = (self.scan.position() - self.origin) as usize;
        let mut at = done;
        while at < read {
            let emitted = self.origin + at as u64;
            let rest = &text[at..read];
            let is_composed = self.delay == Delay::Composition;
            let (rest, end) = if is_composed {
                let certain = self.scan.certain(automaton).saturating_sub(emitted) as usize;
                (&rest[..certain], None)
            } else {
                let end = self.scan.next_end(automaton, rest, emitted);
                (rest, end.map(|end| (end - emitted) as usize))
            };
            if end.is_none()
                && let Some(seam) = vocabulary.last_seam(rest)
            {
                // All of it belongs to one pretoken: what lies before the seam is as good as whole.
                let Scratch { batch, pieces, .. } = &mut *scratch;
                batch.encode(vocabulary, pieces, Pretokens::new(rest, 0, &[seam]), out);
                self.live.clear();
                self.is_partial = true;
                at += seam;
                continue;
            }
            // In some future a pretoken begins here: it may be an entry that Merge does not make.
            let may_begin = !self.is_partial || self.scan.may_begin(automaton, emitted);
            let is_whole = |end: usize| vocabulary.whole_piece(&rest[..end]).is_some();
            let may_be_whole =
                || vocabulary.may_become_whole_piece(rest) || end.is_some_and(is_whole);
            if rest.is_empty() || (may_begin && may_be_whole()) {
                break;
            }
            let growing = if is_composed {
                Growing::UNKNOWN // so that what is emitted depends on the text alone
            } else {
                self.scan.growing(automaton, emitted)
            };
            let across = Across { automaton, growing };
            if (at == done || self.live.n_bytes() == 0)
                && scratch.window.may_begin(vocabulary, &across, rest, &mut self.live)
            {
                break; // all of it may still be the beginning of one token
            }
            self.live.extend(vocabulary, rest.get(self.live.n_bytes()..).unwrap_or_default());
            let stable = self.live.stable_boundary(vocabulary, &across, rest, &mut scratch.window);
            let boundary =
                end.map_or(stable, |end| self.live.common_boundary(vocabulary, end, stable));
            if boundary == 0 || !self.credit.can_merge_anew(rest.len() - boundary) {
                break;
            }
            self.live.emit(vocabulary, rest, boundary, out);
            self.is_partial = true;
            at += boundary;
            if end != Some(boundary) {
                break;
            }
        }
        at - done
    }

    /// The end of a feed: emit all that no continuation can change.
    pub(super) fn settle(&mut self, core: &Core, scratch: &mut Scratch, out: &mut Vec<u32>) {
        if !self.pending.is_empty() || self.is_partial {
            self.settle_pending(core, scratch, out);
        }
        // A stream at rest is small, also behind a long run.
        give_back(&mut self.pending, MAX_KEPT);
        self.live.shrink();
    }

    fn settle_pending(&mut self, core: &Core, scratch: &mut Scratch, out: &mut Vec<u32>) {
        let pending = std::mem::take(&mut self.pending);
        let mut done = 0;
        if self.scan.ends_here(&core.automaton) {
            scratch.ends.clear();
            scratch.ends.push(pending.len());
            self.close_pieces(core, scratch, &pending, &mut done, out);
            self.scan.cut_here();
        } else {
            done = self.emit_stable(core, scratch, &pending, 0, out);
        }
        self.origin += done as u64;
        self.pending = pending;
        self.pending.drain(..done);
    }

    /// The segment ends: encode all that is pending.
    pub(super) fn finish(&mut self, core: &Core, scratch: &mut Scratch, out: &mut Vec<u32>) {
        let pending = std::mem::take(&mut self.pending);
        let mut done = 0;
        loop {
            scratch.ends.clear();
            let Scratch { ends, .. } = scratch;
            let emitted = self.origin + done as u64;
            let is_done = self.scan.finish(&core.automaton, &pending, self.origin, emitted, ends);
            self.close_pieces(core, scratch, &pending, &mut done, out);
            if is_done {
                break;
            }
        }
        let cuts = self.cuts.take();
        *self = Self { pending, delay: self.delay, cuts, ..Self::default() };
        self.pending.clear();
    }
}
