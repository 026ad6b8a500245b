//! Units that are no token, where the reference leaves them out before it merges.

use rustc_hash::FxHashSet;

/// The units that are tokens.
#[derive(Clone, Debug)]
pub struct Filter {
    known: FxHashSet<Box<[u8]>>,
    are_characters: bool,
}

impl Filter {
    /// `known` units: characters, or bytes.
    pub fn new(known: impl IntoIterator<Item = Box<[u8]>>, are_characters: bool) -> Self {
        Self { known: known.into_iter().collect(), are_characters }
    }

    /// The units that are tokens, in some order.
    pub(crate) fn known(&self) -> impl Iterator<Item = &[u8]> {
        self.known.iter().map(|unit| &**unit)
    }

    /// The units of `text`, whole characters, and whether each is a token.
    pub fn units<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = (&'a [u8], bool)> + 'a {
        let mut rest = text;
        std::iter::from_fn(move || {
            let &first = rest.first()?;
            let width = match first {
                0xC0..0xE0 if self.are_characters => 2,
                0xE0..0xF0 if self.are_characters => 3,
                0xF0.. if self.are_characters => 4,
                _ => 1,
            };
            let (unit, after) = rest.split_at(width.min(rest.len()));
            rest = after;
            Some((unit, self.known.contains(unit)))
        })
    }
}
