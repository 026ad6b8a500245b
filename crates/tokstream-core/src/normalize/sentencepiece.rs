//! What `SentencePiece` does to a text before it is split: character map, blanks, dummy prefix.
//!
//! The text is read in units: the longest user-defined symbol that comes next, which stays as it
//! is; or the longest key of the character map; or one character. Of blanks in a row only one is
//! kept, and none at the ends, if extra whitespace is removed.
//!
//! Held back: a beginning of a symbol or key; the last blanks, if those at the end are removed. A
//! blank is a space, or the sign it is written as, so the text may hold any number in a row.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::charsmap::Charsmap;
use super::mapped::Mapped;
use crate::error::TableError;
use crate::tokens::Spaces;

const SIGN: &str = "\u{2581}";

/// The normalizer's settings in a `SentencePiece` model.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "they are the model's own")]
pub struct Options {
    /// Put a blank before the text.
    pub add_dummy_prefix: bool,
    /// Keep one blank of several, and none at the ends.
    pub remove_extra_whitespaces: bool,
    /// Write a space as U+2581.
    pub escape_whitespaces: bool,
    /// Put the dummy blank behind the text instead.
    pub treat_whitespace_as_suffix: bool,
}

#[derive(Debug)]
struct Rule {
    map: Charsmap,
    symbols: Symbols,
    options: Options,
    /// By first byte: the character is a unit, stays as it is, and is no blank.
    is_simple: [bool; 256],
}

/// User-defined symbols as a tree.
#[derive(Debug, Default)]
struct Symbols {
    children: FxHashMap<(u32, u8), u32>,
    /// By node: a symbol ends here.
    ends: Vec<bool>,
    /// By node: a longer symbol goes on.
    goes_on: Vec<bool>,
}

impl Symbols {
    fn new(symbols: &[String]) -> Self {
        let (mut tree, mut n) = (Self::default(), 1);
        for symbol in symbols {
            let node = symbol.bytes().fold(0, |node, byte| {
                *tree.children.entry((node, byte)).or_insert_with(|| {
                    n += 1;
                    n - 1
                })
            });
            tree.ends.resize(n as usize, false);
            tree.ends[node as usize] = !symbol.is_empty();
        }
        tree.ends.resize(n as usize, false);
        tree.goes_on = vec![false; n as usize];
        for &(node, _) in tree.children.keys() {
            tree.goes_on[node as usize] = true;
        }
        tree
    }

    fn is_empty(&self) -> bool {
        self.children.is_empty()
    }

    /// Bytes of the longest symbol that `text` begins with; `None` if the text is too short to
    /// tell.
    fn longest(&self, text: &str, is_end: bool) -> Option<usize> {
        let (mut node, mut longest) = (0, 0);
        for (at, byte) in text.bytes().enumerate() {
            match self.children.get(&(node, byte)) {
                Some(&child) => node = child,
                None => return Some(longest),
            }
            if self.ends[node as usize] {
                longest = at + 1;
            }
        }
        (is_end || !self.goes_on[node as usize]).then_some(longest)
    }
}

/// A unit of the text: how long it is, and what it becomes.
struct Unit<'a> {
    n_source: usize,
    text: &'a str,
}

impl Rule {
    /// Bytes of simple characters that `text` begins with.
    fn n_simple(&self, text: &str) -> usize {
        let is_other = |&byte: &u8| !self.is_simple[byte as usize] && byte & 0xC0 != 0x80;
        text.as_bytes().iter().position(is_other).unwrap_or(text.len())
    }

    /// The unit that `text`, not empty, begins with; `None` if the text is too short to tell.
    fn unit<'a>(&'a self, text: &'a str, is_end: bool) -> Option<Unit<'a>> {
        let n_symbol = self.symbols.longest(text, is_end)?;
        if n_symbol > 0 {
            return Some(Unit { n_source: n_symbol, text: &text[..n_symbol] });
        }
        let mut found = None;
        let mut node = self.map.root();
        for (at, byte) in text.bytes().enumerate() {
            node = node.and_then(|node| self.map.child(node, byte));
            let Some(node) = node else { break };
            if let Some(replacement) = self.map.replacement(node) {
                found = Some(Unit { n_source: at + 1, text: replacement });
            }
        }
        if !is_end && node.is_some_and(|node| self.map.goes_on(node)) {
            return None;
        }
        found.or_else(|| {
            let n_source = text.chars().next().map_or(0, char::len_utf8);
            Some(Unit { n_source, text: &text[..n_source] })
        })
    }

    fn space(&self) -> &'static str {
        if self.options.escape_whitespaces { SIGN } else { " " }
    }
}

/// A normalizer, and how far it is in its text.
#[derive(Clone, Debug)]
pub(super) struct SentencePiece {
    rule: Arc<Rule>,
    state: State,
}

#[derive(Clone, Debug, Default)]
struct State {
    /// A beginning of a unit.
    unread: String,
    /// Something else than blanks that are removed was read.
    is_inside: bool,
    /// The dummy prefix has not been given.
    owes_prefix: bool,
    /// The last unit ended with a blank, so further ones go.
    is_after_space: bool,
    /// Blanks that go if nothing else follows.
    held: Mapped,
}

impl SentencePiece {
    pub(super) fn new(
        charsmap: &[u8],
        symbols: &[String],
        options: Options,
    ) -> Result<Self, TableError> {
        let map = Charsmap::from_bytes(charsmap)?;
        // Where a character stays as it is by itself, so does a symbol.
        let changes = map.root().is_some() || options.remove_extra_whitespaces;
        let is_needed = |symbol: &&String| changes || symbol.contains(' ');
        let symbols: Vec<String> = symbols.iter().filter(is_needed).cloned().collect();
        let symbols = Symbols::new(&symbols);
        let is_simple = std::array::from_fn(|byte| {
            let byte = byte as u8;
            byte != b' '
                && byte != SIGN.as_bytes()[0]
                && !symbols.children.contains_key(&(0, byte))
                && map.root().and_then(|root| map.child(root, byte)).is_none()
        });
        let rule = Rule { map, symbols, options, is_simple };
        Ok(Self { rule: Arc::new(rule), state: State::default() })
    }

    pub(super) fn waits_for(&self) -> Option<&'static str> {
        let removes = self.rule.options.remove_extra_whitespaces;
        removes.then_some("the end of a run of blanks")
    }

    /// What spaces are read as, if nothing else changes behind the first character.
    pub(super) fn spaces(&self) -> Option<Spaces> {
        let Rule { map, symbols, options, .. } = &*self.rule;
        let is_plain = map.root().is_none() && symbols.is_empty();
        let spaces = if options.escape_whitespaces { Spaces::Signs } else { Spaces::Kept };
        let ends_anyhow = options.remove_extra_whitespaces || options.treat_whitespace_as_suffix;
        (is_plain && !ends_anyhow).then_some(spaces)
    }

    /// Is nothing owed before the next character, and nothing held?
    pub(super) fn is_plain(&self) -> bool {
        self.state.is_plain() && self.state.unread.is_empty()
    }

    /// Be as behind the first character.
    pub(super) fn go_inside(&mut self) {
        self.state.is_inside = true;
    }

    pub(super) fn push(&mut self, text: &str, out: &mut Mapped) {
        let mut rest = text;
        // Join just enough to get past what was held.
        while !self.state.unread.is_empty() {
            let Some(c) = rest.chars().next() else { return };
            self.state.unread.push(c);
            rest = &rest[c.len_utf8()..];
            let unread = std::mem::take(&mut self.state.unread);
            self.state.read(&self.rule, &unread, false, out);
        }
        self.state.read(&self.rule, rest, false, out);
    }

    pub(super) fn finish(&mut self, out: &mut Mapped) {
        let Self { rule, state } = self;
        let unread = std::mem::take(&mut state.unread);
        state.read(rule, &unread, true, out);
        let options = &rule.options;
        if state.owes_prefix && !options.remove_extra_whitespaces {
            out.put(rule.space(), 0);
        }
        out.skip(state.held.n_source());
        if state.is_inside && options.add_dummy_prefix && options.treat_whitespace_as_suffix {
            out.put(rule.space(), 0);
        }
        *state = State::default();
    }
}

impl State {
    /// Read the units of `text`, up to one that is undecided, which is kept.
    fn read(&mut self, rule: &Rule, text: &str, is_end: bool, out: &mut Mapped) {
        let mut rest = text;
        while !rest.is_empty() {
            let n_simple = if self.is_plain() { rule.n_simple(rest) } else { 0 };
            if n_simple > 0 {
                let (simple, behind) = rest.split_at(n_simple);
                out.copy(simple);
                self.is_after_space = false;
                rest = behind;
                continue;
            }
            let Some(unit) = rule.unit(rest, is_end) else {
                self.unread.push_str(rest);
                return;
            };
            rest = &rest[unit.n_source..];
            self.take(rule, &unit, out);
        }
    }

    /// Is nothing owed before the next character, and nothing held?
    fn is_plain(&self) -> bool {
        self.is_inside && !self.owes_prefix && self.held.text().is_empty()
    }

    fn take(&mut self, rule: &Rule, unit: &Unit<'_>, out: &mut Mapped) {
        let Options { add_dummy_prefix, remove_extra_whitespaces: removes, .. } = rule.options;
        if !self.is_inside {
            if removes && unit.text == " " {
                out.skip(unit.n_source);
                return;
            }
            self.is_inside = true;
            self.is_after_space = removes;
            self.owes_prefix = add_dummy_prefix && !rule.options.treat_whitespace_as_suffix;
        }
        let text = if self.is_after_space { unit.text.trim_start_matches(' ') } else { unit.text };
        if !text.is_empty() {
            self.is_after_space = removes && text.ends_with(' ');
        }
        self.give(rule, text, unit.n_source, out);
    }

    /// `n_source` bytes become `text`, whose spaces are to be written as they should be.
    fn give(&mut self, rule: &Rule, text: &str, n_source: usize, out: &mut Mapped) {
        if text.is_empty() {
            self.held_or(out).skip(n_source);
            return;
        }
        let space = rule.space();
        if self.is_plain() && !text.contains(' ') && !text.ends_with(space) {
            out.put(text, n_source);
            return;
        }
        let mut written = String::with_capacity(text.len() + SIGN.len());
        if std::mem::take(&mut self.owes_prefix) {
            written.push_str(space);
        }
        let n_before = written.len();
        if rule.options.escape_whitespaces && text.contains(' ') {
            written.push_str(&text.replace(' ', SIGN));
        } else {
            written.push_str(text);
        }
        let n_kept = if rule.options.remove_extra_whitespaces {
            written.trim_end_matches(space).len()
        } else {
            written.len()
        };
        let (kept, blanks) = written.split_at(n_kept);
        if !kept.is_empty() {
            out.append(&self.held);
            self.held.clear();
            // A prefix and the first character: so that equal lengths do not look like a copy.
            let (prefix, own) = kept.split_at(n_before.min(n_kept));
            if prefix.is_empty() {
                out.put(own, n_source);
            } else {
                out.put(prefix, n_source);
                out.put(own, 0);
            }
        }
        if !blanks.is_empty() {
            self.held.put(blanks, if kept.is_empty() { n_source } else { 0 });
        }
    }

    /// Deletions among blanks that are held wait with them.
    fn held_or<'a>(&'a mut self, out: &'a mut Mapped) -> &'a mut Mapped {
        if self.held.text().is_empty() { out } else { &mut self.held }
    }
}
