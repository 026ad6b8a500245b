//! Replacing a literal. Held back: an end of the text that begins the literal.
//!
//! Sources are those of the reference: the new text comes from the last character replaced, and
//! those before it count as deleted.

use std::ops::Range;
use std::sync::Arc;

use memchr::memchr;

use super::mapped::Mapped;
use crate::error::TableError;
use crate::tokens::SIGN;

#[derive(Debug)]
struct Rule {
    literal: String,
    content: String,
    /// `borders[n]`: longest proper prefix of `literal[..n]` that is its suffix, too.
    borders: Vec<usize>,
}

/// The text held, a beginning of the literal, and the text behind it.
struct Joint<'a> {
    held: &'a str,
    text: &'a str,
}

impl Joint<'_> {
    fn copy(&self, range: Range<usize>, out: &mut Mapped) {
        let n = self.held.len();
        if range.start < n {
            out.copy(&self.held[range.start..range.end.min(n)]);
        }
        if range.end > n {
            out.copy(&self.text[range.start.max(n) - n..range.end - n]);
        }
    }
}

/// A replacement, and how much of the literal the text ends with.
#[derive(Clone, Debug)]
pub(super) struct Replace {
    rule: Arc<Rule>,
    n_matched: usize,
}

impl Replace {
    pub(super) fn new(literal: &str, content: &str) -> Result<Self, TableError> {
        if literal.is_empty() {
            return Err(TableError(
                "replace: the pattern is empty and would match between all characters; \
                 give at least one character"
                    .into(),
            ));
        }
        let bytes = literal.as_bytes();
        let mut borders = vec![0; bytes.len() + 1];
        for n in 1..bytes.len() {
            let mut border = borders[n];
            while border > 0 && bytes[border] != bytes[n] {
                border = borders[border];
            }
            borders[n + 1] = border + usize::from(bytes[border] == bytes[n]);
        }
        let rule = Rule { literal: literal.to_owned(), content: content.to_owned(), borders };
        Ok(Self { rule: Arc::new(rule), n_matched: 0 })
    }

    /// Does it write spaces as U+2581, and nothing else?
    pub(super) fn writes_signs(&self) -> bool {
        self.rule.literal == " " && self.rule.content.as_bytes() == SIGN
    }

    pub(super) fn push(&mut self, text: &str, out: &mut Mapped) {
        let Rule { literal, content, borders } = &*self.rule;
        let (bytes, wanted) = (text.as_bytes(), literal.as_bytes());
        let last_width = literal.chars().next_back().map_or(0, char::len_utf8);
        let joint = Joint { held: &literal[..self.n_matched], text };
        let n_held = self.n_matched;
        let mut matched = self.n_matched;
        let mut done = 0;
        let mut at = 0;
        while at < bytes.len() {
            if matched == 0 {
                match memchr(wanted[0], &bytes[at..]) {
                    Some(n) => at += n,
                    None => break,
                }
            }
            while matched > 0 && bytes[at] != wanted[matched] {
                matched = borders[matched];
            }
            matched += usize::from(bytes[at] == wanted[matched]);
            at += 1;
            if matched == wanted.len() {
                joint.copy(done..n_held + at - matched, out);
                if content.is_empty() {
                    out.skip(matched);
                } else {
                    out.skip(matched - last_width);
                    out.put(content, last_width);
                }
                done = n_held + at;
                matched = 0;
            }
        }
        joint.copy(done..n_held + bytes.len() - matched, out);
        self.n_matched = matched;
    }

    pub(super) fn finish(&mut self, out: &mut Mapped) {
        out.copy(&self.rule.literal[..self.n_matched]);
        self.n_matched = 0;
    }
}
