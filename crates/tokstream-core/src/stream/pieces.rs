//! Pretokens that are cut elsewhere → ids.
//!
//! In: text that surely belongs to the current pretoken, and where pretokens end. Out: ids.
//! Held back: of the current pretoken, what its rest may still tokenize otherwise.

use crate::core::Core;
use crate::levels::FROM_NEXT;
use crate::pretokens::Growing;
use crate::scratch::Scratch;
use crate::tokens::{Across, BEGIN_MARKER, END_MARKER, Live, Pretokens};

use super::LONG_PIECE;
use super::credit::Credit;
use super::record::Record;
use super::track::Track;

/// Complete pretokens that are encoded at once, at most.
const MAX_ENDS: usize = 1024;

/// The pretokens of the current run of text that are not encoded yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces {
    /// Bytes from the last emitted boundary on.
    text: Vec<u8>,
    /// Where in `text` complete pretokens end.
    ends: Vec<usize>,
    /// Where in `text` the current pretoken begins.
    begin: usize,
    live: Live,
    /// The current pretoken has text, or a marker.
    is_begun: bool,
    /// Some tokens of the first pretoken in `text` are emitted already.
    is_partial: bool,
    /// The last id emitted in that pretoken was the unknown token.
    follows_unknown: bool,
    /// Length of the current pretoken at which it is looked at before it is complete.
    long: usize,
    credit: Credit,
    /// Where text comes from: of the segments' text, what is in pretokens.
    pub(super) track: Track,
    /// What every id stands for, if that is asked for.
    pub(super) record: Option<Record>,
}

/// What is needed to take text in.
pub(super) struct Tools<'a> {
    pub(super) core: &'a Core,
    pub(super) scratch: &'a mut Scratch,
    pub(super) out: &'a mut Vec<u32>,
}

impl Pieces {
    /// Bytes of text that no emitted id covers.
    pub(super) fn n_pending(&self) -> usize {
        self.text.len()
    }

    /// The next `n_source` bytes of the source belong to this text of the current pretoken: it is
    /// as long as they are, or one character, or nothing.
    pub(super) fn push(&mut self, tools: &mut Tools<'_>, text: &[u8], n_source: usize) {
        if text.is_empty() {
            return self.track.add(text, n_source);
        }
        self.credit.earn(text.len());
        if tools.core.filter.is_some() {
            return self.push_known(tools, text, n_source);
        }
        let mut rest = text;
        while !rest.is_empty() {
            let room = (LONG_PIECE + 4).min(rest.len());
            let (part, after) = rest.split_at(room);
            let source = if rest.len() == text.len() && n_source != text.len() {
                n_source
            } else {
                part.len()
            };
            self.append(tools, part, source);
            rest = after;
        }
    }

    /// The same without the units that are no token.
    fn push_known(&mut self, tools: &mut Tools<'_>, text: &[u8], n_source: usize) {
        let Some(filter) = &tools.core.filter else { return };
        let units = filter.units(text);
        let is_equal = text.len() == n_source;
        let mut given = 0;
        for (unit, is_known) in units {
            let source = match n_source {
                FROM_NEXT => FROM_NEXT,
                _ if is_equal => unit.len(),
                _ => n_source - given,
            };
            given += if source == FROM_NEXT { 0 } else { source };
            if is_known {
                self.append(tools, unit, source);
            } else {
                if let Some(record) = &mut self.record {
                    record.gap();
                }
                if source != FROM_NEXT {
                    self.track.add(&[], source);
                }
            }
        }
    }

    fn append(&mut self, tools: &mut Tools<'_>, text: &[u8], n_source: usize) {
        let is_first = !self.is_begun;
        if is_first {
            self.is_begun = true;
            self.long = LONG_PIECE;
            if tools.core.markers.has_begin {
                self.text.push(BEGIN_MARKER);
                // A pretoken may begin inside what became of one character.
                if n_source == 0 && self.track.goes_on() {
                    self.track.add_suffix(1);
                } else {
                    self.track.add_prefix(1);
                }
            }
        }
        if n_source == FROM_NEXT {
            self.track.add_prefix(text.len());
        } else {
            self.track.add(text, n_source);
        }
        self.text.extend_from_slice(text);
        if self.text.len() - self.begin >= self.long {
            self.flush(tools);
            self.emit_stable(tools);
            self.long = self.text.len() + LONG_PIECE;
        }
    }

    /// The current pretoken ends here.
    pub(super) fn end(&mut self, tools: &mut Tools<'_>) {
        if !self.is_begun {
            // All of it was left out.
            if self.record.as_ref().is_some_and(Record::has_gap) {
                self.note_end();
            }
            return;
        }
        if tools.core.markers.has_end {
            self.text.push(END_MARKER);
            if self.track.is_behind_character() {
                self.track.add_suffix(1);
            } else {
                self.track.add_prefix(1);
            }
        }
        self.note_end();
        self.is_begun = false;
        self.begin = self.text.len();
        self.ends.push(self.begin);
        if self.ends.len() >= MAX_ENDS {
            self.flush(tools);
        }
    }

    fn note_end(&mut self) {
        if let Some(record) = &mut self.record {
            record.end(self.track.places().n_text());
        }
    }

    /// Encode all complete pretokens.
    pub(super) fn flush(&mut self, tools: &mut Tools<'_>) {
        if self.ends.is_empty() {
            return self.track.forget(self.text.len());
        }
        let Tools { core, scratch, out } = tools;
        let mut rest = self.ends.as_slice();
        let mut done = 0;
        if (self.is_partial || self.live.n_bytes() > 0)
            && let Some((&end, after)) = rest.split_first()
        {
            let begin = out.len();
            let piece = &self.text[..end];
            match core.vocabulary.whole_piece(piece).filter(|_| !self.is_partial) {
                Some(id) => {
                    out.push(id);
                    self.live = Live::default();
                }
                None => self.live.close(&core.vocabulary, piece, out),
            }
            Record::expand(
                &mut self.record,
                core,
                out,
                begin,
                &mut self.follows_unknown,
                Some(end),
            );
            self.is_partial = false;
            (done, rest) = (end, after);
        }
        if core.expansions.are_fused() || self.record.is_some() {
            for &end in rest {
                let begin = out.len();
                core.vocabulary.merge(&self.text[done..end], &mut scratch.merge, out);
                let n = Some(end - done);
                Record::expand(&mut self.record, core, out, begin, &mut false, n);
                done = end;
            }
        } else if let Some(&end) = rest.last() {
            let begin = out.len();
            let Scratch { batch, pieces, .. } = &mut **scratch;
            let pretokens = Pretokens::new(&self.text, done, rest);
            batch.encode(&core.vocabulary, pieces, pretokens, out);
            core.expansions.expand(out, begin, &mut false);
            done = end;
        }
        self.follows_unknown = false;
        self.ends.clear();
        self.drain(done);
    }

    fn drain(&mut self, n: usize) {
        self.text.drain(..n);
        self.begin = self.begin.saturating_sub(n);
        self.track.forget(self.text.len());
    }

    /// Emit what no continuation of the current pretoken can change; the complete ones are gone.
    pub(super) fn emit_stable(&mut self, tools: &mut Tools<'_>) {
        let Tools { core, scratch, out } = tools;
        let Core { automaton, vocabulary, .. } = *core;
        if self.text.is_empty()
            || (!self.is_partial && vocabulary.may_become_whole_piece(&self.text))
        {
            return;
        }
        let taken = self.live.n_bytes();
        self.live.extend(vocabulary, &self.text[taken..]);
        let across = Across { automaton, growing: Growing::UNKNOWN };
        let boundary =
            self.live.stable_boundary(vocabulary, &across, &self.text, &mut scratch.window);
        if boundary == 0 || !self.credit.can_merge_anew(self.text.len() - boundary) {
            return;
        }
        let begin = out.len();
        self.live.emit(vocabulary, &self.text, boundary, out);
        Record::expand(&mut self.record, core, out, begin, &mut self.follows_unknown, None);
        self.is_partial = true;
        self.drain(boundary);
    }
}
