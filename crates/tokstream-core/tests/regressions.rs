//! The fuzz targets without a fuzzer: files that once broke a promise, and seeded random inputs.
//!
//! `TOKSTREAM_FUZZ_FACTOR` multiplies the number of random inputs.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

#[path = "../../../fuzz/src/lib.rs"]
#[allow(missing_docs, clippy::missing_panics_doc, clippy::must_use_candidate)]
mod targets;

use targets::{TARGETS, Target};

/// Inputs of this many bytes at most are drawn.
const MAX_BYTES: u64 = 160;
/// The same for the target whose tokenizers take some hundred bytes.
const MAX_BYTES_OF_PIPELINES: u64 = 400;

fn check(name: &str, target: Target, data: &[u8], origin: &str) {
    let outcome = catch_unwind(|| target(data));
    assert!(outcome.is_ok(), "{name} broke on {origin}: {data:?}");
}

#[test]
fn files_that_once_broke_a_promise() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions");
    for (name, target) in TARGETS {
        let Ok(files) = fs::read_dir(root.join(name)) else { continue };
        let mut paths: Vec<_> = files.map(|file| file.expect("a readable folder").path()).collect();
        paths.sort();
        for path in paths {
            let data = fs::read(&path).expect("a readable file");
            check(name, target, &data, &path.display().to_string());
        }
    }
}

/// One number of splitmix64: a few lines, good bits, the same everywhere.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// Random bytes; small values are frequent, since choices are read from them.
fn random_input(state: &mut u64, max_bytes: u64) -> Vec<u8> {
    let n = next(state) % max_bytes;
    let mask = if next(state).is_multiple_of(2) { 0xFF } else { 0x07 };
    let mut byte = || {
        let bits = next(state);
        (bits >> 24) as u8 & if bits.is_multiple_of(4) { 0xFF } else { mask }
    };
    (0..n).map(|_| byte()).collect()
}

fn random_inputs(name: &str, n_cases: u64) {
    let factor: u64 = std::env::var("TOKSTREAM_FUZZ_FACTOR")
        .map_or(1, |text| text.parse().expect("TOKSTREAM_FUZZ_FACTOR is a whole number"));
    let target = TARGETS.iter().find(|(other, _)| *other == name).expect("a target").1;
    let max_bytes =
        if name == "pipelines" || name == "parted" { MAX_BYTES_OF_PIPELINES } else { MAX_BYTES };
    let mut state = 20_240_501;
    for k in 0..n_cases * factor {
        let data = random_input(&mut state, max_bytes);
        check(name, target, &data, &format!("random input {k}"));
    }
}

macro_rules! random_inputs {
    ($($name:ident: $n_cases:expr,)*) => {
        $(#[test]
        fn $name() {
            random_inputs(stringify!($name), $n_cases);
        })*

        #[test]
        fn every_target_is_tested() {
            assert_eq!([$(stringify!($name)),*], TARGETS.map(|(name, _)| name));
        }
    };
}

random_inputs! {
    chunk_invariance: 2_000,
    stability: 1_000,
    delay: 1_000,
    linear_time: 100,
    operations: 2_000,
    paths: 2_000,
    parted: 400,
    parallel: 300,
    pipelines: 100,
    automaton_loader: 500,
    prepared_reader: 500,
    vocabulary_loader: 1_000,
}
