//! Where a user-perceived character (extended grapheme cluster, UAX 29) ends.
//!
//! The crate `unicode-segmentation` has the data but reads whole texts. The rules only need a
//! few bits of what was read since the last boundary; what they need to know about a character is
//! asked once from the crate, by example, so that its Unicode version (17) decides.

use std::ops::Range;
use std::sync::OnceLock;

use unicode_segmentation::UnicodeSegmentation;

use crate::once::get_or_make;

/// Behind this code point only the tags and variation selectors of plane 14 are not `OTHER`.
const N_TABLE: u32 = 0x2_0000;
const PLANE_14: Range<u32> = 0xE_0000..0xE_1000;
/// Nothing to ask here: Chinese characters; the other big block follows a rule.
const IDEOGRAPHS: Range<u32> = 0x3400..0xA000;
const SYLLABLES: Range<u32> = 0xAC00..0xD7A4;

/// Breaks from everything: control characters, line breaks.
const CONTROL: u16 = 1 << 0;
/// Joins what is before it: marks, joiners.
const JOINS: u16 = 1 << 1;
/// Joins what is behind it.
const PREPENDS: u16 = 1 << 2;
/// May stand between a pictograph and a joiner.
const EXTENDS: u16 = 1 << 3;
const PICTOGRAPH: u16 = 1 << 4;
/// Indic conjuncts: a consonant; a sign that links two; a mark that may stand between them.
const CONSONANT: u16 = 1 << 5;
const LINKS: u16 = 1 << 6;
const BETWEEN: u16 = 1 << 7;
/// Korean letters and syllables: what may follow it, and what it may follow.
const BEFORE_LEADING: u16 = 1 << 8;
const BEFORE_VOWEL: u16 = 1 << 9;
const BEFORE_TRAILING: u16 = 1 << 10;
const AFTER_LEADING: u16 = 1 << 11;
const AFTER_VOWEL: u16 = 1 << 12;
const AFTER_TRAILING: u16 = 1 << 13;
/// Half of a flag.
const REGIONAL: u16 = 1 << 14;

const JOINER: char = '\u{200D}';

/// Properties of code points.
#[derive(Debug)]
pub(super) struct Properties {
    flags: Vec<u16>,
}

impl Properties {
    pub(super) fn get() -> &'static Self {
        static TABLE: OnceLock<Properties> = OnceLock::new();
        get_or_make(&TABLE, || {
            let code_points = (0..N_TABLE).chain(PLANE_14);
            let flags = |cp| if IDEOGRAPHS.contains(&cp) { 0 } else { ask_for(cp) };
            let mut flags: Vec<u16> = code_points.map(flags).collect();
            // Syllables with and without a trailing consonant, of which there are 27.
            let (with, without) = (ask_for(SYLLABLES.start + 1), ask_for(SYLLABLES.start));
            for cp in SYLLABLES {
                let has_trailing = !(cp - SYLLABLES.start).is_multiple_of(28);
                flags[cp as usize] = if has_trailing { with } else { without };
            }
            Self { flags }
        })
    }

    fn of(&self, c: char) -> u16 {
        let at = c as u32;
        let index = match at {
            0..N_TABLE => at,
            _ if PLANE_14.contains(&at) => at - PLANE_14.start + N_TABLE,
            _ => return 0,
        };
        self.flags[index as usize]
    }
}

fn ask_for(code_point: u32) -> u16 {
    let is_rule = SYLLABLES.start + 1 < code_point && SYLLABLES.contains(&code_point);
    char::from_u32(code_point).filter(|_| !is_rule).map_or(0, ask)
}

/// Properties of `c`, by example.
fn ask(c: char) -> u16 {
    let mut text = String::with_capacity(24);
    let mut is_one = |before: &str, behind: &str| {
        text.clear();
        text.extend([before, c.encode_utf8(&mut [0; 4]), behind]);
        text.graphemes(true).nth(1).is_none()
    };
    if c.is_ascii() && !c.is_ascii_control() {
        // Nothing joins, so nothing more needs to be asked.
        return 0;
    }
    if !is_one("", "\u{301}") {
        return CONTROL;
    }
    let mut ask = |flags, examples: &[((&str, &str), u16)]| {
        let answers = examples.iter().filter(|((before, behind), _)| is_one(before, behind));
        answers.fold(flags, |flags, (_, flag)| flags | flag)
    };
    if ask(0, &[(("a", ""), JOINS)]) == JOINS {
        let examples =
            [(("😀", "\u{200D}😀"), EXTENDS), (("क", "क"), LINKS), (("क\u{94D}", "क"), BETWEEN)];
        return ask(JOINS, &examples);
    }
    let examples = [
        (("", "a"), PREPENDS),
        (("😀\u{200D}", ""), PICTOGRAPH),
        (("क\u{94D}", ""), CONSONANT),
        (("\u{1100}", ""), AFTER_LEADING),
        (("\u{1161}", ""), AFTER_VOWEL),
        (("\u{11A8}", ""), AFTER_TRAILING),
        (("🇦", ""), REGIONAL),
    ];
    let flags = ask(0, &examples);
    let followers = [
        (("", "\u{1100}"), BEFORE_LEADING),
        (("", "\u{1161}"), BEFORE_VOWEL),
        (("", "\u{11A8}"), BEFORE_TRAILING),
    ];
    // A leading consonant stands before vowels, too, but not for what a vowel joins.
    let follower = followers.iter().find(|&&example| ask(0, &[example]) != 0);
    flags | follower.map_or(0, |(_, flag)| *flag)
}

/// What was read since the last boundary, as far as it matters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Graphemes {
    /// Properties of the last character.
    last: u16,
    is_after_return: bool,
    /// The last character is half of a flag whose other half has not come.
    is_half_flag: bool,
    /// A pictograph, marks that extend it, and then maybe a joiner.
    pictograph: Sequence,
    /// A consonant, marks, and maybe a sign that links among them.
    conjunct: Sequence,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sequence {
    #[default]
    None,
    Begun,
    Linked,
}

impl Graphemes {
    /// Read `c`; is there a boundary before it?
    pub(super) fn read(&mut self, properties: &Properties, c: char) -> bool {
        let flags = properties.of(c);
        let joins = self.joins(c, flags);
        let has = |flag| flags & flag != 0;
        self.pictograph = match self.pictograph {
            _ if has(PICTOGRAPH) => Sequence::Begun,
            Sequence::Begun if c == JOINER => Sequence::Linked,
            Sequence::Begun if has(EXTENDS) => Sequence::Begun,
            _ => Sequence::None,
        };
        self.conjunct = match self.conjunct {
            _ if has(CONSONANT) => Sequence::Begun,
            Sequence::Begun | Sequence::Linked if has(LINKS) => Sequence::Linked,
            before if has(BETWEEN) => before,
            _ => Sequence::None,
        };
        self.is_half_flag = has(REGIONAL) && !self.is_half_flag;
        self.is_after_return = c == '\r';
        self.last = flags;
        !joins
    }

    fn joins(self, c: char, flags: u16) -> bool {
        let (before, behind) = (|flag| self.last & flag != 0, |flag| flags & flag != 0);
        if before(CONTROL) || behind(CONTROL) {
            return self.is_after_return && c == '\n';
        }
        behind(JOINS)
            || before(PREPENDS)
            || (before(BEFORE_LEADING) && behind(AFTER_LEADING))
            || (before(BEFORE_VOWEL) && behind(AFTER_VOWEL))
            || (before(BEFORE_TRAILING) && behind(AFTER_TRAILING))
            || (behind(CONSONANT) && self.conjunct == Sequence::Linked)
            || (behind(PICTOGRAPH) && self.pictograph == Sequence::Linked)
            || (behind(REGIONAL) && self.is_half_flag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Characters of all kinds that the rules tell apart.
    const KINDS: &str = "a1 \r\n\u{0}\u{AD}\u{301}\u{308}\u{200D}\u{200C}\u{FE0F}\u{1F3FD}\u{E0061}\
        \u{600}\u{110BD}\u{903}\u{93E}\u{94D}\u{D4D}\u{1039}\u{93C}\u{9CD}कखগক\u{B15}😀👩❤©🇦🇧\
        \u{1100}\u{1161}\u{11A8}가각\u{A960}\u{D7B0}\u{D7CB}\u{16D63}\u{16D67}\u{1ACF}漢\u{3099}\u{1F1E6}";

    #[test]
    fn boundaries_are_those_of_the_crate() {
        let kinds: Vec<char> = KINDS.chars().collect();
        let properties = Properties::get();
        let mut seed = 1_u64;
        let mut random = |n: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
            (seed >> 33) as usize % n
        };
        for _ in 0..20_000 {
            let text: String = (0..random(12)).map(|_| kinds[random(kinds.len())]).collect();
            let expected: Vec<usize> = text.grapheme_indices(true).map(|(at, _)| at).collect();
            let mut graphemes = Graphemes::default();
            let begins = |&(at, c): &(usize, char)| graphemes.read(properties, c) || at == 0;
            let found: Vec<usize> = text.char_indices().filter(begins).map(|(at, _)| at).collect();
            assert_eq!(found, expected, "{}", text.escape_unicode());
        }
    }
}
