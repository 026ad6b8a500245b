//! Streaming BPE tokenization without Python: `chunks → segments → pretokens → tokens`.
pub mod unicode;
