//! Code points → segments: runs of text, and special tokens.
//!
//! In: valid UTF-8, cut anywhere between characters. Out: text runs and special token ids,
//! leftmost then longest. Held back: a suffix that may still become a special token.

mod marks;
pub(crate) mod overlap;

use std::ops::Range;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::error::TableError;

pub use marks::{Mark, MarkSet, Marking};

/// A token that is found in the text before anything else, with how it is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "they are the flags of the format")]
pub struct AddedToken {
    /// Its text.
    pub content: String,
    /// Its id.
    pub id: u32,
    /// Whether a call may choose to ignore or to refuse it.
    pub is_special: bool,
    /// Looked for in normalized text, rather than in the source.
    pub is_normalized: bool,
    /// Takes the blanks before it in.
    pub strips_left: bool,
    /// Takes the blanks behind it in.
    pub strips_right: bool,
    /// Not next to a letter or the like.
    pub is_single_word: bool,
}

/// The special tokens that one call honours, and the ones it forbids.
///
/// A forbidden string counts wherever it occurs, also inside an allowed token, as in tiktoken.
#[derive(Debug, Default)]
pub struct SpecialSet {
    allowed: Option<AhoCorasick>,
    allowed_tokens: Vec<(String, u32)>,
    forbidden: Option<AhoCorasick>,
    forbidden_names: Vec<String>,
    /// Every string of both kinds.
    openings: Openings,
    forbidden_openings: Openings,
    /// Added tokens with conditions; then none of them is in `allowed`.
    passes: Option<Arc<Passes>>,
}

/// What is looked for in the source, and in normalized text.
#[derive(Debug, Default)]
pub struct Passes {
    /// In the source.
    pub first: MarkSet,
    /// In the normalized text between the tokens of the first pass.
    pub second: MarkSet,
}

/// Strings of which a suffix of the text may be the beginning.
#[derive(Debug)]
struct Openings {
    sorted: Vec<Vec<u8>>,
    /// Which bytes begin a string.
    starts: [bool; 256],
    longest: usize,
}

impl Default for Openings {
    fn default() -> Self {
        Self::new(&[])
    }
}

impl Openings {
    fn new(strings: &[Vec<u8>]) -> Self {
        let mut sorted = strings.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let mut starts = [false; 256];
        for string in &sorted {
            starts[string[0] as usize] = true;
        }
        let longest = sorted.iter().map(Vec::len).max().unwrap_or(0);
        Self { sorted, starts, longest }
    }

    /// Does a string occur in `text` so that it has bytes in `range`?
    fn touch(&self, text: &[u8], range: Range<usize>) -> bool {
        let Self { sorted, starts, longest } = self;
        let first = range.start.saturating_sub(longest.saturating_sub(1));
        let occurs = |at: usize| {
            let rest = &text[at..];
            let same_start = sorted.partition_point(|string| string[0] < rest[0]);
            let strings = sorted[same_start..].iter().take_while(|string| string[0] == rest[0]);
            strings.into_iter().any(|s| at + s.len() > range.start && rest.starts_with(s))
        };
        (first..range.end.min(text.len())).any(|at| starts[text[at] as usize] && occurs(at))
    }

    /// First position at or behind `from` whose whole rest may still become one of the strings.
    fn first(&self, text: &[u8], from: usize) -> usize {
        let is_open = |suffix: &[u8]| {
            let after = self.sorted.partition_point(|string| string.as_slice() <= suffix);
            self.sorted.get(after).is_some_and(|string| string.starts_with(suffix))
        };
        let first = from.max((text.len() + 1).saturating_sub(self.longest));
        (first..text.len())
            .find(|&at| self.starts[text[at] as usize] && is_open(&text[at..]))
            .unwrap_or(text.len())
    }
}

/// What a run of text turned out to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment<'a> {
    /// Text without special tokens.
    Text(&'a [u8]),
    /// An allowed special token.
    Special {
        /// Its id.
        id: u32,
        /// Length of its text.
        n_bytes: usize,
    },
    /// Text that belongs to the special token before it.
    Dropped {
        /// Length.
        n_bytes: usize,
    },
    /// A forbidden string; nothing follows it.
    Forbidden {
        /// The string.
        name: &'a str,
        /// Bytes between the end of the last segment and its beginning, which may lie inside an
        /// allowed token.
        n_before: usize,
    },
}

fn search(strings: &[Vec<u8>]) -> Result<Option<AhoCorasick>, TableError> {
    if strings.is_empty() {
        return Ok(None);
    }
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(strings)
        .map(Some)
        .map_err(|error| TableError(format!("too many special tokens: {error}")))
}

impl SpecialSet {
    /// Prepare the search; cost O(total length), so sets are meant to be kept.
    pub fn new(allowed: &[(String, u32)], forbidden: &[String]) -> Result<Self, TableError> {
        if allowed.iter().any(|(name, _)| name.is_empty()) || forbidden.iter().any(String::is_empty)
        {
            return Err(TableError("a special token must not be empty".into()));
        }
        let allowed_bytes: Vec<Vec<u8>> =
            allowed.iter().map(|(name, _)| name.clone().into_bytes()).collect();
        let forbidden_bytes: Vec<Vec<u8>> =
            forbidden.iter().map(|name| name.clone().into_bytes()).collect();
        let both: Vec<Vec<u8>> = allowed_bytes.iter().chain(&forbidden_bytes).cloned().collect();
        Ok(Self {
            allowed: search(&allowed_bytes)?,
            allowed_tokens: allowed.to_vec(),
            forbidden: search(&forbidden_bytes)?,
            forbidden_names: forbidden.to_vec(),
            openings: Openings::new(&both),
            forbidden_openings: Openings::new(&forbidden_bytes),
            passes: None,
        })
    }

    /// A set of added tokens with conditions, found in two passes.
    pub fn with_passes(passes: Passes, forbidden: &[String]) -> Result<Self, TableError> {
        Ok(Self { passes: Some(Arc::new(passes)), ..Self::new(&[], forbidden)? })
    }

    /// The passes, if added tokens have conditions.
    #[must_use]
    pub fn passes(&self) -> Option<&Arc<Passes>> {
        self.passes.as_ref()
    }

    /// Do both sets honour and forbid the same?
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        let same_passes = match (&self.passes, &other.passes) {
            (None, None) => true,
            (Some(a), Some(b)) => a.first.same(&b.first) && a.second.same(&b.second),
            _ => false,
        };
        same_passes
            && self.allowed_tokens == other.allowed_tokens
            && self.forbidden_names == other.forbidden_names
    }

    /// Bytes of the longest string that is looked for.
    pub(crate) fn longest(&self) -> usize {
        self.all_openings().map(|openings| openings.longest).max().unwrap_or(0)
    }

    /// Does any string that is looked for occur in `text` so that it has bytes in `range`?
    pub(crate) fn touches(&self, text: &[u8], range: Range<usize>) -> bool {
        self.all_openings().any(|openings| openings.touch(text, range.clone()))
    }

    /// Are there tokens that are found by more than what they are written as in the source?
    pub(crate) fn has_conditions(&self) -> bool {
        self.passes.as_ref().is_some_and(|passes| {
            passes.first.has_conditions() || !(passes.second.is_empty() || passes.second.is_plain())
        })
    }

    fn all_openings(&self) -> impl Iterator<Item = &Openings> {
        let passes = self.passes.iter().flat_map(|passes| [&passes.first, &passes.second]);
        passes.map(MarkSet::openings).chain([&self.openings])
    }

    fn is_empty(&self) -> bool {
        self.openings.sorted.is_empty()
    }

    fn find_allowed(&self, text: &[u8], from: usize) -> Option<(Range<usize>, u32)> {
        let found = self.allowed.as_ref()?.find(&text[from..])?;
        let id = self.allowed_tokens[found.pattern().as_usize()].1;
        Some((from + found.start()..from + found.end(), id))
    }

    fn find_forbidden(&self, text: &[u8]) -> Option<(usize, &str)> {
        let found = self.forbidden.as_ref()?.find(text)?;
        Some((found.start(), &self.forbidden_names[found.pattern().as_usize()]))
    }
}

/// The held suffix of one stream.
#[derive(Clone, Debug, Default)]
pub struct Segmenter {
    held: Vec<u8>,
}

impl Segmenter {
    /// Bytes held back.
    #[must_use]
    pub fn n_held(&self) -> usize {
        self.held.len()
    }

    /// Split `text`; give the segments to `sink`, which ends the call by returning an error.
    pub fn push<E>(
        &mut self,
        set: &SpecialSet,
        text: &[u8],
        sink: &mut dyn FnMut(Segment<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if set.is_empty() {
            return sink(Segment::Text(text));
        }
        let mut rest = text;
        while !self.held.is_empty() && !rest.is_empty() {
            // As much as decides what begins in the held part, mostly.
            let mut reach = set.openings.longest.min(rest.len());
            while reach < rest.len() && rest[reach] & 0xC0 == 0x80 {
                reach += 1;
            }
            let mut joint = std::mem::take(&mut self.held);
            let n_before = joint.len();
            joint.extend_from_slice(&rest[..reach]);
            let open = Self::split(set, &joint, false, sink)?;
            if open < n_before || reach == rest.len() {
                joint.drain(..open);
                self.held = joint;
                rest = &rest[reach..];
            } else {
                rest = &rest[open - n_before..];
            }
        }
        if rest.is_empty() {
            return Ok(());
        }
        let open = Self::split(set, rest, false, sink)?;
        self.held.extend_from_slice(&rest[open..]);
        Ok(())
    }

    /// Stop waiting (end of input, or a change of trust): the held suffix is all there is.
    pub fn release<E>(
        &mut self,
        set: &SpecialSet,
        sink: &mut dyn FnMut(Segment<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let held = std::mem::take(&mut self.held);
        if !held.is_empty() {
            Self::split(set, &held, true, sink)?;
        }
        Ok(())
    }

    /// Segments of `text` that are certain; returns where the uncertain suffix begins.
    fn split<E>(
        set: &SpecialSet,
        text: &[u8],
        closed: bool,
        sink: &mut dyn FnMut(Segment<'_>) -> Result<(), E>,
    ) -> Result<usize, E> {
        let open_from = |strings: &Openings, from: usize| {
            if closed { text.len() } else { strings.first(text, from) }
        };
        let forbidden = set.find_forbidden(text);
        let mut at = 0;
        let mut open = open_from(&set.openings, 0);
        loop {
            open = if at > open { open_from(&set.openings, at) } else { open };
            let mut special = set.find_allowed(text, at).filter(|(found, _)| found.start < open);
            if let Some((found, _)) = &special {
                // A forbidden string may begin inside this token and end in the next chunk.
                if open_from(&set.forbidden_openings, found.start + 1) < found.end {
                    open = found.start;
                    special = None;
                }
            }
            let text_end = special.as_ref().map_or(open, |(found, _)| found.start);
            let certain_end = special.as_ref().map_or(open, |(found, _)| found.end);
            if let Some((start, name)) = forbidden.filter(|&(start, _)| start < certain_end) {
                let end = start.clamp(at, text_end);
                sink(Segment::Text(&text[at..end]))?;
                sink(Segment::Forbidden { name, n_before: start - end })?;
                return Ok(text.len());
            }
            if text_end > at {
                sink(Segment::Text(&text[at..text_end]))?;
            }
            let Some((found, id)) = special else { return Ok(open) };
            sink(Segment::Special { id, n_bytes: found.len() })?;
            at = found.end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(allowed: &[&str], forbidden: &[&str]) -> SpecialSet {
        let allowed: Vec<_> = (0..).zip(allowed).map(|(id, s)| ((*s).to_owned(), id)).collect();
        let forbidden: Vec<_> = forbidden.iter().map(|s| (*s).to_owned()).collect();
        SpecialSet::new(&allowed, &forbidden).expect("small sets are fine")
    }

    /// Text runs joined, specials as `[id]`, a forbidden token as `!name` and the end.
    fn run(set: &SpecialSet, parts: &[&str]) -> String {
        let mut segmenter = Segmenter::default();
        let mut seen = String::new();
        let mut sink = |segment: Segment<'_>| {
            match segment {
                Segment::Text(text) => seen.push_str(std::str::from_utf8(text).expect("UTF-8")),
                Segment::Special { id, .. } => seen.extend(["[", &id.to_string(), "]"]),
                Segment::Dropped { .. } => {}
                Segment::Forbidden { name, n_before } => {
                    seen.extend(["!", &n_before.to_string(), name]);
                    return Err(());
                }
            }
            Ok(())
        };
        let _ = parts
            .iter()
            .try_for_each(|part| segmenter.push(set, part.as_bytes(), &mut sink))
            .and_then(|()| segmenter.release(set, &mut sink));
        seen
    }

    #[test]
    fn all_cuts_into_three_agree_with_the_whole() {
        let cases: [(&[&str], &[&str], &str, &str); 11] = [
            (&["<a>", "<a><b>"], &[], "x<a><a><b>é<a", "x[0][1]é<a"),
            (&["ab", "abcd"], &[], "abcabcdab", "[0]c[1][0]"),
            (&["ab"], &["bc"], "xabab", "x[0][0]"),
            (&["ab"], &["bc"], "xabc", "x!1bc"),
            (&[], &["<|e|>"], "<|<|e|>y", "<|!0<|e|>"),
            (&["aab"], &[], "aaaab", "aa[0]"),
            (&["漢字"], &["字"], "漢漢字", "漢!3字"),
            (&["<<<"], &["<<<"], "<<<<<", "!0<<<"),
            (&["a b"], &["b a"], "a b a", "!2b a"),
            (&["a b"], &["b a"], "a b b", "[0] b"),
            (&["abab"], &["bx"], "abababab", "[0][0]"),
        ];
        for (allowed, forbidden, text, expected) in cases {
            let set = set(allowed, forbidden);
            let cuts: Vec<usize> = (0..=text.len()).filter(|&i| text.is_char_boundary(i)).collect();
            for &a in &cuts {
                for &b in cuts.iter().filter(|&&b| b >= a) {
                    let parts = [&text[..a], &text[a..b], &text[b..]];
                    assert_eq!(run(&set, &parts), expected, "{parts:?}");
                }
            }
        }
    }
}
