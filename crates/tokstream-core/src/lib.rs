//! Streaming BPE tokenization without Python: `chunks → segments → pretokens → tokens`.
//!
//! One invariant rules everything: for every way of cutting the input, the concatenated `feed`
//! results plus `finish` equal the encoding of the whole. Each stage is a module named for what
//! comes out of it; only [`stream`] joins them.
pub mod chunks;
pub mod completions;
pub mod core;
pub mod error;
pub mod levels;
pub mod normalize;
mod once;
pub mod parallel;
mod prefetch;
pub mod prepared;
pub mod pretokens;
mod scratch;
pub mod segments;
pub mod simd;
pub mod spec;
pub mod stream;
mod table;
pub mod tokens;
pub mod unicode;
mod widths;
