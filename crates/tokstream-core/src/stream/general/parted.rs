//! Text that is one pretoken, taken apart before it is normalized.
//!
//! Where all that a normalizer does behind the first character is to write spaces as signs, text
//! between seams need not go through it: the table of pieces knows pieces as they are in the text.

use std::sync::Arc;

use crate::normalize::Normalizing;
use crate::scratch::Scratch;
use crate::stream::parted::{self, Parted};
use crate::tokens::{Pretokens, Spaces};

use super::{Context, General, Passes, Rest};

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
        self.rest.undefer(self.context);
        self.rest.grow(self.context, text);
    }

    fn close(&mut self) -> bool {
        let Self { rest, context, .. } = self;
        rest.is_plain() && rest.late.second.n_held() == 0 && rest.late.cut.close_here(context)
    }

    fn hold(&mut self, text: &[u8]) {
        self.rest.deferred.push(text);
    }

    fn encode(&mut self, text: &[u8], begin: usize, ends: &[usize]) {
        self.rest.undefer(self.context);
        let n_source = ends.last().map_or(0, |end| end - begin);
        let cut = &mut self.rest.late.cut;
        let parts = Pretokens { text, spaces: self.spaces, begin, ends };
        cut.encode_parts(self.context, parts, n_source);
    }
}

/// What is looked for in normalized text, if anything is.
fn second<'a>(context: &Context<'a>) -> Option<&'a Arc<Passes>> {
    context.passes.filter(|passes| !passes.second.is_empty())
}

impl General {
    /// Begin where a token ends in text that is one pretoken, behind its first character.
    pub(in crate::stream) fn begin_between(&mut self) {
        let Rest { normalizing, late, .. } = &mut self.rest;
        if let Some(normalizing) = normalizing {
            normalizing.go_inside();
        }
        if let Some(run) = late.cut.run() {
            run.begin_between();
        }
    }

    /// A token ends behind the text so far, also of those that are looked for, and text follows
    /// that is no such token: let all ids be out. False if that cannot be.
    pub(in crate::stream) fn close_between(&mut self, context: &mut Context<'_>) -> bool {
        self.release_first(context);
        self.rest.close_deferred(context);
        let passes = context.passes.cloned();
        let Rest { late, .. } = &mut self.rest;
        late.release(context, passes.as_deref());
        let is_plain = self.rest.is_plain() && self.rest.late.is_simple();
        is_plain && self.rest.late.cut.close_here(context)
    }
}

impl Rest {
    /// Take text, the simple way if there is one.
    pub(super) fn text(&mut self, context: &mut Context<'_>, text: &[u8]) {
        let core = context.core;
        let links = core.links_of_source().filter(|_| self.late.is_simple());
        let second = second(context).cloned();
        if let (Some((links, spaces)), None) = (links, &second) {
            if self.deferred.has_open() {
                self.undefer(context);
            }
            let mut way = Unnormalized { rest: self, context, spaces };
            return parted::take(links, text, &mut way);
        }
        self.undefer(context);
        let set = second.as_ref().map(|passes| &passes.second).filter(|set| set.is_plain());
        let (Some((links, spaces)), Some(set)) = (links, set) else {
            return self.grow(context, text);
        };
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
                self.undefer(context);
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

    /// The next `n_source` bytes of the segments' text are an added token with this id.
    pub(super) fn token(&mut self, context: &mut Context<'_>, id: u32, n_source: usize) {
        let links = context.core.links_of_source().filter(|_| self.is_idle(context));
        let Some((links, _)) = links else {
            self.finish(context);
            return self.late.cut.token(context, id, n_source);
        };
        self.deferred.close(links);
        self.deferred.token(id, n_source);
        if self.deferred.is_full() {
            self.close_deferred(context);
        }
    }

    /// Is a text that begins here the same to all stages as one that goes on?
    fn is_idle(&self, context: &Context<'_>) -> bool {
        let is_stateless = context.core.normalizer.is_stateless() && second(context).is_none();
        is_stateless && self.late.cut.is_idle() && self.late.is_simple()
    }

    /// Text goes on behind what is deferred.
    pub(super) fn undefer(&mut self, context: &mut Context<'_>) {
        if let Some((links, _)) = context.core.links_of_source() {
            self.deferred.close_parts(links);
        }
        let open = self.encode_deferred(context);
        if !open.is_empty() {
            self.grow(context, &open);
        }
    }

    /// A token ends behind what is deferred.
    pub(super) fn close_deferred(&mut self, context: &mut Context<'_>) {
        if let Some((links, _)) = context.core.links_of_source() {
            self.deferred.close(links);
        }
        self.encode_deferred(context);
    }

    /// Encode what is deferred, save the open part, which is returned.
    fn encode_deferred(&mut self, context: &mut Context<'_>) -> Vec<u8> {
        if self.deferred.is_empty() {
            return Vec::new();
        }
        let spaces = context.core.links_of_source().map_or(Spaces::Kept, |(_, spaces)| spaces);
        let cut = &mut self.late.cut;
        self.deferred.drain(|text, ends, n_source| {
            let parts = Pretokens { text, spaces, begin: 0, ends };
            cut.encode_parts(context, parts, n_source);
        })
    }
}
