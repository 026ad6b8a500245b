//! The Unicode normalization forms NFC, NFD, NFKC and NFKD.
//!
//! Held back: the last starter, if it may compose with what follows, and the combining marks after
//! it, whose order is not known before the next starter. A run of marks has no greatest length.
//!
//! Sources are those of the reference: of n characters that become one, it comes from the first,
//! and the others count as deleted, but the last one if more comes from it; of one that becomes n,
//! all come from it; reordered marks are matched with source characters in order.

use std::collections::VecDeque;

use unicode_normalization_alignments::char::{canonical_combining_class, compose};

use super::mapped::Mapped;
use super::properties::{Properties, decompose};

/// Which form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Canonical composition.
    Nfc,
    /// Canonical decomposition.
    Nfd,
    /// Compatibility composition.
    Nfkc,
    /// Compatibility decomposition.
    Nfkd,
}

impl Form {
    pub(super) fn composes(self) -> bool {
        matches!(self, Self::Nfc | Self::Nfkc)
    }

    pub(super) fn is_compatible(self) -> bool {
        matches!(self, Self::Nfkc | Self::Nfkd)
    }
}

/// A character of the decomposed or composed text.
#[derive(Clone, Copy, Debug)]
struct Part {
    c: char,
    class: u8,
    /// Source characters it accounts for: 1 for the first of a decomposition, 0 for the others.
    n_chars: usize,
}

/// A form, and the characters since the last boundary.
#[derive(Clone, Debug)]
pub(super) struct FormState {
    form: Form,
    properties: &'static Properties,
    starter: Option<Part>,
    /// Marks after the starter, in text order.
    marks: Vec<Part>,
    /// Bytes of source characters that are not accounted for.
    sizes: VecDeque<u8>,
}

impl FormState {
    pub(super) fn new(form: Form) -> Self {
        Self {
            form,
            properties: Properties::of(form),
            starter: None,
            marks: Vec::new(),
            sizes: VecDeque::new(),
        }
    }

    pub(super) fn push(&mut self, text: &str, out: &mut Mapped) {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            if self.properties.is_plain(c) {
                self.close(out);
                rest = self.copy_plain(rest, out);
            } else {
                self.add(c, out);
                rest = &rest[c.len_utf8()..];
            }
        }
        if self.marks.is_empty()
            && !self.starter.is_some_and(|part| self.properties.is_first(part.c))
        {
            self.close(out);
        }
    }

    /// Parts of a decomposed character may be held while its first part is out.
    pub(super) fn is_settled(&self) -> bool {
        self.starter.or_else(|| self.marks.first().copied()).is_none_or(|part| part.n_chars > 0)
    }

    pub(super) fn finish(&mut self, out: &mut Mapped) {
        self.close(out);
    }

    /// `text` begins with plain characters: give them, up to the last one if it may change, which
    /// becomes the starter. Returns the rest.
    fn copy_plain<'a>(&mut self, text: &'a str, out: &mut Mapped) -> &'a str {
        let is_plain = |c| self.properties.is_plain(c);
        let n = text.find(|c| !is_plain(c)).unwrap_or(text.len());
        let (plain, rest) = text.split_at(n);
        match plain.chars().next_back() {
            Some(last) if self.properties.is_open(last) => {
                out.copy(&plain[..n - last.len_utf8()]);
                self.add(last, out);
            }
            _ => out.copy(plain),
        }
        rest
    }

    /// Take in one character.
    fn add(&mut self, c: char, out: &mut Mapped) {
        self.sizes.push_back(c.len_utf8() as u8);
        let mut n_chars = 1;
        decompose(self.form, c, |c| {
            let part = Part { c, class: canonical_combining_class(c), n_chars };
            n_chars = 0;
            if part.class == 0 {
                self.add_starter(part, out);
            } else {
                self.marks.push(part);
            }
        });
    }

    fn add_starter(&mut self, part: Part, out: &mut Mapped) {
        self.settle();
        if self.form.composes()
            && self.marks.is_empty()
            && let Some(starter) = &mut self.starter
            && let Some(c) = compose(starter.c, part.c)
        {
            *starter = Part { c, class: 0, n_chars: starter.n_chars + part.n_chars };
            return;
        }
        self.give(out);
        self.starter = Some(part);
    }

    /// No more marks follow: sort them, and compose the starter with those it takes.
    fn settle(&mut self) {
        if !self.marks.is_sorted_by_key(|mark| mark.class) {
            self.marks.sort_by_key(|mark| mark.class);
        }
        let Some(starter) = self.starter.as_mut().filter(|_| self.form.composes()) else { return };
        let mut blocked = 0;
        self.marks.retain(|mark| {
            let composed = if mark.class > blocked { compose(starter.c, mark.c) } else { None };
            if let Some(c) = composed {
                *starter = Part { c, class: 0, n_chars: starter.n_chars + mark.n_chars };
            } else {
                blocked = mark.class;
            }
            composed.is_none()
        });
    }

    /// Give all there is, after `settle`.
    fn give(&mut self, out: &mut Mapped) {
        let mut parts = self.starter.take().into_iter().chain(self.marks.drain(..)).peekable();
        let mut n_left = 0;
        while let Some(part) = parts.next() {
            // As "e" and a mark that is two: the second of them comes from it.
            let is_split = part.n_chars > 1 && parts.peek().is_some_and(|next| next.n_chars == 0);
            let n_chars = n_left + part.n_chars - usize::from(is_split);
            n_left = usize::from(is_split);
            let mut sizes = self.sizes.drain(..n_chars).map(usize::from);
            out.put_char(part.c, sizes.next().unwrap_or(0));
            out.skip(sizes.sum());
        }
    }

    /// A boundary: nothing before it changes any more.
    fn close(&mut self, out: &mut Mapped) {
        self.settle();
        self.give(out);
    }
}
