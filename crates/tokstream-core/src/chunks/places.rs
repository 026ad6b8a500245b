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
    /// Nothing is forgotten.
    keeps_all: bool,
}

impl Places {
    /// Text of `text_bytes` bytes follows, made from the bytes `source` of the input.
    pub fn add(&mut self, text_bytes: usize, source: Range<u64>) {
        let (text_bytes, source_bytes) = (text_bytes as u64, source.end - source.start);
        self.n_text += text_bytes;
        self.n_source = source.end;
        if text_bytes == 0
            && let Some(odd) = self.odd.back_mut()
            && (odd.text_bytes, odd.text_end) == (0, self.n_text)
        {
            odd.source_bytes += source_bytes;
        } else if text_bytes != source_bytes {
            self.odd.push_back(Odd { text_end: self.n_text, text_bytes, source_bytes });
        }
    }

    /// From now on forget nothing, for those who ask at the end.
    pub fn keep_all(&mut self) {
        self.keeps_all = true;
    }

    /// Text of `text_bytes` bytes follows that comes from the last character, of which
    /// `last_bytes` bytes of text were said to be as long as their source.
    pub fn add_to_last(&mut self, text_bytes: usize, last_bytes: usize) {
        let (text_bytes, last_bytes) = (text_bytes as u64, last_bytes as u64);
        let before = self.n_text;
        self.n_text += text_bytes;
        match self.odd.iter_mut().rev().find(|odd| odd.text_bytes > 0) {
            Some(odd) if odd.text_end == before => odd.text_bytes += text_bytes,
            _ => self.odd.push_back(Odd {
                text_end: before,
                text_bytes: text_bytes + last_bytes,
                source_bytes: last_bytes,
            }),
        }
        for odd in self.odd.iter_mut().rev().take_while(|odd| odd.text_end == before) {
            odd.text_end = self.n_text;
        }
    }

    /// Text follows that was made from the bytes `source`, and from which the text before it,
    /// added without a source, comes, too.
    pub fn add_to_next(&mut self, text_bytes: usize, source: Range<u64>) {
        let before = self.n_text;
        self.add(text_bytes, source.clone());
        if text_bytes as u64 != source.end - source.start {
            self.odd.pop_back();
        }
        let (text_bytes, source_bytes) = (text_bytes as u64, source.end - source.start);
        match self.odd.back_mut() {
            Some(odd) if odd.text_end == before && odd.source_bytes == 0 => {
                odd.text_end = self.n_text;
                odd.text_bytes += text_bytes;
                odd.source_bytes = source_bytes;
            }
            _ if text_bytes == source_bytes => {}
            _ => self.odd.push_back(Odd { text_end: self.n_text, text_bytes, source_bytes }),
        }
    }

    /// Source offset of the end of text that ends at a text offset: of the whole character, if
    /// that lies inside one that differs in length; without source that became no text.
    #[must_use]
    pub fn source_end(&self, text: u64) -> u64 {
        let found = self.odd.partition_point(|odd| odd.text_end < text);
        let rest = self.odd.range(found..);
        let inside = rest.clone().find(|odd| odd.text_end - odd.text_bytes < text);
        let end = inside.map_or(text, |odd| odd.text_end);
        let is_without_text = |odd: &&Odd| odd.text_bytes == 0 && odd.text_end == end;
        let n_dropped: u64 = rest.filter(is_without_text).map(|odd| odd.source_bytes).sum();
        self.source(end) - n_dropped
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
        if self.keeps_all {
            return;
        }
        while self.odd.front().is_some_and(|odd| odd.text_end <= text) {
            self.odd.pop_front();
        }
    }
}
