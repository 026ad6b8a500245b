//! Pretokens → token ids.
//!
//! In: complete pretokens, or a live one as it grows. Out: ids. Held back: of a live pretoken, the
//! tokens that some continuation would still change.
mod automaton;
mod batch;
mod canonical;
mod extensions;
mod lanes;
mod live;
mod merge;
mod pieces;
mod seams;
mod vocabulary;
mod window;

pub use batch::Batch;
pub use live::Live;
pub use merge::MergeScratch;
pub use pieces::PieceTable;
pub use vocabulary::{TokenTable, Vocabulary};
pub(crate) use window::Across;
pub use window::Window;
