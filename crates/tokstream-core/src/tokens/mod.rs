//! Pretokens → token ids.
//!
//! In: complete pretokens, or a live one as it grows. Out: ids. Held back: of a live pretoken, the
//! tokens that some continuation would still change.
mod automaton;
mod batch;
mod canonical;
pub(crate) mod entries;
mod equal;
mod expansions;
mod extensions;
mod filter;
mod jobs;
mod lanes;
mod links;
mod live;
mod long_pieces;
mod merge;
mod order;
mod overlaps;
mod pieces;
pub(crate) mod ready;
mod seams;
#[cfg(target_arch = "x86_64")]
mod seams_avx2;
#[cfg(target_arch = "x86_64")]
mod seams_avx512;
mod seams_plain;
mod singles;
mod spelled;
mod suffix;
mod vocabulary;
mod window;

pub use batch::Batch;
pub(crate) use batch::{Pretokens, Spaces};
pub use expansions::Expansions;
pub use filter::Filter;
pub(crate) use links::{Links, SIGN};
pub use live::Live;
pub use merge::MergeScratch;
pub(crate) use merge::give_back;
pub use order::{BEGIN_MARKER, END_MARKER, HIDDEN, Order, Units, canonical_order};
pub(crate) use overlaps::Overlaps;
pub(crate) use pieces::MAX_BYTES as MAX_KEPT_BYTES;
pub use pieces::PieceTable;
pub(crate) use seams::Parts as SeamParts;
pub use vocabulary::{TokenTable, Vocabulary};
pub(crate) use window::Across;
pub use window::Window;
