//! Text that a level holds back, with the number of source bytes each part of it came from.

use std::collections::VecDeque;
use std::ops::Range;

use super::{AND_BEHIND, FROM_NEXT, Sink, source_bytes};
use crate::widths::last_width;

/// Room that is kept from one feed to the next, in bytes.
const MAX_ROOM: usize = 4096;

/// Bytes of source of a range of text, if all `length` bytes of it came from `n_source`.
///
/// Text that is not as long as its source comes from all of that, each part of it: the first part
/// has the source, and what has none comes from the character before. What a level put in front
/// stays marked as such.
pub(crate) fn source_of(range: Range<usize>, length: usize, n_source: usize) -> usize {
    if n_source == FROM_NEXT {
        FROM_NEXT
    } else if length == n_source {
        range.len()
    } else if range.start == 0 {
        n_source
    } else {
        0
    }
}

/// Text as a chain of parts, each as long as its source, or from another number of source bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Held {
    text: Vec<u8>,
    /// Text before this index was taken.
    taken: usize,
    /// (bytes of text, bytes of source) in text order; empty parts have source only.
    parts: VecDeque<(usize, usize)>,
    n_source: usize,
}

impl Held {
    /// Append text that came from `n_source` bytes.
    pub(crate) fn push(&mut self, text: &[u8], n_source: usize) {
        if text.is_empty() && n_source == 0 {
            return;
        }
        // Moving the rest costs at most what was taken.
        if self.taken > 0 && self.taken >= self.text.len() - self.taken {
            self.text.drain(..self.taken);
            self.taken = 0;
        }
        self.text.extend_from_slice(text);
        self.n_source += source_bytes(n_source);
        match self.parts.back_mut() {
            Some((n, source)) if *n == *source && text.len() == n_source => {
                *n += text.len();
                *source += n_source;
            }
            _ => self.parts.push_back((text.len(), n_source)),
        }
    }

    /// Keep no room for a long text when little of it is left: streams are many.
    pub(crate) fn trim(&mut self) {
        let rest = &self.text[self.taken..];
        if self.text.capacity() > MAX_ROOM && rest.len() < MAX_ROOM / 4 {
            self.text = rest.to_vec();
            self.taken = 0;
        }
    }

    /// Is there nothing but source that was dropped?
    pub(crate) fn has_no_text(&self) -> bool {
        self.taken == self.text.len()
    }

    /// Bytes of source of what is held.
    pub(crate) fn n_source(&self) -> usize {
        self.n_source
    }

    /// Give the first `n` bytes to `sink`, or, if `is_dropped`, only their source.
    pub(crate) fn take(&mut self, mut n: usize, is_dropped: bool, sink: &mut impl Sink) {
        while n > 0 {
            let Some((length, source)) = self.parts.front_mut() else { return };
            let (n_text, n_source) = if n < *length {
                let n_source = source_of(0..n, *length, *source);
                *length -= n;
                *source -= if *source == FROM_NEXT { 0 } else { n_source };
                (n, n_source)
            } else {
                let part = (*length, *source);
                self.parts.pop_front();
                part
            };
            self.give(n_text, n_source, is_dropped, sink);
            n = n.saturating_sub(n_text);
        }
    }

    /// Nothing of the text is left: give what source there is behind it.
    pub(crate) fn take_rest(&mut self, sink: &mut impl Sink) {
        while let Some((n_text, n_source)) = self.parts.pop_front() {
            self.give(n_text, n_source, false, sink);
        }
    }

    fn give(&mut self, n_text: usize, n_source: usize, is_dropped: bool, sink: &mut impl Sink) {
        let text = &self.text[self.taken..self.taken + n_text];
        self.taken += n_text;
        self.n_source -= source_bytes(n_source);
        if !is_dropped || text.is_empty() {
            sink.text(text, n_source);
        } else if source_bytes(n_source) > 0 {
            // More text of the last character may follow.
            let n_last = if n_text == n_source { last_width(text) } else { n_source };
            if n_last < n_source {
                sink.text(b"", n_source - n_last);
            }
            sink.text(b"", n_last | AND_BEHIND);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Held;
    use crate::levels::{AND_BEHIND, Sink, source_bytes};

    #[derive(Default)]
    struct Parts(Vec<(String, usize)>);

    impl Sink for Parts {
        fn text(&mut self, text: &[u8], n_source: usize) {
            let text = std::str::from_utf8(text).unwrap();
            let sign = if n_source & AND_BEHIND > 0 { "…" } else { "" };
            self.0.push((format!("{text}{sign}"), source_bytes(n_source)));
        }

        fn end(&mut self) {}
    }

    #[test]
    fn source_stays_with_its_text() {
        let mut held = Held::default();
        held.push(b"ab", 2);
        held.push(b"c", 1);
        held.push(b"", 5);
        held.push(b"xyz", 1);
        held.push(b"de", 2);
        assert_eq!(held.n_source(), 11);
        let mut parts = Parts::default();
        // "bc" is dropped; of "xyz", which came from one byte, the first part has that byte.
        held.take(1, false, &mut parts);
        held.take(2, true, &mut parts);
        held.take(2, false, &mut parts);
        held.take(2, false, &mut parts);
        assert_eq!(held.n_source(), 1);
        held.take(1, false, &mut parts);
        assert!(held.has_no_text());
        let parts: Vec<_> = parts.0.iter().map(|(text, n)| (text.as_str(), *n)).collect();
        assert_eq!(
            parts,
            [("a", 1), ("", 1), ("…", 1), ("", 5), ("xy", 1), ("z", 0), ("d", 1), ("e", 1)]
        );
    }

    #[test]
    fn what_is_left_of_a_character_comes_from_what_was_dropped() {
        let mut held = Held::default();
        held.push("abé".as_bytes(), 4);
        held.push(b"viii", 3);
        let mut parts = Parts::default();
        held.take(4, true, &mut parts);
        held.take(2, true, &mut parts);
        held.take(1, true, &mut parts);
        held.take(1, false, &mut parts);
        let parts: Vec<_> = parts.0.iter().map(|(text, n)| (text.as_str(), *n)).collect();
        assert_eq!(parts, [("", 2), ("…", 2), ("…", 3), ("i", 0)]);
    }
}
