//! Replacing the matches of a pattern. Held back: what the search for matches holds.
//!
//! Sources are those of the reference: the new text comes from the last character replaced, and
//! those before it count as deleted.

use std::sync::Arc;

use super::mapped::Mapped;
use crate::levels::search::{Found, Search};
use crate::pretokens::Automaton;

#[derive(Debug)]
struct Rule {
    automaton: Automaton,
    content: String,
    may_wait: bool,
}

/// A replacement, the search for matches, and the text that it has not told.
#[derive(Clone, Debug)]
pub(super) struct ReplacePattern {
    rule: Arc<Rule>,
    search: Search,
    untold: Untold,
}

/// Text that was read; what lies before `n_told` is known to be in a match or between matches.
#[derive(Clone, Debug, Default)]
struct Untold {
    text: String,
    /// Position of `text` in the segment.
    origin: u64,
    n_told: usize,
    /// Bytes of the last character of the match that was told, which is not accounted for.
    last_width: usize,
}

impl ReplacePattern {
    /// `automaton` need not match everywhere.
    pub(super) fn new(automaton: Automaton, content: &str) -> Self {
        let may_wait = automaton.may_wait();
        let rule = Rule { automaton, content: content.to_owned(), may_wait };
        Self { rule: Arc::new(rule), search: Search::default(), untold: Untold::default() }
    }

    pub(super) fn waits_for(&self) -> Option<&'static str> {
        self.rule.may_wait.then_some("the end of a possible match")
    }

    pub(super) fn push(&mut self, text: &str, out: &mut Mapped) {
        let Self { rule, search, untold } = self;
        untold.text.push_str(text);
        search.push(&rule.automaton, text.as_bytes(), &mut |found| untold.take(rule, found, out));
        untold.forget();
    }

    pub(super) fn finish(&mut self, out: &mut Mapped) {
        let Self { rule, search, untold } = self;
        search.finish(&rule.automaton, &mut |found| untold.take(rule, found, out));
        *untold = Untold::default();
    }
}

impl Untold {
    fn take(&mut self, rule: &Rule, found: Found, out: &mut Mapped) {
        match found {
            Found::Gap(position) => out.copy(self.tell(position)),
            // It will be told as one or the other.
            Found::Either(_) => {}
            Found::Match(position) => {
                let n_before = self.last_width;
                let matched = self.tell(position);
                let last_width = matched.chars().next_back().map_or(0, char::len_utf8);
                out.skip(n_before + matched.len() - last_width);
                self.last_width = last_width;
            }
            Found::MatchEnd => {
                let last_width = std::mem::take(&mut self.last_width);
                if rule.content.is_empty() {
                    out.skip(last_width);
                } else {
                    out.put(&rule.content, last_width);
                }
            }
        }
    }

    /// The text up to `position`, as far as it was not told.
    fn tell(&mut self, position: u64) -> &str {
        let begin = self.n_told;
        self.n_told = (position - self.origin) as usize;
        &self.text[begin..self.n_told]
    }

    /// Drop what was told; moving the rest costs at most as much.
    fn forget(&mut self) {
        if self.n_told >= self.text.len() - self.n_told {
            self.text.drain(..self.n_told);
            self.origin += self.n_told as u64;
            self.n_told = 0;
        }
    }
}
