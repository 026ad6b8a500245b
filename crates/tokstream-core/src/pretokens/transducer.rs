//! The automaton with "die, cut, begin again" folded into its states: it reads each character
//! once, and what it does at a transition is to name the ends of pretokens.
//!
//! When the automaton dies without a match there, the pretoken ends at its last match end, and the
//! text from there on has to be read again. So that it need not be, a state here is a list: the
//! live run, its last match end, the run that began at that end, its last match end, and so on.
//! Match ends right before the character just read are known from the state; at most one older
//! one is kept, in a register. A pattern for which that, or a small table, is not enough at some
//! point, says so there (`BAIL`), and the plain automaton reads on from the last end.

use std::collections::HashMap;

use bytemuck::Zeroable;

use super::automaton::{Automaton, DEAD, FLAG, START};

/// Symbols are classes; entries of a state are so far apart.
pub(crate) const STRIDE: usize = 64;
const MAX_CLASSES: usize = STRIDE - 2;
const MAX_STATES: usize = 128;

/// Actions of an entry. A pretoken ends: before the character just read; before the one that came
/// before it; at the register, first of all.
pub(crate) const ENDS_HERE: u8 = 1;
pub(crate) const ENDS_BEFORE: u8 = 1 << 1;
pub(crate) const ENDS_AT_REGISTER: u8 = 1 << 2;
/// Afterwards, put the position of the previous character into the register.
pub(crate) const SET: u8 = 1 << 3;
/// Without it: not known here, let the plain automaton read on from the last end.
pub(crate) const KNOWN: u8 = 1 << 6;
/// Known, and nothing else than perhaps an end here; what else there is, is worth a branch.
pub(crate) const USUAL: u8 = 1 << 7;
const SELDOM: u8 = ENDS_BEFORE | ENDS_AT_REGISTER | SET;

/// Entries for each state that fits its type and each symbol that does, so that no index has to be
/// looked at; few are ever touched.
const N_ENTRIES: usize = 1 << 16 | 1 << 8;

/// By state and symbol: where the entries of the next state begin, and what is done. A step waits
/// for the former only, so the two are apart.
#[derive(Clone, Copy, Debug, Zeroable)]
#[repr(C)]
pub(crate) struct Entries {
    next: [u16; N_ENTRIES],
    actions: [u8; N_ENTRIES],
}

/// The transducer of a pattern.
#[derive(Clone, Debug)]
pub(crate) struct Transducer {
    entries: Box<Entries>,
    n_states: usize,
}

/// The last match end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Last {
    /// There is none, or a later one will come, whatever follows.
    None,
    /// Right before the character that was read last.
    Before,
    /// At the register.
    Register,
}

/// Runs, each begun at the last match end of the one before it.
type Runs = Vec<(u16, Last)>;

impl Transducer {
    /// Derive from `automaton`; `None` if that has too many classes.
    pub(crate) fn new(automaton: &Automaton) -> Option<Self> {
        let n_classes = automaton.n_classes();
        if n_classes > MAX_CLASSES {
            return None;
        }
        let mut numbers: HashMap<Runs, usize> = HashMap::new();
        let mut states: Vec<Runs> = vec![vec![(START, Last::None)]];
        numbers.insert(states[0].clone(), 0);
        // Zeroed by the system: what is never touched costs no memory.
        let mut entries: Box<Entries> = bytemuck::allocation::zeroed_box();
        let mut number = 0;
        while number < states.len() {
            for symbol in 0..n_classes {
                let Some((runs, actions)) = step(automaton, &states[number], symbol) else {
                    continue;
                };
                let next = numbers.get(&runs).copied().or_else(|| {
                    (states.len() < MAX_STATES).then(|| {
                        numbers.insert(runs.clone(), states.len());
                        states.push(runs);
                        states.len() - 1
                    })
                });
                if let Some(next) = next {
                    let is_usual = actions & SELDOM == 0;
                    let entry = number * STRIDE + symbol;
                    entries.next[entry] = (next * STRIDE) as u16;
                    entries.actions[entry] = actions | if is_usual { USUAL | KNOWN } else { KNOWN };
                }
            }
            number += 1;
        }
        Some(Self { entries, n_states: states.len() })
    }

    /// Number of states; their entries begin `STRIDE` apart.
    pub(crate) fn n_states(&self) -> usize {
        self.n_states
    }

    /// Its tables.
    pub(crate) fn entries(&self) -> &Entries {
        &self.entries
    }
}

impl Entries {
    /// Read `symbol` in the state whose entries begin at `state`: where those of the next one begin,
    /// and what is done.
    #[inline(always)]
    pub(crate) fn get(&self, state: usize, symbol: u8) -> (usize, u8) {
        let entry = state + usize::from(symbol);
        (self.next[entry].into(), self.actions[entry])
    }
}

/// Read `symbol`: the runs behind it, and what is done. `None`: one register is not enough.
fn step(automaton: &Automaton, runs: &Runs, symbol: usize) -> Option<(Runs, u8)> {
    let mut actions = 0;
    let mut after: Runs = Vec::new();
    let mut newest = None;
    let mut rest = runs.iter();
    // The run that is live; when it dies, the one behind it.
    loop {
        let run = rest.next()?;
        let &(state, last) = run;
        let entry = automaton.step(state, symbol);
        match (entry & FLAG != 0, entry & !FLAG) {
            (true, DEAD) => {
                actions |= ENDS_HERE;
                after.push(begun(automaton, symbol));
                break;
            }
            (false, DEAD) => match last {
                Last::None => return None,
                Last::Before => actions |= ENDS_BEFORE,
                Last::Register => actions |= ENDS_AT_REGISTER,
            },
            _ => {
                let live = std::iter::once(run).chain(rest);
                if !read_all(automaton, live, symbol, &mut after, &mut newest) {
                    return None;
                }
                break;
            }
        }
    }
    // Where a later match is certain to come, older ones and what began there do not matter.
    if let Some(first) = after.iter().position(|&(state, _)| automaton.covers(state)) {
        after.truncate(first + 1);
        after[first].1 = Last::None;
    }
    // What was right before the last character is older now.
    let uses_register = after.iter().any(|&(_, last)| last == Last::Register);
    for (index, (_, last)) in after.iter_mut().enumerate() {
        if *last == Last::Before && newest != Some(index) {
            if uses_register {
                return None;
            }
            *last = Last::Register;
            actions |= SET;
        }
    }
    Some((after, actions))
}

/// The run that has read only `symbol`.
fn begun(automaton: &Automaton, symbol: usize) -> (u16, Last) {
    (automaton.step(START, symbol) & !FLAG, Last::None)
}

/// All `runs`, the first of which lives on, read `symbol`; `newest` becomes the one that has a
/// match that ends right before it. False if one behind the first dies: there would be two ends to
/// remember.
fn read_all<'a>(
    automaton: &Automaton,
    runs: impl Iterator<Item = &'a (u16, Last)>,
    symbol: usize,
    after: &mut Runs,
    newest: &mut Option<usize>,
) -> bool {
    for &(state, last) in runs {
        let entry = automaton.step(state, symbol);
        match (entry & FLAG != 0, entry & !FLAG) {
            (_, DEAD) => return false,
            (true, next) => {
                *newest = Some(after.len());
                after.extend([(next, Last::Before), begun(automaton, symbol)]);
                return true;
            }
            (false, next) => after.push((next, last)),
        }
    }
    true
}
