//! Where the text that becomes tokens comes from.

use std::ops::Range;

use crate::chunks::Places;
use crate::levels::source_bytes;
use crate::widths::{first_width, last_width};

/// Text that goes to be cut or merged, as it is added, with its source.
///
/// Text without a source of its own comes from the character before it, also if nothing else is
/// left of that; at the beginning of a run or as a sign that a level has put before a piece, from
/// the one behind it.
#[derive(Clone, Debug, Default)]
pub(super) struct Track {
    places: Places,
    /// Length of the last character of the run, 0 at its beginning; and its source.
    last_width: usize,
    last_source: Range<u64>,
    /// Bytes of source of a character that a level dropped right before what comes next.
    n_dropped: usize,
    /// The next character is also what the text before it comes from.
    is_prefix: bool,
}

impl Track {
    /// What was added so far.
    pub(super) fn places(&self) -> &Places {
        &self.places
    }

    /// Forget nothing.
    pub(super) fn keep_all(&mut self) {
        self.places.keep_all();
    }

    /// Text of which all but the last `n_pending` bytes will not be asked about any more.
    pub(super) fn forget(&mut self, n_pending: usize) {
        self.places.forget(self.places.n_text() - n_pending as u64);
    }

    /// `text`, which came from the next `n_source` bytes.
    pub(super) fn add(&mut self, text: &[u8], n_source: usize) {
        if text.is_empty() && n_source == 0 {
            return;
        }
        let at = self.places.n_source();
        let n_dropped = std::mem::take(&mut self.n_dropped);
        if text.is_empty() {
            let n = source_bytes(n_source);
            // What is forgotten cannot be taken back.
            if n < n_source && self.places.keeps_all() {
                self.n_dropped = n;
            }
            return self.places.add(0, at..at + n as u64);
        }
        if n_source == 0 && n_dropped > 0 {
            return self.add_to_dropped(text, n_dropped);
        }
        if n_source == 0 {
            return if self.last_width > 0 {
                // What was put before it comes from there, too.
                let n_before = if self.is_prefix { self.places.take_back_prefix() } else { 0 };
                self.is_prefix = false;
                self.add_suffix(n_before + text.len());
            } else {
                self.add_prefix(text.len());
            };
        }
        let is_equal = text.len() == n_source;
        let mut first = 0;
        if self.is_prefix {
            self.is_prefix = false;
            first = if is_equal { first_width(text) } else { text.len() };
            let source = if is_equal { first } else { n_source };
            self.places.add_to_next(first, at..at + source as u64);
        }
        if first < text.len() {
            let at = self.places.n_source();
            let n_left = if is_equal { text.len() - first } else { n_source };
            self.places.add(text.len() - first, at..at + n_left as u64);
        }
        self.last_width = last_width(text);
        let end = self.places.n_source();
        let n_last = if is_equal { self.last_width } else { n_source };
        self.last_source = end - n_last as u64..end;
    }

    /// `text` is what is left of the last character, whose beginning was dropped.
    fn add_to_dropped(&mut self, text: &[u8], n_dropped: usize) {
        let n_before = self.places.take_back_prefix();
        self.places.take_back_dropped(n_dropped);
        let at = self.places.n_source();
        let source = at..at + n_dropped as u64;
        let first = first_width(text);
        if n_before > 0 {
            // What was put before it comes from there, too.
            self.places.add(n_before, at..at);
            self.places.add_to_next(first, source.clone());
        } else {
            self.places.add(first, source.clone());
        }
        self.is_prefix = false;
        self.last_width = first;
        self.last_source = source;
        if first < text.len() {
            self.add_suffix(text.len() - first);
        }
    }

    /// Is the last text a character of the run?
    pub(super) fn is_behind_character(&self) -> bool {
        self.last_width > 0 && !self.is_prefix
    }

    /// Does text without a source of its own come from that character?
    pub(super) fn goes_on(&self) -> bool {
        self.is_behind_character() && self.n_dropped == 0
    }

    /// Where the last character before `at` begins, if `at` is its end.
    pub(super) fn last_character(&self, at: u64) -> u64 {
        if self.last_source.end == at { self.last_source.start } else { at }
    }

    /// So many bytes of text that come from the next character.
    pub(super) fn add_prefix(&mut self, n_text: usize) {
        let at = self.places.n_source();
        self.places.add(n_text, at..at);
        self.is_prefix = true;
    }

    /// So many bytes of text that come from the last character.
    pub(super) fn add_suffix(&mut self, n_text: usize) {
        self.places.add_to_last(n_text, self.last_width, self.last_source.clone());
    }

    /// The run of text ends.
    pub(super) fn end_run(&mut self) {
        self.last_width = 0;
        let n = std::mem::take(&mut self.n_dropped);
        if n > 0 {
            // What is left of it may be an added token.
            let end = self.places.n_source();
            self.last_source = end - n as u64..end;
        }
        self.is_prefix = false;
    }
}
