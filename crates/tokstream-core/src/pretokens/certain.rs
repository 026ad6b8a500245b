//! Where a pretoken ends whatever came before: text can be read from there on by itself.

use super::automaton::{Automaton, DEAD, FLAG, START};

/// The pairs of classes between which a pretoken ends, whatever came before.
#[derive(Clone, Debug)]
pub(crate) struct CertainCuts {
    n_classes: usize,
    /// `[n_classes][n_classes]`
    is_certain: Vec<bool>,
}

impl CertainCuts {
    /// Cost: O(states · classes²).
    pub(crate) fn new(automaton: &Automaton) -> Self {
        let n_classes = automaton.n_classes();
        let states = START..automaton.n_states() as u16;
        let mut is_certain = Vec::with_capacity(n_classes * n_classes);
        for before in 0..n_classes {
            // What holds a character has read it without dying; it ends right behind if it then
            // dies with a match that ends there.
            let mut behind: Vec<u16> =
                states.clone().map(|state| automaton.step(state, before) & !FLAG).collect();
            behind.retain(|&state| state != DEAD);
            behind.sort_unstable();
            behind.dedup();
            let ends = |after| {
                let end = |&state: &u16| automaton.step(state, after) == FLAG | DEAD;
                !behind.is_empty() && behind.iter().all(end)
            };
            is_certain.extend((0..n_classes).map(ends));
        }
        Self { n_classes, is_certain }
    }

    /// Does a pretoken end between characters of these classes?
    #[inline]
    pub(crate) fn between(&self, before: usize, after: usize) -> bool {
        self.is_certain[before * self.n_classes + after]
    }
}
