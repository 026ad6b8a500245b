//! A pretoken that has begun and not ended: its stable ids while it grows.

use super::merge::give_back;
use super::vocabulary::Vocabulary;
use super::window::{Across, Window};

/// Boundaries for which room is kept while a stream is at rest, of twelve bytes each.
const MAX_KEPT: usize = 256;

/// The last token of every prefix of the text that is not emitted yet.
///
/// Text begins at the last emitted boundary: every continuation has a token boundary there, so
/// what lies before can be forgotten. Boundaries form a tree: the parent of one is where its last
/// token begins, and what two prefixes have in common ends at their lowest common ancestor.
#[derive(Clone, Debug, Default)]
pub struct Live {
    last: Vec<u32>,
    /// For each boundary but 0; a chain of jumps as in a skew-binary number, so that ancestors are
    /// found in O(log n) steps however much is pending.
    links: Vec<Link>,
    node: u32,
    prefix: Prefix,
}

/// How far the text is the beginning of a token, as far as that was asked.
#[derive(Clone, Copy, Debug, Default)]
struct Prefix {
    n_bytes: usize,
    node: u32,
    /// The next byte leads out of the tokens.
    is_over: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Link {
    /// Tokens before this boundary.
    depth: u32,
    /// An ancestor, further off the deeper the boundary.
    jump: u32,
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
        self.links.reserve(text.len());
        for boundary in self.links.len() + 1..=self.last.len() {
            let parent = self.parent(vocabulary, boundary);
            let (up, above) = (self.link(parent), self.link(self.link(parent).jump as usize));
            let further = self.link(above.jump as usize).depth;
            let is_full = up.depth - above.depth == above.depth - further;
            let jump = if is_full { above.jump } else { parent as u32 };
            self.links.push(Link { depth: up.depth + 1, jump });
        }
    }

    /// The automaton's node of `text`, all text since the last emitted boundary, if it is the
    /// proper beginning of a token. Unlike `extend` this merges nothing.
    ///
    /// Cost: O(bytes not yet seen).
    pub(crate) fn prefix(&mut self, vocabulary: &Vocabulary, text: &[u8]) -> Option<u32> {
        if self.prefix.n_bytes > text.len() {
            self.prefix = Prefix::default();
        }
        let Prefix { mut n_bytes, mut node, is_over } = self.prefix;
        if is_over {
            return None;
        }
        for &byte in &text[n_bytes..] {
            let Some(child) = vocabulary.automaton.child(node, byte) else {
                self.prefix = Prefix { n_bytes, node, is_over: true };
                return None;
            };
            (node, n_bytes) = (child, n_bytes + 1);
        }
        self.prefix = Prefix { n_bytes, node, is_over };
        vocabulary.automaton.has_children(node).then_some(node)
    }

    /// The last token up to `boundary`, 0 for none.
    pub(crate) fn last_token(&self, boundary: usize) -> u32 {
        boundary.checked_sub(1).map_or(0, |index| self.last[index])
    }

    /// The automaton's node behind the text taken.
    pub(crate) fn node(&self) -> u32 {
        self.node
    }

    fn link(&self, boundary: usize) -> Link {
        boundary.checked_sub(1).map_or_else(Link::default, |index| self.links[index])
    }

    fn parent(&self, vocabulary: &Vocabulary, boundary: usize) -> usize {
        boundary - vocabulary.forest.length(self.last_token(boundary))
    }

    /// The largest boundary that is one both if the text ended at `a` and if it ended at `b`.
    ///
    /// Cost: O(log n) for n bytes pending.
    pub(crate) fn common_boundary(&self, vocabulary: &Vocabulary, a: usize, b: usize) -> usize {
        let depth = self.link(a).depth.min(self.link(b).depth);
        let (mut a, mut b) = (self.climb(vocabulary, a, depth), self.climb(vocabulary, b, depth));
        while a != b {
            let jumps = (self.link(a).jump as usize, self.link(b).jump as usize);
            (a, b) = if jumps.0 == jumps.1 {
                (self.parent(vocabulary, a), self.parent(vocabulary, b))
            } else {
                jumps
            };
        }
        a
    }

    /// The ancestor of `boundary` with `depth` tokens before it.
    fn climb(&self, vocabulary: &Vocabulary, mut boundary: usize, depth: u32) -> usize {
        while self.link(boundary).depth > depth {
            let jump = self.link(boundary).jump as usize;
            boundary = if self.link(jump).depth >= depth {
                jump
            } else {
                self.parent(vocabulary, boundary)
            };
        }
        boundary
    }

    /// The boundary up to which no continuation within this pretoken can change the tokens;
    /// `text` is all text taken since the last emitted boundary.
    ///
    /// Cost: O(window · log(pending)), plus the window's questions.
    pub(crate) fn stable_boundary(
        &self,
        vocabulary: &Vocabulary,
        across: &Across<'_>,
        text: &[u8],
        window: &mut Window,
    ) -> usize {
        window.stable_boundary(vocabulary, across, text, self)
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

    /// Give back the room that much text needed, if little is left of it.
    pub(crate) fn shrink(&mut self) {
        give_back(&mut self.last, MAX_KEPT);
        give_back(&mut self.links, MAX_KEPT);
    }

    /// Forget all text.
    pub(crate) fn clear(&mut self) {
        self.last.clear();
        self.links.clear();
        self.node = 0;
        self.prefix = Prefix::default();
    }
}
