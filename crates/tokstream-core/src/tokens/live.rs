//! A pretoken that has begun and not ended: its stable ids while it grows.

use super::vocabulary::Vocabulary;
use super::window::Window;

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

    /// Append the ids that no continuation can change; `text` is all text taken since the last
    /// emitted boundary. Returns how many bytes of it are done with.
    ///
    /// Exactly the maximum stable prefix of Merge. Cost: O(pending) plus the window's questions.
    pub fn emit_stable(
        &mut self,
        vocabulary: &Vocabulary,
        text: &[u8],
        window: &mut Window,
        out: &mut Vec<u32>,
    ) -> usize {
        let boundary = window.stable_boundary(vocabulary, text, &self.last, self.node);
        if boundary > 0 {
            vocabulary.emit(&self.last[..boundary], out);
            self.clear();
            self.extend(vocabulary, &text[boundary..]);
        }
        boundary
    }

    /// The pretoken ends behind the text taken: append all its ids and forget it.
    pub fn close(&mut self, vocabulary: &Vocabulary, out: &mut Vec<u32>) {
        vocabulary.emit(&self.last, out);
        self.clear();
    }

    fn clear(&mut self) {
        self.last.clear();
        self.node = 0;
    }
}
