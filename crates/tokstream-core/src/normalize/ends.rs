//! Steps that look at the ends of a segment: strip, prepend.
//!
//! Held back: whitespace that may be the last; the beginning while it may still turn out to be
//! what would be prepended.

use std::sync::Arc;

use super::mapped::Mapped;

/// Deletes whitespace (the Unicode property `White_Space`) at the ends.
#[derive(Clone, Debug)]
pub(super) struct Strip {
    left: bool,
    right: bool,
    /// Some character was kept.
    is_inside: bool,
    /// Whitespace that goes if nothing else follows.
    held: String,
}

impl Strip {
    pub(super) fn new(left: bool, right: bool) -> Self {
        Self { left, right, is_inside: false, held: String::new() }
    }

    pub(super) fn waits_for(&self) -> Option<&'static str> {
        self.right.then_some("the end of a run of whitespace")
    }

    pub(super) fn push(&mut self, text: &str, out: &mut Mapped) {
        let mut kept = text;
        if self.left && !self.is_inside {
            kept = text.trim_start();
            out.skip(text.len() - kept.len());
        }
        if self.right {
            let rest = kept.trim_end();
            if !rest.is_empty() {
                out.copy(&self.held);
                self.held.clear();
            }
            self.held.push_str(&kept[rest.len()..]);
            kept = rest;
        }
        self.is_inside |= !kept.is_empty();
        out.copy(kept);
    }

    pub(super) fn finish(&mut self, out: &mut Mapped) {
        out.skip(self.held.len());
        self.held.clear();
        self.is_inside = false;
    }
}

/// Puts a text before a segment that is not empty.
#[derive(Clone, Debug)]
pub(super) struct Prepend {
    text: Arc<str>,
    is_inside: bool,
}

impl Prepend {
    pub(super) fn new(text: &str) -> Self {
        Self { text: text.into(), is_inside: false }
    }

    pub(super) fn is_inside(&self) -> bool {
        self.is_inside
    }

    pub(super) fn go_inside(&mut self) {
        self.is_inside = true;
    }

    pub(super) fn push(&mut self, text: &str, out: &mut Mapped) {
        let mut rest = text;
        if !self.is_inside && !text.is_empty() {
            self.is_inside = true;
            rest = put_before(&self.text, text, out);
        }
        out.copy(rest);
    }

    pub(super) fn finish(&mut self) {
        self.is_inside = false;
    }
}

/// Give `prefix` and the first character of `text` as made from that character; returns the rest.
fn put_before<'a>(prefix: &str, text: &'a str, out: &mut Mapped) -> &'a str {
    let n = text.chars().next().map_or(0, char::len_utf8);
    let (first, rest) = text.split_at(n);
    if prefix.is_empty() {
        out.copy(first);
    } else {
        out.put(prefix, n);
        out.put(first, 0);
    }
    rest
}

/// Puts a text before a segment that is not empty and does not begin with it.
#[derive(Clone, Debug)]
pub(super) struct PrependUnless {
    text: Arc<str>,
    first_only: bool,
    is_decided: bool,
    /// How much of `text` was read, while the segment may still begin with all of it.
    n_read: usize,
}

impl PrependUnless {
    pub(super) fn new(text: &str, first_only: bool) -> Self {
        // Every segment begins with nothing.
        Self { text: text.into(), first_only, is_decided: text.is_empty(), n_read: 0 }
    }

    pub(super) fn is_inside(&self) -> bool {
        self.is_decided
    }

    pub(super) fn go_inside(&mut self) {
        self.is_decided = true;
    }

    pub(super) fn push(&mut self, text: &str, out: &mut Mapped) {
        let mut rest = text;
        if !self.is_decided {
            let wanted = &self.text.as_bytes()[self.n_read..];
            let n = text.bytes().zip(wanted).take_while(|(read, want)| read == *want).count();
            if n == wanted.len() {
                self.is_decided = true;
                out.copy(&self.text[..self.n_read]);
            } else if n == text.len() {
                self.n_read += n;
                return;
            } else {
                self.is_decided = true;
                rest = self.put(text, out);
            }
        }
        out.copy(rest);
    }

    /// Give the text, then what was held; returns what is left of `text`.
    fn put<'a>(&self, text: &'a str, out: &mut Mapped) -> &'a str {
        let held = &self.text[..self.n_read];
        if held.is_empty() {
            return put_before(&self.text, text, out);
        }
        let rest = put_before(&self.text, held, out);
        out.copy(rest);
        text
    }

    pub(super) fn finish(&mut self, out: &mut Mapped) {
        if !self.is_decided && self.n_read > 0 {
            self.put("", out);
        }
        self.is_decided = self.text.is_empty();
        self.n_read = 0;
    }

    pub(super) fn leave_start(&mut self) {
        self.is_decided |= self.first_only;
    }
}
