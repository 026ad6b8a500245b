//! A run whose text is one pretoken, and may be taken apart.

use crate::core::Core;
use crate::scratch::Scratch;
use crate::stream::parted::Parted;
use crate::tokens::Pretokens;

use super::Run;

/// A run, and what a step needs.
pub(super) struct Single<'a> {
    pub(super) run: &'a mut Run,
    pub(super) core: &'a Core,
    pub(super) scratch: &'a mut Scratch,
    pub(super) out: &'a mut Vec<u32>,
}

impl Parted for Single<'_> {
    fn scratch(&mut self) -> &mut Scratch {
        self.scratch
    }

    fn is_closed(&self) -> bool {
        self.run.is_closed()
    }

    fn grow(&mut self, text: &[u8]) {
        self.run.grow(self.core, self.scratch, text, self.out);
    }

    fn close(&mut self) -> bool {
        self.run.close_here(self.core, self.scratch, self.out);
        true
    }

    fn encode(&mut self, text: &[u8], begin: usize, ends: &[usize]) {
        let Self { run, core, scratch, out } = self;
        run.encode_parts(core, scratch, Pretokens::new(text, begin, ends), out);
        run.skip(core, ends.last().map_or(0, |end| end - begin));
    }
}

impl Run {
    /// Does nothing wait, so that what comes begins a token?
    pub(in crate::stream) fn is_closed(&self) -> bool {
        self.pending.is_empty() && self.live.n_bytes() == 0
    }

    /// Likewise, and is all as at the beginning?
    pub(in crate::stream) fn is_idle(&self) -> bool {
        self.is_closed() && !self.is_partial
    }

    /// Begin where a token ends, behind the first character.
    pub(in crate::stream) fn begin_between(&mut self) {
        self.is_partial = true;
    }

    /// A token ends behind the text so far, which goes on: give out its ids.
    pub(in crate::stream) fn close_here(
        &mut self,
        core: &Core,
        scratch: &mut Scratch,
        out: &mut Vec<u32>,
    ) {
        let pending = std::mem::take(&mut self.pending);
        self.is_partial = true;
        self.close_live(core, scratch, &pending, out);
        self.origin += pending.len() as u64;
        self.is_partial = true;
        self.pending = pending;
        self.pending.clear();
    }

    /// Append the ids of `parts` of a text.
    pub(in crate::stream) fn encode_parts(
        &self,
        core: &Core,
        scratch: &mut Scratch,
        parts: Pretokens<'_>,
        out: &mut Vec<u32>,
    ) {
        debug_assert!(self.is_closed(), "a token ends here");
        let Scratch { batch, pieces, .. } = scratch;
        batch.encode(&core.vocabulary, pieces, parts, out);
    }

    /// So many bytes of text have been encoded elsewhere.
    fn skip(&mut self, core: &Core, n: usize) {
        if n > 0 {
            self.origin += n as u64;
            self.scan.skip(&core.automaton, n);
            self.is_partial = true;
        }
    }
}
