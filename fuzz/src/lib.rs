//! Fuzz targets: one per promise, each with an oracle.
//!
//! In: any bytes; they spell a tokenizer, a text and how it is cut. Out: nothing, or a panic that
//! names the broken promise. The same code runs under libFuzzer (`cargo fuzz run NAME`) and, over
//! the files in `fuzz/regressions` and over seeded random inputs, under a plain `cargo test`.

pub mod automaton_loader;
pub mod chunk_invariance;
pub mod delay;
mod input;
pub mod linear_time;
pub mod operations;
mod oracle;
pub mod parallel;
pub mod parted;
pub mod paths;
pub mod pipelines;
pub mod prepared_reader;
mod repeated;
mod special;
mod specs;
pub mod stability;
mod tables;
mod tokenizers;
pub mod vocabulary_loader;

/// A target: panics if the input breaks its promise.
pub type Target = fn(&[u8]);

/// Every target by name; crash files lie in a folder of that name below `fuzz/regressions`.
pub const TARGETS: [(&str, Target); 12] = [
    ("chunk_invariance", chunk_invariance::check),
    ("stability", stability::check),
    ("delay", delay::check),
    ("linear_time", linear_time::check),
    ("operations", operations::check),
    ("paths", paths::check),
    ("parted", parted::check),
    ("parallel", parallel::check),
    ("pipelines", pipelines::check),
    ("automaton_loader", automaton_loader::check),
    ("prepared_reader", prepared_reader::check),
    ("vocabulary_loader", vocabulary_loader::check),
];
