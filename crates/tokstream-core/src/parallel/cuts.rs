//! Where a text may be cut so that its parts are encoded one by one.
//!
//! Between some classes of characters a pretoken ends whatever came before: there the part behind
//! begins like a text. In scripts without spaces a part may begin inside a pretoken instead, at a
//! boundary that no token spans (see `tokens/seams`); then the state in which the pattern gets
//! there is only a guess, made from the text before, for the part before to confirm. Text that is
//! one pretoken is cut where a token ends in any case (see `tokens/links`).

use std::ops::Range;

use crate::core::Core;
use crate::pretokens::{DEAD, FLAG, START};
use crate::segments::SpecialSet;
use crate::tokens::{Links, SeamParts};

/// Longest character, in bytes.
const MAX_WIDTH: usize = 4;
/// Text before a cut from which the state there is guessed, in bytes.
const LOOK_BACK: usize = 1024;
/// Guesses for one cut, at most.
const MAX_GUESSES: usize = 16;

/// How the text behind a cut begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// With a pretoken, or the text.
    Pretoken,
    /// Inside a pretoken, which the pattern reads in this state.
    Inside(u16),
    /// Inside text that is one pretoken, behind its first character and where a token ends.
    Between,
}

/// A place to cut, and what is behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// How the next part begins.
    pub entry: Entry,
    /// The next part's first character.
    after: [u8; MAX_WIDTH],
    width: usize,
}

impl Cut {
    /// The next part's first character.
    #[must_use]
    pub fn after(&self) -> &[u8] {
        &self.after[..self.width]
    }
}

/// A place to cut `text` in `range`, and what follows; `None` if none is found.
///
/// Cost: O(range), plus a search for special tokens around the place.
pub(crate) fn find(
    core: &Core,
    specials: &SpecialSet,
    text: &[u8],
    range: Range<usize>,
) -> Option<(usize, Cut)> {
    // Of text that is not UTF-8, what is, with enough of it around that the decoder cannot make
    // a special token there of what it puts in place of the rest.
    let mut begin = range.start;
    let margin = specials.longest() + 2 * MAX_WIDTH;
    for valid in text[range].utf8_chunks() {
        let end = begin + valid.valid().len();
        let inner = begin + margin..end.saturating_sub(margin);
        if inner.start < inner.end {
            let found = match core.links_of_source() {
                Some((links, _)) => between(links, specials, text, inner),
                None => certain(core, specials, text, inner.clone())
                    .or_else(|| inside(core, specials, text, begin, inner)),
            };
            if found.is_some() {
                return found;
            }
        }
        begin = end + valid.invalid().len();
    }
    None
}

/// The next begin of a character.
fn ceil(text: &[u8], at: usize) -> usize {
    (at..text.len()).find(|&at| text[at] & 0xC0 != 0x80).unwrap_or(text.len())
}

/// Is the text around `at` neither in a special token nor next to one?
fn is_plain(specials: &SpecialSet, text: &[u8], at: usize) -> bool {
    !specials.touches(text, at - MAX_WIDTH..at + MAX_WIDTH)
}

fn cut(text: &[u8], at: usize, entry: Entry) -> (usize, Cut) {
    let width = ceil(text, at + 1) - at;
    let mut after = [0; MAX_WIDTH];
    after[..width].copy_from_slice(&text[at..at + width]);
    (at, Cut { entry, after, width })
}

/// Does every Unicode normalization form leave the character as it is, whatever is around it, and
/// what comes before it as if the text ended there? More do than are named here: ASCII, Chinese
/// characters, the comma and the full stop that go with them.
fn is_same_when_normalized(character: &[u8]) -> bool {
    match *character {
        [byte] => byte < 0x80,
        [0xE3, 0x80, last] => matches!(last, 0x81 | 0x82),
        [lead, middle, _] => (0xE4..=0xE9).contains(&lead) && (lead, middle) >= (0xE4, 0xB8),
        _ => false,
    }
}

/// The first place in `range`, which is valid, where a pretoken ends for certain.
fn certain(
    core: &Core,
    specials: &SpecialSet,
    text: &[u8],
    range: Range<usize>,
) -> Option<(usize, Cut)> {
    let cuts = core.certain_cuts();
    let is_read_as_is = core.normalizer.is_empty();
    let mut at = ceil(text, range.start);
    let mut before = None;
    while at < range.end {
        let (class, width) = core.automaton.read_class(text, at);
        let character = &text[at..at + width];
        let is_same = is_read_as_is || is_same_when_normalized(character);
        if before.is_some_and(|before| is_same && cuts.between(before, class))
            && is_plain(specials, text, at)
        {
            return Some(cut(text, at, Entry::Pretoken));
        }
        before = is_same.then_some(class);
        at += width;
    }
    None
}

/// The first place in `range`, which is valid, where a token ends in text that is one pretoken.
fn between(
    links: &Links,
    specials: &SpecialSet,
    text: &[u8],
    range: Range<usize>,
) -> Option<(usize, Cut)> {
    let (first, end) = (ceil(text, range.start), ceil(text, range.end));
    let mut seams = Vec::new();
    links.seams(&text[first..end], first, &mut seams);
    let at = seams.into_iter().find(|&at| is_plain(specials, text, at))?;
    Some(cut(text, at, Entry::Between))
}

/// A place in `range` that no token spans, inside a pretoken that surely holds both its sides if
/// the guess is right; text from `begin` on is valid.
fn inside(
    core: &Core,
    specials: &SpecialSet,
    text: &[u8],
    begin: usize,
    range: Range<usize>,
) -> Option<(usize, Cut)> {
    if !core.normalizer.is_empty() {
        return None;
    }
    let seams = &core.vocabulary.seams;
    let automaton = &core.automaton;
    let first = ceil(text, range.start.max(begin + LOOK_BACK.min(range.len() / 2)));
    let end = ceil(text, range.end);
    if end - first < 2 * MAX_WIDTH {
        return None;
    }
    let mut parts = SeamParts::default();
    let places = seams.take_apart(text, first, &[end], &mut parts)?;
    let mut places = places.iter().copied().filter(|&place| place < end).take(MAX_GUESSES);
    let mut at = ceil(text, first - LOOK_BACK.min(first - begin));
    let mut state = START;
    places.find_map(|place| {
        while at < place {
            let (class, width) = automaton.read_class(text, at);
            let next = automaton.step(state, class) & !FLAG;
            state = if next == DEAD { automaton.step(START, class) & !FLAG } else { next };
            at += width;
        }
        let is_usable = state != DEAD && automaton.covers(state) && is_plain(specials, text, place);
        is_usable.then(|| cut(text, place, Entry::Inside(state)))
    })
}
