//! Text → pretokens: where the pattern cuts.
//!
//! In: the text of one segment, as it grows. Out: the ends of complete pretokens. Held back: the
//! live pretoken, and what of it can no longer be cut off.
mod automaton;
mod hypotheses;
mod scan;

pub use automaton::Automaton;
pub(crate) use automaton::{DEAD, FLAG, START};
pub(crate) use scan::Growing;
pub use scan::{Ends, Scan, Stop};
