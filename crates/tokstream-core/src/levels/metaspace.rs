//! Blanks as a visible character, at which pieces begin. Nothing is held back.

use super::held::source_of;
use super::{FROM_NEXT, Sink};
use crate::widths::first_width;

/// Which pieces get the character in front if they do not begin with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Every piece.
    Always,
    /// A piece that begins where the source begins.
    First,
    /// None.
    Never,
}

/// How to mark blanks.
#[derive(Clone, Debug)]
pub struct Metaspace {
    /// Stands for a space.
    pub replacement: char,
    /// Which pieces get one in front.
    pub scheme: Scheme,
    /// Begin a piece at each.
    pub split: bool,
}

/// State in one piece.
#[derive(Clone, Debug)]
pub(crate) struct MetaspaceState {
    /// The segment is the first, and text without source of its own comes from its first
    /// character, or from none.
    is_first: bool,
    has_source: bool,
    has_begun: bool,
}

impl MetaspaceState {
    pub(crate) fn new(is_first: bool) -> Self {
        Self { is_first, has_source: false, has_begun: false }
    }

    pub(crate) fn push(
        &mut self,
        metaspace: &Metaspace,
        text: &[u8],
        n_source: usize,
        sink: &mut impl Sink,
    ) {
        let mut buffer = [0; 4];
        let mark = metaspace.replacement.encode_utf8(&mut buffer).as_bytes();
        // Length of the blank or mark that begins `text`.
        let delimiter = |text: &[u8]| match text.first() {
            Some(b' ') => 1,
            _ if text.starts_with(mark) => mark.len(),
            _ => 0,
        };
        self.is_first &= n_source == 0 || !self.has_source;
        if !text.is_empty() && !self.has_begun {
            let is_due = match metaspace.scheme {
                Scheme::Always => true,
                Scheme::First => self.is_first,
                Scheme::Never => false,
            };
            if is_due && delimiter(text) == 0 {
                sink.text(mark, FROM_NEXT);
                self.has_begun = true;
            }
        }
        self.has_source |= n_source > 0 && n_source != FROM_NEXT;
        let is_one = text.len() != n_source || n_source <= first_width(text);
        self.is_first &= is_one && !(text.is_empty() && n_source > 0);
        let source = |range| source_of(range, text.len(), n_source);
        let mut begin = 0;
        let mut at = 0;
        while at < text.len() {
            let n = delimiter(&text[at..]);
            if n == 0 || (!metaspace.split && text[at] != b' ') {
                at += 1;
                continue;
            }
            if begin < at {
                sink.text(&text[begin..at], source(begin..at));
                self.has_begun = true;
            }
            if metaspace.split && self.has_begun {
                sink.end();
            }
            sink.text(mark, source(at..at + n));
            self.has_begun = true;
            at += n;
            begin = at;
        }
        if begin < at || text.is_empty() {
            sink.text(&text[begin..], source(begin..at));
            self.has_begun |= begin < at;
        }
    }

    pub(crate) fn finish(&mut self, sink: &mut impl Sink) {
        if std::mem::take(&mut self.has_begun) {
            sink.end();
        }
    }
}
