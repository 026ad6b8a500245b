//! Text that is one pretoken, taken apart before it is normalized.
//!
//! Where all that a normalizer does behind the first character is to write spaces as signs, text
//! between seams need not go through it: the table of pieces knows pieces as they are in the text.

use crate::normalize::Normalizing;
use crate::scratch::Scratch;
use crate::stream::parted::{self, Parted};
use crate::tokens::Spaces;

use super::{Context, Rest};

/// Less text without added tokens than this is not taken apart.
const MIN_FREE: usize = 64;

/// The stages behind the first pass, and what a step needs.
pub(super) struct Unnormalized<'a, 'b> {
    pub(super) rest: &'a mut Rest,
    pub(super) context: &'a mut Context<'b>,
    pub(super) spaces: Spaces,
}

impl Parted for Unnormalized<'_, '_> {
    fn scratch(&mut self) -> &mut Scratch {
        self.context.scratch
    }

    fn is_closed(&self) -> bool {
        let late = &self.rest.late;
        self.rest.is_plain() && late.second.n_held() == 0 && late.cut.is_closed()
    }

    fn grow(&mut self, text: &[u8]) {
        self.rest.grow(self.context, text);
    }

    fn close(&mut self) -> bool {
        let Self { rest, context, .. } = self;
        rest.is_plain() && rest.late.second.n_held() == 0 && rest.late.cut.close_here(context)
    }

    fn hold(&mut self, text: &[u8]) {
        self.rest.tail.extend_from_slice(text);
    }

    fn encode(&mut self, text: &[u8], begin: usize, ends: &[usize]) {
        self.rest.late.cut.encode_parts(self.context, self.spaces, text, begin, ends);
    }
}

impl Rest {
    /// Take text, the simple way if there is one.
    pub(super) fn text(&mut self, context: &mut Context<'_>, text: &[u8]) {
        self.grow_tail(context);
        let core = context.core;
        let Some((links, spaces)) = core.links_of_source().filter(|_| self.late.is_simple()) else {
            return self.grow(context, text);
        };
        let passes = context.passes.cloned();
        let Some(set) = passes.as_ref().map(|it| &it.second).filter(|set| !set.is_empty()) else {
            let mut way = Unnormalized { rest: self, context, spaces };
            return parted::take(links, text, &mut way);
        };
        if !set.is_plain() {
            return self.grow(context, text);
        }
        // Tokens that are looked for in normalized text look the same in the source.
        let mut rest = text;
        while !rest.is_empty() {
            if self.late.second.n_held() > 0 {
                let part = set.prefix(rest);
                self.grow(context, part);
                rest = &rest[part.len()..];
                continue;
            }
            let (n_free, end) = set.first(rest);
            let (free, after) = rest.split_at(n_free);
            if n_free >= MIN_FREE {
                parted::take(links, free, &mut Unnormalized { rest: self, context, spaces });
                self.grow_tail(context);
            } else {
                self.grow(context, free);
            }
            self.grow(context, &after[..end - n_free]);
            rest = &after[end - n_free..];
        }
    }

    /// Does no step of the normalizer hold text, or owe some before the next character?
    fn is_plain(&self) -> bool {
        self.normalizing.as_ref().is_none_or(Normalizing::is_plain)
    }

    /// Text goes on behind the tail.
    pub(super) fn grow_tail(&mut self, context: &mut Context<'_>) {
        if !self.tail.is_empty() {
            let mut tail = std::mem::take(&mut self.tail);
            self.grow(context, &tail);
            tail.clear();
            self.tail = tail;
        }
    }

    /// A token ends behind the tail.
    pub(super) fn finish_tail(&mut self, context: &mut Context<'_>) {
        let Some((_, spaces)) = context.core.links_of_source() else { return };
        if !self.tail.is_empty() {
            let ends = [self.tail.len()];
            self.late.cut.encode_parts(context, spaces, &self.tail, 0, &ends);
            self.tail.clear();
        }
    }
}
