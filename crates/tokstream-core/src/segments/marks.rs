//! Added tokens with conditions: in one pass over a text.
//!
//! In: text, cut anywhere between characters. Out: runs of text, and added tokens, which may take
//! in the blanks next to them. Held back: a suffix that may still become a token; the character
//! that decides whether a token is a word of its own; blanks that a token may still take in.
//!
//! Matches are found leftmost, then longest, and count as found even where their conditions do not
//! hold: what overlaps them is not looked for.

use aho_corasick::AhoCorasick;

use crate::error::TableError;
use crate::tokens::SIGN;
use crate::unicode::is_word;

use super::{Openings, Segment, search};

/// A string to look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The string.
    pub content: Vec<u8>,
    /// The token; `None` if what is found stays text.
    pub id: Option<u32>,
    /// Takes the blanks before it in.
    pub strips_left: bool,
    /// Takes the blanks behind it in.
    pub strips_right: bool,
    /// Counts only if no word character is next to it.
    pub is_single_word: bool,
}

/// What one pass looks for.
#[derive(Debug, Default)]
pub struct MarkSet {
    marks: Vec<Mark>,
    search: Option<AhoCorasick>,
    openings: Openings,
    strips_left: bool,
    is_plain: bool,
}

impl Mark {
    fn has_conditions(&self) -> bool {
        self.strips_left || self.strips_right || self.is_single_word
    }

    fn is_plain(&self) -> bool {
        let has_sign = self.content.windows(SIGN.len()).any(|part| part == SIGN);
        !self.has_conditions() && !has_sign && !self.content.contains(&b' ')
    }
}

impl MarkSet {
    /// Of equal strings the first counts. Without any token there is nothing to look for.
    pub fn new(marks: Vec<Mark>) -> Result<Self, TableError> {
        let strings: Vec<Vec<u8>> = marks.iter().map(|mark| mark.content.clone()).collect();
        if strings.iter().any(Vec::is_empty) {
            return Err(TableError("an added token must not be empty".into()));
        }
        if marks.iter().all(|mark| mark.id.is_none()) {
            return Ok(Self::default()); // what is found would stay text
        }
        Ok(Self {
            search: search(&strings)?,
            openings: Openings::new(&strings),
            strips_left: marks.iter().any(|mark| mark.strips_left),
            is_plain: marks.iter().all(Mark::is_plain),
            marks,
        })
    }

    /// Is there nothing to look for?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Are all tokens found by what they are written as, which has no space, nor the sign for one?
    pub(crate) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Does what is around a token matter, for any of them?
    pub(super) fn has_conditions(&self) -> bool {
        self.marks.iter().any(Mark::has_conditions)
    }

    /// What the tokens begin with.
    pub(super) fn openings(&self) -> &Openings {
        &self.openings
    }

    /// Text that is at least as long as each string.
    pub(crate) fn prefix<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[..character_end(text, self.openings.longest)]
    }

    /// Where in `text` the first string begins, or may begin, and where all that overlaps it ends,
    /// as far as that is known.
    pub(crate) fn first(&self, text: &[u8]) -> (usize, usize) {
        let open = self.openings.first(text, 0);
        let found = self.search.as_ref().and_then(|search| search.find(text));
        match found.filter(|found| found.start() <= open) {
            Some(found) => {
                let end = found.end() + self.openings.longest;
                (found.start(), character_end(text, end))
            }
            None => (open, text.len()),
        }
    }

    /// Do both look for the same?
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        self.marks == other.marks
    }
}

/// The state of one pass in one text.
#[derive(Clone, Debug, Default)]
pub struct Marking {
    held: Vec<u8>,
    /// No match begins before this index of `held`.
    from: usize,
    /// So many bytes at the beginning of `held` are blanks.
    n_blanks: usize,
    /// A word character precedes `held`.
    is_in_word: bool,
    /// The last token takes in the blanks that follow.
    strips: bool,
}

/// Gives text and tokens on.
type Sink<'a, E> = dyn FnMut(Segment<'_>) -> Result<(), E> + 'a;

/// Bytes of the blanks that `text` begins with.
fn leading_blanks(text: &[u8]) -> usize {
    let is_blank = |&byte: &u8| byte >= 0x80 || matches!(byte, b'\t'..=b'\r' | b' ');
    let end = text.iter().position(|byte| !is_blank(byte)).unwrap_or(text.len());
    let text = valid(&text[..end]);
    text.len() - text.trim_start().len()
}

/// Bytes of the blanks that `text` ends with.
fn trailing_blanks(text: &[u8]) -> usize {
    let is_blank = |&byte: &u8| byte >= 0x80 || matches!(byte, b'\t'..=b'\r' | b' ');
    let begin = text.iter().rposition(|byte| !is_blank(byte)).map_or(0, |at| at + 1);
    let text = valid(&text[begin..]);
    text.len() - text.trim_end().len()
}

fn valid(text: &[u8]) -> &str {
    std::str::from_utf8(text).unwrap_or_default()
}

/// The end of the character of `text` that ends at `at` or goes on there.
fn character_end(text: &[u8], at: usize) -> usize {
    let is_inside = |byte: &u8| byte & 0xC0 == 0x80;
    let rest = text.get(at..).unwrap_or_default();
    text.len().min(at + rest.iter().take_while(|byte| is_inside(byte)).count())
}

/// The character that ends at the end of `text`.
fn last_character(text: &[u8]) -> Option<char> {
    let begin = text.iter().rposition(|&byte| byte & 0xC0 != 0x80)?;
    valid(&text[begin..]).chars().next()
}

/// The character that `text` begins with.
fn first_character(text: &[u8]) -> Option<char> {
    let end = text.iter().skip(1).position(|&byte| byte & 0xC0 != 0x80);
    valid(&text[..end.map_or(text.len(), |end| end + 1)]).chars().next()
}

impl Marking {
    /// Bytes held back.
    #[must_use]
    pub fn n_held(&self) -> usize {
        self.held.len()
    }

    /// Split `text`; give the segments to `sink`, which ends the call by returning an error.
    ///
    /// Cost: O(bytes), and once more for blanks that are held.
    pub fn push<E>(&mut self, set: &MarkSet, text: &[u8], sink: &mut Sink<'_, E>) -> Result<(), E> {
        if set.is_empty() {
            return sink(Segment::Text(text));
        }
        if self.held.is_empty() {
            let limit = self.split(set, text, false, sink)?;
            self.held.extend_from_slice(&text[limit..]);
            return Ok(());
        }
        let mut joint = std::mem::take(&mut self.held);
        joint.extend_from_slice(text);
        let limit = self.split(set, &joint, false, sink)?;
        joint.drain(..limit);
        self.held = joint;
        Ok(())
    }

    /// Stop waiting: the held suffix is all there is for now.
    pub fn release<E>(&mut self, set: &MarkSet, sink: &mut Sink<'_, E>) -> Result<(), E> {
        let held = std::mem::take(&mut self.held);
        if !held.is_empty() {
            self.split(set, &held, true, sink)?;
        }
        Ok(())
    }

    /// Segments of `text` that are certain; returns where the uncertain suffix begins.
    fn split<E>(
        &mut self,
        set: &MarkSet,
        text: &[u8],
        closed: bool,
        sink: &mut Sink<'_, E>,
    ) -> Result<usize, E> {
        let mut done = 0;
        let mut from = std::mem::take(&mut self.from);
        let n_known = std::mem::take(&mut self.n_blanks);
        let blanks_before = |done: usize, end: usize| {
            let n_new = end - done.max(n_known.min(end));
            let n_blanks = trailing_blanks(&text[end - n_new..end]);
            if n_blanks == n_new { end - done } else { n_blanks }
        };
        let limit = loop {
            let open = if closed { text.len() } else { set.openings.first(text, from) };
            let found = set.search.as_ref().and_then(|search| search.find(&text[from..]));
            let found = found.map(|found| (from + found.start(), found));
            let Some((start, found)) = found.filter(|&(start, _)| start < open) else {
                break open;
            };
            let mark = &set.marks[found.pattern().as_usize()];
            let end = from + found.end();
            if mark.is_single_word {
                if end == text.len() && !closed {
                    break start;
                }
                let before = last_character(&text[..start]);
                let is_behind_word = before.map_or(self.is_in_word, is_word);
                if is_behind_word || first_character(&text[end..]).is_some_and(is_word) {
                    from = end;
                    continue;
                }
            }
            from = end;
            let Some(id) = mark.id else { continue };
            let mut begin = start;
            if mark.strips_left {
                let n_blanks = blanks_before(done, start);
                // Unless the token before takes them in.
                begin -= if self.strips && n_blanks == start - done { 0 } else { n_blanks };
            }
            self.give(&text[done..begin], sink)?;
            if self.strips && mark.strips_left && valid(&mark.content).trim().is_empty() {
                // Blanks that the token before has taken in; the reference finds nothing there.
                sink(Segment::Dropped { n_bytes: end - begin })?;
                done = end;
                continue;
            }
            sink(Segment::Special { id, n_bytes: end - begin })?;
            self.strips = mark.strips_right;
            done = end;
        };
        let mut limit = limit.max(done);
        if self.strips {
            let n_blanks = leading_blanks(&text[done..limit]);
            self.give(&text[done..done + n_blanks], sink)?;
            done += n_blanks;
        }
        let open = limit;
        if set.strips_left && !closed {
            limit -= blanks_before(done, limit);
        }
        self.give(&text[done..limit], sink)?;
        if let Some(before) = last_character(&text[..limit]) {
            self.is_in_word = is_word(before);
        }
        self.n_blanks = open - limit;
        self.from = from.max(open) - limit;
        Ok(limit)
    }

    /// Give text on, without the blanks that belong to the token before.
    fn give<E>(&mut self, text: &[u8], sink: &mut Sink<'_, E>) -> Result<(), E> {
        let mut rest = text;
        if self.strips {
            let n_blanks = leading_blanks(text);
            if n_blanks > 0 {
                sink(Segment::Dropped { n_bytes: n_blanks })?;
            }
            rest = &text[n_blanks..];
            self.strips = rest.is_empty();
        }
        if rest.is_empty() { Ok(()) } else { sink(Segment::Text(rest)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (content, flags): l and r take blanks in, w is a word of its own, - stays text.
    fn set(marks: &[(&str, &str)]) -> MarkSet {
        let mark = |(id, (content, flags)): (u32, &(&str, &str))| Mark {
            content: content.as_bytes().to_vec(),
            id: (!flags.contains('-')).then_some(id),
            strips_left: flags.contains('l'),
            strips_right: flags.contains('r'),
            is_single_word: flags.contains('w'),
        };
        MarkSet::new((0..).zip(marks).map(mark).collect()).expect("small sets are fine")
    }

    /// Text joined, tokens as `[id]`, what they take in behind them left out.
    fn run(set: &MarkSet, parts: &[&str]) -> String {
        let mut marking = Marking::default();
        let mut seen = String::new();
        let mut sink = |segment: Segment<'_>| {
            match segment {
                Segment::Text(text) => seen.push_str(valid(text)),
                Segment::Special { id, .. } => seen.extend(["[", &id.to_string(), "]"]),
                Segment::Dropped { .. } => {}
                Segment::Forbidden { .. } => return Err(()),
            }
            Ok(())
        };
        let fed = parts.iter().try_for_each(|part| marking.push(set, part.as_bytes(), &mut sink));
        assert_eq!(fed.and_then(|()| marking.release(set, &mut sink)), Ok(()));
        seen
    }

    #[test]
    fn all_cuts_into_three_agree_with_the_whole() {
        let cases: [(&[(&str, &str)], &str, &str); 9] = [
            (&[("a", "")], "bab", "b[0]b"),
            (&[("a", "l")], "b \n a a ", "b[0][0] "),
            (&[("a", "r")], " a \u{3000}b a", " [0]b [0]"),
            (&[("a", "w")], "a a_ _a é a.", "[0] a_ _a é [0]."),
            (&[("ab", "-"), ("bc", "")], "abc bc", "abc [1]"),
            (&[("ab", "w"), ("b ", "")], "xab b ", "xab [1]"),
            // The second begins inside what the first takes in.
            (&[("a", "r"), (" b", "")], "a  b", "[0][1]"),
            (&[("a", "r"), ("\n", "l")], "a \nb", "[0]b"),
            (&[("a", "lr"), ("b", "lr")], " a  b é", "[0][1]é"),
        ];
        for (marks, text, expected) in cases {
            let set = set(marks);
            let cuts: Vec<usize> = (0..=text.len()).filter(|&i| text.is_char_boundary(i)).collect();
            for &a in &cuts {
                for &b in cuts.iter().filter(|&&b| b >= a) {
                    let parts = [&text[..a], &text[a..b], &text[b..]];
                    assert_eq!(run(&set, &parts), expected, "{parts:?}");
                }
            }
        }
    }

    #[test]
    fn only_what_may_matter_is_held() {
        let mut marking = Marking::default();
        let mut sink = |_: Segment<'_>| Ok::<(), ()>(());
        let none = set(&[("ab", "")]);
        assert_eq!(marking.push(&none, b"x  a", &mut sink), Ok(()));
        assert_eq!(marking.n_held(), 1);
        let left = set(&[("ab", "l")]);
        assert_eq!(marking.push(&left, b"x  a", &mut sink), Ok(()));
        assert_eq!(marking.n_held(), 3);
    }
}
