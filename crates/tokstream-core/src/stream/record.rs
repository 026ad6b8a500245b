//! What each id stands for, for those who ask.

use std::ops::Range;

use crate::chunks::Places;
use crate::core::Core;

/// Ids in order, with the text of each.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    items: Vec<Item>,
    /// Where pretokens end, in the text that goes to be merged.
    ends: Vec<u64>,
    /// Some of the current pretoken was left out.
    has_gap: bool,
}

#[derive(Clone, Debug)]
enum Item {
    /// So many bytes of text became so many ids.
    Text { n_text: usize, n_ids: usize },
    /// An added token, with where it is in the segments' text, and how many pretokens ended before.
    Token(Range<u64>, usize),
}

impl Record {
    /// Expand internal ids (see `Expansions::expand`) and note them in `record`, if there is one.
    /// `n_text`: bytes they stand for, if they end a pretoken.
    pub(super) fn expand(
        record: &mut Option<Self>,
        core: &Core,
        out: &mut Vec<u32>,
        begin: usize,
        follows: &mut bool,
        n_text: Option<usize>,
    ) {
        let Some(record) = record else {
            return core.expansions.expand(out, begin, follows);
        };
        let mut left = n_text;
        core.expansions.expand_each(out, begin, follows, &mut |internal, n_ids| {
            let n_text = core.length_of(internal);
            left = left.map(|left| left.saturating_sub(n_text));
            record.items.push(Item::Text { n_text, n_ids });
        });
        if let (Some(left @ 1..), Some(Item::Text { n_text, .. })) = (left, record.items.last_mut())
        {
            *n_text += left;
        }
    }

    /// An added token.
    pub(super) fn token(&mut self, source: Range<u64>) {
        self.items.push(Item::Token(source, self.ends.len()));
    }

    /// A pretoken ends here, also one of which nothing is left.
    pub(super) fn end(&mut self, at: u64) {
        self.ends.push(at);
        self.has_gap = false;
    }

    /// Some of the current pretoken is left out.
    pub(super) fn gap(&mut self) {
        self.has_gap = true;
    }

    /// Was some of the current pretoken left out?
    pub(super) fn has_gap(&self) -> bool {
        self.has_gap
    }

    /// `n` bytes at `at` belong to the added token before them, if they follow it at once.
    pub(super) fn widen(&mut self, at: u64, n: usize) {
        if let Some(Item::Token(source, _)) = self.items.last_mut()
            && source.end == at
        {
            source.end += n as u64;
        }
    }

    /// What each id stands for, in the segments' text.
    pub(super) fn spans(&self, places: &Places) -> Vec<Range<u64>> {
        let mut spans: Vec<Range<u64>> = Vec::new();
        let mut at = 0;
        let (mut n_ended, mut is_first) = (0, true);
        for item in &self.items {
            match item {
                Item::Token(source, _) => {
                    spans.push(source.clone());
                    is_first = true;
                }
                Item::Text { n_text, n_ids } => {
                    while self.ends.get(n_ended).is_some_and(|&end| end <= at) {
                        n_ended += 1;
                        is_first = true;
                    }
                    let end = at + *n_text as u64;
                    match (n_ids, spans.last_mut()) {
                        // The marker before a pretoken.
                        (0, _) if is_first => {}
                        // More of what the last id stands for.
                        (0, Some(last)) => last.end = last.end.max(places.source_end(end)),
                        // One id for each byte.
                        (n, _) if *n > 1 && n == n_text => spans.extend(
                            (at..end).map(|at| places.source(at)..places.source_end(at + 1)),
                        ),
                        (n, _) => {
                            let span = places.source(at)..places.source_end(end);
                            spans.extend(std::iter::repeat_n(span, *n));
                        }
                    }
                    is_first &= *n_ids == 0;
                    at = end;
                }
            }
        }
        spans
    }

    /// For each id, how many pretokens and added tokens come before the one it belongs to; and
    /// which ids are added tokens.
    pub(super) fn words(&self) -> (Vec<u32>, Vec<u32>) {
        let mut words = Vec::with_capacity(self.items.len());
        let mut added = Vec::new();
        let (mut at, mut n_ended) = (0, 0);
        for item in &self.items {
            match item {
                Item::Token(_, n_before) => {
                    n_ended = *n_before;
                    added.push(words.len() as u32);
                    words.push((n_ended + added.len() - 1) as u32);
                }
                Item::Text { n_text, n_ids } => {
                    while self.ends.get(n_ended).is_some_and(|&end| end <= at) {
                        n_ended += 1;
                    }
                    words.extend(std::iter::repeat_n((n_ended + added.len()) as u32, *n_ids));
                    at += *n_text as u64;
                }
            }
        }
        (words, added)
    }
}
