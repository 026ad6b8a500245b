//! Text offsets → source offsets, where the text is not the source byte for byte.
//!
//! A replaced sequence of 1 to 3 bytes is 3 bytes of text, a surrogate pair of 6 is 4. Only such
//! characters in text that is still pending are remembered.

use std::collections::VecDeque;
use std::ops::Range;

/// A character whose text and source differ in length.
#[derive(Clone, Copy, Debug)]
struct Odd {
    /// Text offset of its end.
    text_end: u64,
    text_bytes: u64,
    source_bytes: u64,
}

/// Where the text given out so far comes from.
#[derive(Clone, Debug, Default)]
pub struct Places {
    n_text: u64,
    n_source: u64,
    odd: VecDeque<Odd>,
}

impl Places {
    /// Text of `text_bytes` bytes follows, made from the bytes `source` of the input.
    pub fn add(&mut self, text_bytes: usize, source: Range<u64>) {
        let (text_bytes, source_bytes) = (text_bytes as u64, source.end - source.start);
        self.n_text += text_bytes;
        self.n_source = source.end;
        if text_bytes != source_bytes {
            self.odd.push_back(Odd { text_end: self.n_text, text_bytes, source_bytes });
        }
    }

    /// Bytes of text so far.
    #[must_use]
    pub fn n_text(&self) -> u64 {
        self.n_text
    }

    /// Bytes of source so far.
    #[must_use]
    pub fn n_source(&self) -> u64 {
        self.n_source
    }

    /// Source offset of a text offset that was not forgotten; inside a character that differs in
    /// length, its beginning.
    #[must_use]
    pub fn source(&self, text: u64) -> u64 {
        let mut behind = self.n_text - text;
        for odd in self.odd.iter().filter(|odd| odd.text_end > text) {
            let part = odd.text_bytes.min(odd.text_end - text);
            behind = behind - part + odd.source_bytes;
        }
        self.n_source - behind
    }

    /// Text before `text` will not be asked about any more.
    pub fn forget(&mut self, text: u64) {
        while self.odd.front().is_some_and(|odd| odd.text_end <= text) {
            self.odd.pop_front();
        }
    }
}
