//! Entries of a vocabulary that lie across the end of a text: those that begin with a suffix of it.
//!
//! In: a text. Out: each such entry, with the length of the suffix; longer suffixes first, but all
//! entries that Merge does not produce last. Held back: nothing.

use super::extensions::Prefixed;
use super::vocabulary::Vocabulary;

/// Goes through them.
#[derive(Debug)]
pub(crate) struct Overlaps<'a> {
    vocabulary: &'a Vocabulary,
    text: &'a [u8],
    /// The suffix at hand; 0 when all tokens that Merge produces are through.
    node: u32,
    run: Prefixed<'a>,
    /// The next token of the run.
    at: usize,
    /// The same for the other entries: where the suffix begins, and the next entry.
    begin: usize,
    entry: usize,
}

impl<'a> Overlaps<'a> {
    /// With suffixes of `text`, which is not empty. Cost: O(length).
    pub(crate) fn new(vocabulary: &'a Vocabulary, text: &'a [u8]) -> Self {
        let node = text.iter().fold(0, |node, &byte| vocabulary.automaton.step(node, byte));
        let run = vocabulary.beginning_with(node, text);
        let begin = if vocabulary.has_whole_pieces() { 0 } else { text.len() };
        let (at, entry) = (run.first(), vocabulary.unreachable.search(text).0);
        Self { vocabulary, text, node, run, at, begin, entry }
    }

    /// Ids of all entries that begin with the whole text; to be taken before anything else.
    pub(crate) fn take_whole(&mut self) -> Vec<u32> {
        let Vocabulary { automaton, forest, unreachable, .. } = self.vocabulary;
        let mut ids = Vec::new();
        if automaton.depth(self.node) == self.text.len() {
            ids.extend(self.run.all().iter().map(|&token| forest.id(token)));
            self.next_suffix();
        }
        if self.begin == 0 {
            while self.entry_begins() {
                ids.push(unreachable.ids()[self.entry]);
                self.entry += 1;
            }
            self.next_begin();
        }
        ids
    }

    fn next_suffix(&mut self) {
        self.node = self.vocabulary.automaton.fail(self.node);
        self.run = self.vocabulary.beginning_with(self.node, self.text);
        self.at = self.run.first();
    }

    fn next_begin(&mut self) {
        self.begin += 1;
        self.entry = self.vocabulary.unreachable.search(&self.text[self.begin..]).0;
    }

    fn entry_begins(&self) -> bool {
        let entries = &self.vocabulary.unreachable;
        self.entry < entries.ids().len()
            && entries.bytes(self.entry).starts_with(&self.text[self.begin..])
    }
}

impl<'a> Iterator for Overlaps<'a> {
    /// What the entry has behind the suffix.
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let Vocabulary { automaton, forest, unreachable, .. } = self.vocabulary;
        while self.node != 0 {
            if let Some(token) = self.run.get(self.at) {
                self.at += 1;
                return Some(&forest.bytes(token)[automaton.depth(self.node)..]);
            }
            self.next_suffix();
        }
        while self.begin < self.text.len() {
            if self.entry_begins() {
                self.entry += 1;
                return Some(&unreachable.bytes(self.entry - 1)[self.text.len() - self.begin..]);
            }
            self.next_begin();
        }
        None
    }
}
