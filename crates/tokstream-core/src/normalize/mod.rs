//! Text of a segment → normalized text, and where each part of it comes from.
//!
//! In: whole characters, in pieces of any size. Out: normalized text in text order, each part with
//! the number of source bytes it accounts for. Held back: per step, what a continuation may still
//! change; see [`Normalizer::unbounded`] for the steps where that has no limit.
//!
//! For every way of cutting the input into pieces of whole characters, the joined output equals
//! that of the whole text, and so does the source of every output character.
//!
//! Parts are read as follows. Text as long as its source comes from it byte for byte. Text of
//! another length comes, all of it, from those source bytes, which are one character. Text with
//! no source of its own comes from the character accounted for last. Source without text was
//! deleted. An offset inside a source character means that character. So every output character
//! comes from one source character: the same one as in the offsets that `tokenizers` reports.

mod characters;
mod charsmap;
mod ends;
mod forms;
mod graphemes;
mod mapped;
mod precompiled;
mod properties;
mod replace;
mod replace_pattern;
mod sentencepiece;
mod step;

pub use characters::Characters;
pub use forms::Form;
pub use sentencepiece::Options;
pub use step::Step;

use mapped::{Mapped, Trace};

use crate::tokens::Spaces;

/// Input is worked on in blocks of this many bytes, so that buffers between steps stay small.
const BLOCK: usize = 1 << 14;

/// A list of steps, each of which reads what the one before gives; immutable.
#[derive(Clone, Debug, Default)]
pub struct Normalizer {
    steps: Vec<Step>,
}

impl Normalizer {
    /// A chain of steps; an empty one changes nothing.
    #[must_use]
    pub fn new(steps: Vec<Step>) -> Self {
        Self { steps }
    }

    /// Does it leave every text as it is?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Is every step, if there are any, a Unicode normalization form?
    pub(crate) fn has_only_forms(&self) -> bool {
        self.steps.iter().all(Step::is_form)
    }

    /// What spaces are read as, if that is all it does to a text behind its first character;
    /// `None` if it may do more.
    pub(crate) fn spaces(&self) -> Option<Spaces> {
        let steps: Option<Vec<Spaces>> = self.steps.iter().map(Step::spaces).collect();
        let has_signs = |steps: Vec<Spaces>| steps.contains(&Spaces::Signs);
        steps.map(|steps| if has_signs(steps) { Spaces::Signs } else { Spaces::Kept })
    }

    /// Does it write spaces as signs, and nothing else, wherever a text begins?
    pub(crate) fn is_stateless(&self) -> bool {
        !self.steps.is_empty() && self.steps.iter().all(Step::writes_signs)
    }

    /// May no step hold back more than a constant number of bytes?
    #[must_use]
    pub fn bounded(&self) -> bool {
        self.unbounded().is_empty()
    }

    /// For each step that may have to hold back any amount of text: what makes it wait.
    #[must_use]
    pub fn unbounded(&self) -> Vec<&'static str> {
        self.steps.iter().filter_map(Step::waits_for).collect()
    }

    /// The state at the beginning of a text.
    #[must_use]
    pub fn begin(&self) -> Normalizing {
        let traces = vec![Trace::default(); self.steps.len()];
        Normalizing { steps: self.steps.clone(), traces, n_held: 0 }
    }
}

/// The state of one stream: the steps with what they hold, and the sources of what they hold.
#[derive(Clone, Debug, Default)]
pub struct Normalizing {
    steps: Vec<Step>,
    /// `traces[i]`: sources of the text that step `i` was given and has not accounted for.
    traces: Vec<Trace>,
    n_held: usize,
}

impl Normalizing {
    /// Source bytes taken that no output accounts for yet.
    #[must_use]
    pub fn n_held(&self) -> usize {
        self.n_held
    }

    /// Does no step hold text, or owe some before the next character?
    pub(crate) fn is_plain(&self) -> bool {
        self.n_held == 0 && self.steps.iter().all(Step::is_plain)
    }

    /// Be as behind the first character of a segment, with nothing held. Only for steps with
    /// `spaces`, at the beginning.
    pub(crate) fn go_inside(&mut self) {
        self.steps.iter_mut().for_each(Step::go_inside);
        debug_assert!(self.is_plain(), "all steps with spaces become plain");
    }

    /// Normalize `text`, valid UTF-8 of whole characters; give `sink` what is certain: output
    /// text and the number of source bytes it accounts for, either of which may be empty.
    ///
    /// Cost: O(bytes), for every text; a run of n combining marks is sorted once.
    ///
    /// # Panics
    /// If `text` is not UTF-8, which the stage before rules out.
    pub fn push(&mut self, text: &[u8], sink: &mut dyn FnMut(&[u8], usize)) {
        let mut rest = std::str::from_utf8(text).expect("normalizers are given whole characters");
        let (mut given, mut next) = (Mapped::default(), Mapped::default());
        while !rest.is_empty() {
            let mut end = rest.len().min(BLOCK);
            while !rest.is_char_boundary(end) {
                end -= 1;
            }
            let (block, after) = rest.split_at(end);
            rest = after;
            self.n_held += block.len();
            given.clear();
            given.copy(block);
            for (step, trace) in self.steps.iter_mut().zip(&mut self.traces) {
                next.clear();
                trace.add(&given);
                step.push(given.text(), &mut next);
                trace.resolve(&mut next, step.is_settled());
                std::mem::swap(&mut given, &mut next);
            }
            self.deliver(&given, sink);
        }
    }

    /// End of the segment: give the rest. Ready for the next segment afterwards, which is not
    /// the first of the text any more.
    pub fn finish(&mut self, sink: &mut dyn FnMut(&[u8], usize)) {
        let (mut given, mut next) = (Mapped::default(), Mapped::default());
        for (step, trace) in self.steps.iter_mut().zip(&mut self.traces) {
            next.clear();
            trace.add(&given);
            step.push(given.text(), &mut next);
            step.finish(&mut next);
            trace.resolve(&mut next, step.is_settled());
            std::mem::swap(&mut given, &mut next);
        }
        self.deliver(&given, sink);
        debug_assert_eq!(self.n_held, 0, "all of a segment is accounted for at its end");
        self.leave_start();
    }

    /// Something else than text came first: the segment that follows is not the first one.
    /// Only between segments.
    pub fn leave_start(&mut self) {
        self.steps.iter_mut().for_each(Step::leave_start);
    }

    fn deliver(&mut self, given: &Mapped, sink: &mut dyn FnMut(&[u8], usize)) {
        given.for_each(&mut |text, n_source| {
            self.n_held -= n_source;
            sink(text, n_source);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain() -> Normalizer {
        let replace = Step::replace("\u{E9} ", "+").expect("the literal is not empty");
        let strip = Step::strip(true, true);
        Normalizer::new(vec![Step::form(Form::Nfkc), strip, Step::prepend("\u{2581}"), replace])
    }

    /// Output of a segment, and the source offset at which each part of it begins.
    fn run(normalizer: &Normalizer, parts: &[&str]) -> (String, Vec<(usize, usize)>) {
        let (mut text, mut places, mut at) = (String::new(), Vec::new(), 0);
        let mut state = normalizer.begin();
        let mut n_fed = 0;
        let mut n_given = 0;
        let mut sink = |output: &[u8], n_source: usize| {
            text.push_str(std::str::from_utf8(output).expect("UTF-8"));
            // A place per byte of a run, none for deletions: so how they are cut does not show.
            if output.len() == n_source {
                places.extend((0..n_source).map(|i| (at + i, 1)));
            } else if !output.is_empty() {
                places.push((at, output.len()));
            }
            at += n_source;
            n_given += n_source;
        };
        for part in parts {
            n_fed += part.len();
            state.push(part.as_bytes(), &mut sink);
        }
        state.finish(&mut sink);
        assert_eq!((n_fed, state.n_held()), (n_given, 0));
        (text, places)
    }

    #[test]
    fn all_cuts_into_three_agree_with_the_whole() {
        let texts = [
            ("  e\u{301} e\u{323}\u{301}\u{FB01} \u{E9}  \t", "\u{2581}+\u{1EB9}\u{301}fi \u{E9}"),
            (" \u{1100}\u{1161}\u{11A8}\u{11A8} \u{301}", "\u{2581}\u{AC01}\u{11A8} \u{301}"),
            (" \t ", ""),
        ];
        let normalizer = chain();
        for (text, expected) in texts {
            let whole = run(&normalizer, &[text]);
            assert_eq!(whole.0, expected);
            let cuts: Vec<usize> = (0..=text.len()).filter(|&i| text.is_char_boundary(i)).collect();
            for &a in &cuts {
                for &b in cuts.iter().filter(|&&b| b >= a) {
                    let parts = [&text[..a], &text[a..b], &text[b..]];
                    assert_eq!(run(&normalizer, &parts), whole, "{parts:?}");
                }
            }
        }
    }

    #[test]
    fn what_waits_without_limit_is_named() {
        let waits = ["a run of combining marks", "the end of a run of whitespace"];
        assert_eq!(chain().unbounded(), waits);
        assert!(Normalizer::new(vec![Step::prepend("x")]).bounded());
    }
}
