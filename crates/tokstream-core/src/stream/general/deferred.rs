//! Short texts and the added tokens between them, to be encoded together.
//!
//! In: text that goes to be merged and begins where a token ends, and added tokens. Out: their
//! pieces, many at a time; a step of its own for each line would cost more than the line. Held
//! back: all of it up to a limit, while more is at hand.

use crate::tokens::{Links, ready};

/// When so many bytes wait, they are encoded.
const FULL: usize = 1 << 13;
/// Room that is kept between feeds.
const MAX_KEPT: usize = 512;

/// What waits. Empty at the end of a feed.
#[derive(Clone, Debug, Default)]
pub(super) struct Deferred {
    /// Text as the source has it, and ids written as pieces.
    text: Vec<u8>,
    /// Where pieces end, in the part that is closed.
    ends: Vec<usize>,
    /// Bytes of source of that part.
    n_source: usize,
    /// Where the open part begins, text that may go on.
    begin: usize,
}

impl Deferred {
    /// Does nothing wait?
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Does text wait that may go on?
    pub(super) fn has_open(&self) -> bool {
        self.begin < self.text.len()
    }

    /// Is it time to encode what waits?
    pub(super) fn is_full(&self) -> bool {
        self.text.len() >= FULL
    }

    /// Text behind which others may come.
    pub(super) fn push(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
    }

    /// The open part ends here, and so does a token.
    pub(super) fn close(&mut self, links: &Links) {
        let open = &self.text[self.begin..];
        if open.is_empty() {
            return;
        }
        links.seams(open, self.begin, &mut self.ends);
        self.n_source += open.len();
        self.begin = self.text.len();
        self.ends.push(self.begin);
    }

    /// The same for what is before the last boundary at which a token ends in any case.
    pub(super) fn close_parts(&mut self, links: &Links) {
        links.seams(&self.text[self.begin..], self.begin, &mut self.ends);
        let end = self.ends.last().map_or(0, |&end| end.max(self.begin));
        self.n_source += end - self.begin;
        self.begin = end;
    }

    /// An added token, of `n_source` bytes, comes behind the closed part.
    pub(super) fn token(&mut self, id: u32, n_source: usize) {
        debug_assert_eq!(self.begin, self.text.len(), "the text before it is closed");
        ready::push(id, &mut self.text);
        self.n_source += n_source;
        self.begin = self.text.len();
        self.ends.push(self.begin);
    }

    /// Give `take` the closed part, the ends of its pieces and its bytes of source; return the open
    /// part. Nothing waits any more.
    pub(super) fn drain(&mut self, take: impl FnOnce(&[u8], &[usize], usize)) -> Vec<u8> {
        let mut text = std::mem::take(&mut self.text);
        let open = text.split_off(self.begin);
        if !self.ends.is_empty() {
            take(&text, &self.ends, self.n_source);
        }
        text.clear();
        let mut ends = std::mem::take(&mut self.ends);
        ends.clear();
        *self = Self { text, ends, ..Self::default() };
        open
    }

    /// Give back the room; a stream at rest is small.
    pub(super) fn shrink(&mut self) {
        self.text.shrink_to(MAX_KEPT);
        self.ends.shrink_to(MAX_KEPT / 8);
    }
}
