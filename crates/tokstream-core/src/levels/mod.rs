//! Text → pretokens by a cascade of levels, each of which cuts or changes the pieces of the one
//! before it.
//!
//! In: the text of one segment, as it grows, each part with the number of source bytes it came
//! from. Out: text that surely belongs to the current pretoken, with its source, and the ends of
//! pretokens; none is empty. Held back: what some level cannot decide yet. The end of a piece is
//! the end of the input for the next level.
//!
//! This is the general way. What can be one total automaton should be one: see `pretokens`.
mod alphabet;
mod fixed;
mod held;
mod metaspace;
mod prefix;
pub mod search;
mod split;

use std::num::NonZeroUsize;

pub use metaspace::{Metaspace, Scheme};
pub use split::{Behaviour, Split};

use fixed::FixedState;
use metaspace::MetaspaceState;
use prefix::PrefixState;
use split::SplitState;

/// In place of a number of source bytes: a level put the text before what follows, and it comes
/// from there.
pub const FROM_NEXT: usize = usize::MAX;

/// Added to the number of source bytes of empty text: a level dropped a character that came from
/// them, and text right behind it without a source comes from there, too.
pub const AND_BEHIND: usize = 1 << (usize::BITS - 2);

/// The bytes of source in such a number.
#[must_use]
pub fn source_bytes(n_source: usize) -> usize {
    if n_source == FROM_NEXT { 0 } else { n_source & !AND_BEHIND }
}

/// Takes what a cascade gives, in text order.
pub trait Sink {
    /// This text surely belongs to the current pretoken; it came from the next `n_source` bytes of
    /// the source, or from the character before if they are 0, or see `FROM_NEXT`. Empty text is
    /// source that was dropped and belongs to no pretoken; see `AND_BEHIND`.
    fn text(&mut self, text: &[u8], n_source: usize);

    /// The current pretoken, which is not empty, ends here.
    fn end(&mut self);
}

/// One step of the cascade.
#[derive(Clone, Debug)]
pub enum Level {
    /// Cut at the matches of a pattern.
    Split(Split),
    /// Cut behind every so many characters.
    FixedLength(NonZeroUsize),
    /// A piece that does not begin with a space gets one.
    PrefixSpace,
    /// Blanks become a visible character, at which pieces begin.
    Metaspace(Metaspace),
    /// Each byte becomes its character of GPT-2's alphabet.
    ByteLevel,
    /// The reverse, for a last level: each character of that alphabet becomes its byte.
    FromByteLevel,
}

/// The steps, first to last.
#[derive(Clone, Debug, Default)]
pub struct Levels(Vec<Level>);

impl Levels {
    /// A cascade; without any level the whole segment is one pretoken.
    #[must_use]
    pub fn new(levels: Vec<Level>) -> Self {
        Self(levels)
    }

    /// The steps.
    #[must_use]
    pub fn as_slice(&self) -> &[Level] {
        &self.0
    }
}

/// State of one level in its current piece.
#[derive(Clone, Debug)]
enum State {
    Split(Box<SplitState>),
    FixedLength(FixedState),
    PrefixSpace(PrefixState),
    Metaspace(MetaspaceState),
    Stateless,
}

/// State of a cascade in one segment.
#[derive(Clone, Debug)]
pub struct LevelState {
    states: Vec<State>,
    has_text: bool,
}

impl LevelState {
    /// At the begin of a segment. `is_first`: it begins where the source begins.
    #[must_use]
    pub fn new(levels: &Levels, is_first: bool) -> Self {
        let state = |level: &Level| match level {
            Level::Split(_) => State::Split(Box::default()),
            Level::FixedLength(_) => State::FixedLength(FixedState::default()),
            Level::PrefixSpace => State::PrefixSpace(PrefixState::default()),
            Level::Metaspace(_) => State::Metaspace(MetaspaceState::new(is_first)),
            Level::ByteLevel | Level::FromByteLevel => State::Stateless,
        };
        Self { states: levels.0.iter().map(state).collect(), has_text: false }
    }

    /// Read on: whole characters that came from the next `n_source` bytes of the source, byte by
    /// byte if they are as many; empty text is source that was dropped.
    pub fn push(&mut self, levels: &Levels, text: &[u8], n_source: usize, sink: &mut dyn Sink) {
        self.has_text |= !text.is_empty();
        Rest { levels: &levels.0, states: &mut self.states, sink }.text(text, n_source);
    }

    /// End of the segment: give the rest. Begin the next one with a new state.
    pub fn finish(&mut self, levels: &Levels, sink: &mut dyn Sink) {
        if std::mem::take(&mut self.has_text) {
            Rest { levels: &levels.0, states: &mut self.states, sink }.end();
        }
    }

    /// Bytes of source that are held back.
    #[must_use]
    pub fn n_held(&self) -> usize {
        let held = |state: &State| match state {
            State::Split(state) => state.n_held(),
            _ => 0,
        };
        self.states.iter().map(held).sum()
    }
}

/// The levels behind one level, as what that level gives to.
struct Rest<'a> {
    levels: &'a [Level],
    states: &'a mut [State],
    sink: &'a mut dyn Sink,
}

impl Sink for Rest<'_> {
    fn text(&mut self, text: &[u8], n_source: usize) {
        let Some((level, state, mut rest)) = self.next() else {
            return self.sink.text(text, n_source);
        };
        match (level, state) {
            (Level::Split(split), State::Split(state)) => {
                state.push(split, text, n_source, &mut rest);
            }
            (Level::FixedLength(length), State::FixedLength(state)) => {
                state.push(*length, text, n_source, &mut rest);
            }
            (Level::PrefixSpace, State::PrefixSpace(state)) => {
                state.push(text, n_source, &mut rest);
            }
            (Level::Metaspace(metaspace), State::Metaspace(state)) => {
                state.push(metaspace, text, n_source, &mut rest);
            }
            (Level::FromByteLevel, _) => alphabet::to_bytes(text, n_source, &mut rest),
            _ => alphabet::from_bytes(text, n_source, &mut rest),
        }
    }

    fn end(&mut self) {
        let Some((level, state, mut rest)) = self.next() else {
            return self.sink.end();
        };
        match (level, state) {
            (Level::Split(split), State::Split(state)) => state.finish(split, &mut rest),
            (_, State::FixedLength(state)) => state.finish(&mut rest),
            (_, State::PrefixSpace(state)) => state.finish(&mut rest),
            (_, State::Metaspace(state)) => state.finish(&mut rest),
            _ => rest.end(),
        }
    }
}

impl Rest<'_> {
    fn next(&mut self) -> Option<(&Level, &mut State, Rest<'_>)> {
        let (level, levels) = self.levels.split_first()?;
        let (state, states) = self.states.split_first_mut()?;
        Some((level, state, Rest { levels, states, sink: self.sink }))
    }
}

#[cfg(test)]
mod tests {
    use super::{Level, LevelState, Levels, Metaspace, Scheme, Sink, source_bytes};
    use std::num::NonZeroUsize;

    #[derive(Default)]
    struct Marks(String, usize);

    impl Sink for Marks {
        fn text(&mut self, text: &[u8], n_source: usize) {
            self.0 += std::str::from_utf8(text).unwrap();
            self.1 += source_bytes(n_source);
        }

        fn end(&mut self) {
            self.0.push('‖');
        }
    }

    fn cut(levels: Vec<Level>, text: &str, is_first: bool) -> (String, usize) {
        let levels = Levels::new(levels);
        let mut state = LevelState::new(&levels, is_first);
        let mut marks = Marks::default();
        for character in text.chars() {
            let n = character.len_utf8();
            state.push(&levels, character.encode_utf8(&mut [0; 4]).as_bytes(), n, &mut marks);
        }
        state.finish(&levels, &mut marks);
        (marks.0, marks.1)
    }

    fn metaspace(scheme: Scheme, split: bool) -> Level {
        Level::Metaspace(Metaspace { replacement: '▁', scheme, split })
    }

    #[test]
    fn no_level_makes_one_piece_unless_there_is_no_text() {
        assert_eq!(cut(vec![], "a b", true), ("a b‖".into(), 3));
        assert_eq!(cut(vec![], "", true), (String::new(), 0));
        assert_eq!(cut(vec![Level::ByteLevel], "", true), (String::new(), 0));
    }

    #[test]
    fn pieces_of_a_level_are_texts_of_the_next() {
        let two = Level::FixedLength(NonZeroUsize::new(2).unwrap());
        let levels = vec![two, Level::PrefixSpace, Level::ByteLevel];
        assert_eq!(cut(levels.clone(), "ab é", true), ("Ġab‖ĠÃ©‖".into(), 5));
        assert_eq!(cut(levels, "é", true), ("ĠÃ©‖".into(), 2));
    }

    #[test]
    fn the_first_piece_is_the_one_at_the_source_s_begin() {
        let one = Level::FixedLength(NonZeroUsize::MIN);
        let levels = vec![one, metaspace(Scheme::First, true)];
        assert_eq!(cut(levels.clone(), "ab", true), ("▁a‖b‖".into(), 2));
        assert_eq!(cut(levels, "ab", false), ("a‖b‖".into(), 2));
        // A space that was put in front comes from nowhere: what follows begins at 0, too.
        let one = Level::FixedLength(NonZeroUsize::MIN);
        let levels = vec![Level::PrefixSpace, one, metaspace(Scheme::First, false)];
        assert_eq!(cut(levels, "ab", true), ("▁‖▁a‖b‖".into(), 2));
    }

    #[test]
    fn all_of_a_replaced_text_begins_where_its_source_does() {
        let one = Level::FixedLength(NonZeroUsize::MIN);
        let levels = Levels::new(vec![one, metaspace(Scheme::First, true)]);
        let mut state = LevelState::new(&levels, true);
        let mut marks = Marks::default();
        state.push(&levels, b"zz", 1, &mut marks);
        state.push(&levels, b"b", 1, &mut marks);
        state.finish(&levels, &mut marks);
        assert_eq!((marks.0.as_str(), marks.1), ("▁z‖▁z‖b‖", 2));
        // Text that a normalizer dropped was there.
        let mut state = LevelState::new(&levels, true);
        let mut marks = Marks::default();
        state.push(&levels, b"", 2, &mut marks);
        state.push(&levels, b"b", 1, &mut marks);
        state.finish(&levels, &mut marks);
        assert_eq!((marks.0.as_str(), marks.1), ("b‖", 3));
    }

    #[test]
    fn blanks_begin_pieces() {
        let cut = |scheme, split, text| cut(vec![metaspace(scheme, split)], text, true).0;
        assert_eq!(cut(Scheme::Always, true, "a  b▁"), "▁a‖▁‖▁b‖▁‖");
        assert_eq!(cut(Scheme::Always, false, " a b"), "▁a▁b‖");
        assert_eq!(cut(Scheme::Never, true, "a b"), "a‖▁b‖");
    }
}
