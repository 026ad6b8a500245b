//! A pretoken that has begun and not ended: its stable ids while it grows.

use super::vocabulary::Vocabulary;
use super::window::{Across, Window};

/// The last token of every prefix of the text that is not emitted yet.
///
/// Text begins at the last emitted boundary: every continuation has a token boundary there, so
/// what lies before can be forgotten.
#[derive(Clone, Debug, Default)]
pub struct Live {
    last: Vec<u32>,
    node: u32,
}

impl Live {
    /// Bytes taken since the last emitted boundary.
    #[must_use]
    pub fn n_bytes(&self) -> usize {
        self.last.len()
    }

    /// Take more text of the live pretoken.
    pub fn extend(&mut self, vocabulary: &Vocabulary, text: &[u8]) {
        vocabulary.extend(&mut self.node, text, &mut self.last);
    }

    /// The boundary up to which no continuation within this pretoken can change the tokens;
    /// `text` is all text taken since the last emitted boundary.
    ///
    /// Cost: O(pending) plus the window's questions.
    pub(crate) fn stable_boundary(
        &self,
        vocabulary: &Vocabulary,
        across: &Across<'_>,
        text: &[u8],
        window: &mut Window,
    ) -> usize {
        window.stable_boundary(vocabulary, across, text, &self.last, self.node)
    }

    /// The largest boundary that is one both if the text ended at `a` and if it ended at `b`.
    pub(crate) fn common_boundary(
        &self,
        vocabulary: &Vocabulary,
        mut a: usize,
        mut b: usize,
    ) -> usize {
        while a != b {
            let later = a.max(b);
            (a, b) = (a.min(b), later - vocabulary.forest.length(self.last[later - 1]));
        }
        a
    }

    /// Append the ids up to `boundary` and forget them; `text` as above.
    pub(crate) fn emit(
        &mut self,
        vocabulary: &Vocabulary,
        text: &[u8],
        boundary: usize,
        out: &mut Vec<u32>,
    ) {
        vocabulary.emit(&self.last[..boundary], out);
        self.clear();
        self.extend(vocabulary, &text[boundary..]);
    }

    /// The pretoken, whose text since the last emitted boundary is `text`, ends: append all its
    /// ids and forget it. More than `text` may have been taken.
    pub fn close(&mut self, vocabulary: &Vocabulary, text: &[u8], out: &mut Vec<u32>) {
        if let Some(rest) = text.get(self.last.len()..) {
            self.extend(vocabulary, rest);
        }
        vocabulary.emit(&self.last[..text.len()], out);
        self.clear();
    }

    fn clear(&mut self) {
        self.last.clear();
        self.node = 0;
    }
}
