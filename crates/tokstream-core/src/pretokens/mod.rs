//! Text → pretokens: where the pattern cuts.
//!
//! In: the text of one segment, as it grows. Out: the ends of complete pretokens. Held back: the
//! live pretoken, and what of it can no longer be cut off.
mod automaton;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod blocks;
mod certain;
mod ends;
mod growing;
mod halves;
mod hypotheses;
mod inert;
mod reading;
mod scan;
mod symbols;
mod transducer;

pub use automaton::Automaton;
pub(crate) use automaton::{DEAD, FLAG, START};
pub(crate) use certain::CertainCuts;
pub use ends::Ends;
pub(crate) use growing::Growing;
pub use scan::{Scan, Stop};
