//! One step of a normalizer: which kinds there are, and what they have in common.

use super::characters::Characters;
use super::ends::{Prepend, PrependUnless, Strip};
use super::forms::{Form, FormState};
use super::mapped::Mapped;
use super::precompiled::Precompiled;
use super::replace::Replace;
use super::replace_pattern::ReplacePattern;
use super::sentencepiece::{Options, SentencePiece};
use crate::error::TableError;
use crate::pretokens::Automaton;
use crate::tokens::Spaces;

/// A step: its tables, which are shared, and its state in one stream.
#[derive(Clone, Debug)]
pub struct Step(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Form(FormState),
    Characters(Characters),
    Strip(Strip),
    Prepend(Prepend),
    PrependUnless(PrependUnless),
    Replace(Replace),
    ReplacePattern(ReplacePattern),
    Precompiled(Precompiled),
    SentencePiece(SentencePiece),
}

impl Step {
    /// Is it a Unicode normalization form?
    pub(super) fn is_form(&self) -> bool {
        matches!(self.0, Kind::Form(_))
    }

    /// A Unicode normalization form.
    #[must_use]
    pub fn form(form: Form) -> Self {
        Self(Kind::Form(FormState::new(form)))
    }

    /// A rule that looks at one character at a time.
    #[must_use]
    pub fn characters(rule: Characters) -> Self {
        Self(Kind::Characters(rule))
    }

    /// Delete whitespace at the beginning and at the end of the segment.
    #[must_use]
    pub fn strip(left: bool, right: bool) -> Self {
        Self(Kind::Strip(Strip::new(left, right)))
    }

    /// Put `text` before a segment that is not empty.
    #[must_use]
    pub fn prepend(text: &str) -> Self {
        Self(Kind::Prepend(Prepend::new(text)))
    }

    /// Put `text` before a segment that is not empty and does not begin with it; `first_only`:
    /// only before the first segment of the text.
    #[must_use]
    pub fn prepend_unless(text: &str, first_only: bool) -> Self {
        Self(Kind::PrependUnless(PrependUnless::new(text, first_only)))
    }

    /// Replace each occurrence of `literal`, leftmost first, by `content`.
    pub fn replace(literal: &str, content: &str) -> Result<Self, TableError> {
        Ok(Self(Kind::Replace(Replace::new(literal, content)?)))
    }

    /// Replace each match that `automaton` finds, which need not match everywhere, by `content`.
    #[must_use]
    pub fn replace_pattern(automaton: Automaton, content: &str) -> Self {
        Self(Kind::ReplacePattern(ReplacePattern::new(automaton, content)))
    }

    /// A precompiled character map, as `tokenizers` applies it.
    pub fn precompiled(charsmap: &[u8]) -> Result<Self, TableError> {
        Ok(Self(Kind::Precompiled(Precompiled::new(charsmap)?)))
    }

    /// All that `SentencePiece` does; `charsmap` may be empty, `symbols` are the user-defined ones.
    pub fn sentencepiece(
        charsmap: &[u8],
        symbols: &[String],
        options: Options,
    ) -> Result<Self, TableError> {
        Ok(Self(Kind::SentencePiece(SentencePiece::new(charsmap, symbols, options)?)))
    }

    /// What may make it hold back any amount of text.
    pub(super) fn waits_for(&self) -> Option<&'static str> {
        match &self.0 {
            Kind::Form(_) => Some("a run of combining marks"),
            Kind::Strip(strip) => strip.waits_for(),
            Kind::ReplacePattern(step) => step.waits_for(),
            Kind::SentencePiece(step) => step.waits_for(),
            _ => None,
        }
    }

    /// What it reads spaces as, if that is all it does behind the first character of a segment.
    pub(super) fn spaces(&self) -> Option<Spaces> {
        match &self.0 {
            Kind::Prepend(_) | Kind::PrependUnless(_) => Some(Spaces::Kept),
            Kind::Replace(step) => step.writes_signs().then_some(Spaces::Signs),
            Kind::SentencePiece(step) => step.spaces(),
            _ => None,
        }
    }

    /// Does it replace spaces by signs, and nothing else?
    pub(super) fn writes_signs(&self) -> bool {
        matches!(&self.0, Kind::Replace(step) if step.writes_signs())
    }

    /// Is nothing held, and nothing owed before the next character? Only for steps with `spaces`.
    pub(super) fn is_plain(&self) -> bool {
        match &self.0 {
            Kind::Prepend(step) => step.is_inside(),
            Kind::PrependUnless(step) => step.is_inside(),
            Kind::Replace(_) => true, // a literal of one byte
            Kind::SentencePiece(step) => step.is_plain(),
            _ => false,
        }
    }

    /// Be as behind the first character of a segment. Only for steps with `spaces`.
    pub(super) fn go_inside(&mut self) {
        match &mut self.0 {
            Kind::Prepend(step) => step.go_inside(),
            Kind::PrependUnless(step) => step.go_inside(),
            Kind::SentencePiece(step) => step.go_inside(),
            _ => {}
        }
    }

    /// Read more text.
    pub(super) fn push(&mut self, text: &str, out: &mut Mapped) {
        match &mut self.0 {
            Kind::Form(step) => step.push(text, out),
            Kind::Characters(step) => step.push(text, out),
            Kind::Strip(step) => step.push(text, out),
            Kind::Prepend(step) => step.push(text, out),
            Kind::PrependUnless(step) => step.push(text, out),
            Kind::Replace(step) => step.push(text, out),
            Kind::ReplacePattern(step) => step.push(text, out),
            Kind::Precompiled(step) => step.push(text, out),
            Kind::SentencePiece(step) => step.push(text, out),
        }
    }

    /// Does the text it holds, if any, begin with a character that is not accounted for?
    pub(super) fn is_settled(&self) -> bool {
        match &self.0 {
            Kind::Form(step) => step.is_settled(),
            _ => true,
        }
    }

    /// The segment ends; give the rest and be ready for the next one.
    pub(super) fn finish(&mut self, out: &mut Mapped) {
        match &mut self.0 {
            Kind::Form(step) => step.finish(out),
            Kind::Characters(_) => {}
            Kind::Strip(step) => step.finish(out),
            Kind::Prepend(step) => step.finish(),
            Kind::PrependUnless(step) => step.finish(out),
            Kind::Replace(step) => step.finish(out),
            Kind::ReplacePattern(step) => step.finish(out),
            Kind::Precompiled(step) => step.finish(out),
            Kind::SentencePiece(step) => step.finish(out),
        }
    }

    /// The next segment is not the first of the text.
    pub(super) fn leave_start(&mut self) {
        if let Kind::PrependUnless(step) = &mut self.0 {
            step.leave_start();
        }
    }
}
