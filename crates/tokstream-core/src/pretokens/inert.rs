//! Characters that change nothing: in whatever state the transducer is, it stays there.
//!
//! Inside a word or a run of blanks nearly every character is of this kind, and which are can be
//! told from the character before alone, save after a few pairs. Bits of pairs of symbols are
//! kept so that they can be looked up for 64 characters at a time.

use super::transducer::{KNOWN, STRIDE, Transducer, USUAL};

/// Patterns with more classes have no such tables.
pub(crate) const MAX_SYMBOLS: usize = 32;
/// A pair is inert if it is so behind all but this many symbols.
const MAX_EXCEPTIONS: u32 = 2;

/// A set of pairs: the bit of `(before, symbol)` is bit `symbol % 8` of byte
/// `before + 32 * (symbol / 8)`.
pub(crate) type Pairs = [u8; 128];

/// The tables of one pattern.
#[derive(Clone, Debug)]
pub(crate) struct Inert {
    /// The second of the two changes nothing, unless the first came in a risky pair.
    pub(crate) inert: Pairs,
    /// What follows this pair may matter even if it seems inert.
    pub(crate) risky: Pairs,
}

fn set(pairs: &mut Pairs, before: usize, symbol: usize) {
    pairs[before + 32 * (symbol / 8)] |= 1 << (symbol % 8);
}

impl Inert {
    /// Derive from the transducer; `None` if there are too many symbols.
    pub(crate) fn new(transducer: &Transducer, n_symbols: usize) -> Option<Self> {
        if n_symbols > MAX_SYMBOLS {
            return None;
        }
        let read = |state: usize, symbol: usize| transducer.entries().get(state, symbol as u8);
        let next = |state, symbol| {
            let (next, actions) = read(state, symbol);
            (actions & KNOWN != 0).then_some(next)
        };
        let states = || (0..transducer.n_states()).map(|number| number * STRIDE);
        let mut tables = Self { inert: [0; 128], risky: [0; 128] };
        for before in 0..n_symbols {
            // By symbol that came earlier: bits of the symbols that change something then.
            let mut lively = [0_u32; MAX_SYMBOLS];
            for (earlier, lively) in lively.iter_mut().enumerate().take(n_symbols) {
                let reached = states().filter_map(|state| next(next(state, earlier)?, before));
                for state in reached {
                    for symbol in 0..n_symbols {
                        let stays = read(state, symbol) == (state, USUAL | KNOWN);
                        *lively |= u32::from(!stays) << symbol;
                    }
                }
            }
            for symbol in 0..n_symbols {
                let is_exception = |lively: &u32| lively >> symbol & 1 == 1;
                let exceptions = lively.iter().filter(|lively| is_exception(lively)).count();
                if exceptions as u32 > MAX_EXCEPTIONS {
                    continue;
                }
                set(&mut tables.inert, before, symbol);
                for earlier in (0..n_symbols).filter(|&earlier| is_exception(&lively[earlier])) {
                    set(&mut tables.risky, earlier, before);
                }
            }
        }
        Some(tables)
    }
}
