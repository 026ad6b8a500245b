//! Text offsets → source offsets, where the text is not the source byte for byte.
//!
//! A replaced sequence of 1 to 3 bytes is 3 bytes of text, a surrogate pair of 6 is 4; normalizers
//! change more. Only such characters in text that is still pending are remembered.

use std::collections::VecDeque;
use std::ops::Range;

/// A character whose text and source differ in length; or source without text.
#[derive(Clone, Copy, Debug)]
struct Odd {
    /// Offset of its end in the text, and in the source.
    text_end: u64,
    source_end: u64,
    text_bytes: u64,
    source_bytes: u64,
}

impl Odd {
    fn text_begin(&self) -> u64 {
        self.text_end - self.text_bytes
    }

    fn source_begin(&self) -> u64 {
        self.source_end - self.source_bytes
    }
}

/// Where the text given out so far comes from.
#[derive(Clone, Debug, Default)]
pub struct Places {
    n_text: u64,
    n_source: u64,
    /// In order of text, then of source.
    odd: VecDeque<Odd>,
    /// Nothing is forgotten.
    keeps_all: bool,
    /// Up to where it is: text, source.
    forgotten: (u64, u64),
}

impl Places {
    /// Text of `text_bytes` bytes follows, made from the bytes `source` of the input.
    pub fn add(&mut self, text_bytes: usize, source: Range<u64>) {
        let (text_bytes, source_bytes) = (text_bytes as u64, source.end - source.start);
        self.n_text += text_bytes;
        self.n_source = source.end;
        if text_bytes == source_bytes {
            return;
        }
        let (text_end, source_end) = (self.n_text, source.end);
        match self.odd.back_mut() {
            Some(odd) if text_bytes == 0 && (odd.text_bytes, odd.text_end) == (0, text_end) => {
                odd.source_bytes += source_bytes;
                odd.source_end = source_end;
            }
            // More text that comes from what follows.
            Some(odd)
                if (source_bytes, odd.source_bytes) == (0, 0)
                    && odd.text_end + text_bytes == text_end =>
            {
                odd.text_bytes += text_bytes;
                odd.text_end = text_end;
            }
            _ => self.odd.push_back(Odd { text_end, source_end, text_bytes, source_bytes }),
        }
    }

    /// From now on forget nothing, for those who ask at the end.
    pub fn keep_all(&mut self) {
        self.keeps_all = true;
    }

    /// Is nothing forgotten?
    #[must_use]
    pub fn keeps_all(&self) -> bool {
        self.keeps_all
    }

    /// Take back the last `n` bytes of source, which became no text.
    pub fn take_back_dropped(&mut self, n: usize) {
        let n = n as u64;
        let Some(odd) = self.odd.back_mut() else { return };
        if odd.text_bytes > 0 || odd.source_bytes < n {
            return;
        }
        odd.source_bytes -= n;
        odd.source_end -= n;
        self.n_source -= n;
        if odd.source_bytes == 0 {
            self.odd.pop_back();
        }
    }

    /// Text of `text_bytes` bytes follows that comes from the last character, too: from the bytes
    /// `source` of the input. The `last_bytes` bytes of text before it are known to come from
    /// there.
    pub fn add_to_last(&mut self, text_bytes: usize, last_bytes: usize, source: Range<u64>) {
        let (text_bytes, last_bytes) = (text_bytes as u64, last_bytes as u64);
        let before = self.n_text;
        self.n_text += text_bytes;
        // Source without text may have followed the character.
        let is_behind = |odd: &Odd| odd.text_bytes == 0 && odd.text_end == before;
        let n_behind = self.odd.iter().rev().take_while(|odd| is_behind(odd)).count();
        let at = self.odd.len() - n_behind;
        for odd in self.odd.range_mut(at..) {
            odd.text_end = self.n_text;
        }
        match at.checked_sub(1).and_then(|last| self.odd.get_mut(last)) {
            Some(odd) if odd.text_end == before => {
                odd.text_end = self.n_text;
                odd.text_bytes += text_bytes;
            }
            _ => {
                // As long as its source until now; or forgotten, then only the new text counts.
                let source_bytes = source.end - source.start;
                let known = if last_bytes == source_bytes { last_bytes } else { 0 };
                let text_bytes = text_bytes + known;
                let (text_end, source_end) = (self.n_text, source.end);
                self.odd.insert(at, Odd { text_end, source_end, text_bytes, source_bytes });
            }
        }
    }

    /// Take back the text at the end that was added without a source; returns how many bytes.
    pub fn take_back_prefix(&mut self) -> usize {
        let mut n = 0;
        while let Some(odd) = self.odd.back()
            && odd.source_bytes == 0
            && odd.text_end == self.n_text
        {
            n += odd.text_bytes;
            self.n_text -= odd.text_bytes;
            self.odd.pop_back();
        }
        n as usize
    }

    /// Text follows that was made from the bytes `source`, and from which the text before it,
    /// added without a source, comes, too.
    pub fn add_to_next(&mut self, text_bytes: usize, source: Range<u64>) {
        let (before, source_bytes) = (self.n_text, source.end - source.start);
        match self.odd.back_mut() {
            Some(odd) if odd.text_end == before && odd.source_bytes == 0 => {
                self.n_text += text_bytes as u64;
                self.n_source = source.end;
                odd.text_end = self.n_text;
                odd.text_bytes += text_bytes as u64;
                (odd.source_end, odd.source_bytes) = (source.end, source_bytes);
            }
            _ => self.add(text_bytes, source),
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

    /// Source offset of a text offset; inside a character that differs in length, its beginning;
    /// of text that was forgotten, where that ends. Cost: O(log(characters that differ)).
    #[must_use]
    pub fn source(&self, text: u64) -> u64 {
        if text < self.forgotten.0 {
            return self.forgotten.1;
        }
        let next = self.odd.partition_point(|odd| odd.text_end <= text);
        match self.odd.get(next) {
            Some(odd) => odd.source_begin() - odd.text_begin().saturating_sub(text),
            None => self.n_source - (self.n_text - text),
        }
    }

    /// Source offset of the end of text that ends at a text offset: of the whole character, if
    /// that lies inside one that differs in length; without source that became no text.
    #[must_use]
    pub fn source_end(&self, text: u64) -> u64 {
        let next = self.odd.partition_point(|odd| odd.text_end < text);
        match self.odd.get(next) {
            // It may also be source without text, right behind or further on.
            Some(odd) if odd.text_begin() < text => odd.source_end,
            Some(odd) => odd.source_begin() - (odd.text_begin() - text),
            None => self.n_source - (self.n_text - text),
        }
    }

    /// Text before `text` will not be asked about any more.
    pub fn forget(&mut self, text: u64) {
        if self.keeps_all {
            return;
        }
        if text > self.forgotten.0 {
            self.forgotten = (text, self.source(text));
        }
        while self.odd.front().is_some_and(|odd| odd.text_end <= text) {
            self.odd.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_lead_back_to_whole_characters() {
        let mut places = Places::default();
        places.add(2, 0..2);
        places.add(0, 2..5); // dropped
        places.add(3, 5..6); // one byte became three
        places.add(1, 6..7);
        places.add_to_last(2, 1, 6..7);
        places.add(0, 7..8); // dropped
        places.add_to_last(1, 1, 6..7);
        places.add(1, 8..8);
        places.add_to_next(2, 8..10);
        let begins: Vec<u64> = (0..=12).map(|text| places.source(text)).collect();
        assert_eq!(begins, [0, 1, 5, 5, 5, 6, 6, 6, 6, 8, 8, 8, 10]);
        let ends: Vec<u64> = (1..=12).map(|text| places.source_end(text)).collect();
        assert_eq!(ends, [1, 2, 6, 6, 6, 7, 7, 7, 7, 10, 10, 10]);
        assert_eq!((places.n_text(), places.n_source()), (12, 10));
    }

    #[test]
    fn what_is_added_to_a_forgotten_character_comes_from_it_all_the_same() {
        let mut places = Places::default();
        places.add(4, 0..1);
        places.add(0, 1..3); // dropped
        places.forget(4);
        places.add_to_last(2, 4, 0..1);
        assert_eq!((places.source(4), places.source_end(6)), (0, 1));
        places.add(1, 3..4);
        assert_eq!((places.source(6), places.source(7)), (3, 4));
        places.forget(7);
        assert_eq!(places.source(4), 4, "no going back");
    }
}
