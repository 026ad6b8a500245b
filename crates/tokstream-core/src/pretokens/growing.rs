//! What the live matches may still take in, for the question what may follow.

use super::automaton::Automaton;

/// States of matches that may still grow, if they are few.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Growing {
    states: [u16; 2],
    n: u8,
}

impl Growing {
    /// Anything may follow.
    pub(crate) const UNKNOWN: Self = Self { states: [0; 2], n: u8::MAX };

    pub(super) fn add(&mut self, state: u16) {
        if let Some(slot) = self.states.get_mut(self.n as usize) {
            *slot = state;
        }
        self.n = self.n.saturating_add(1);
    }

    /// May one of the matches take in all of `rest`, the end of a token? Its last character may
    /// be cut. Yes, too, if there are too many to ask each.
    pub(crate) fn may_take(self, automaton: &Automaton, rest: &[u8]) -> bool {
        let states = self.states.get(..self.n as usize);
        states.is_none_or(|states| states.iter().any(|&state| automaton.survives(state, rest)))
    }

    /// A number for each value, other than 0.
    pub(crate) fn key(self) -> u64 {
        u64::from(self.n) << 32 | u64::from(self.states[0]) << 16 | u64::from(self.states[1])
    }
}
