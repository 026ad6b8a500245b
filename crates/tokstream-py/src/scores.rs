//! Pieces in order of score → merges: every way to split a piece into two, as pairs of positions.
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rustc_hash::FxHashMap;

const NEVER: u32 = u32::MAX;

/// Merges of `pieces`, which are joined by `separator`, the strongest first, as native 32-bit
/// numbers, two for each merge.
///
/// Two ways to make a piece can overlap in a text only if the piece ends as it begins; of such a
/// piece only the merge is given that makes it by itself.
#[pyfunction]
#[pyo3(signature = (pieces, separator, /))]
pub fn merges_by_score<'py>(py: Python<'py>, pieces: &str, separator: char) -> Bound<'py, PyBytes> {
    let merges = py.detach(|| {
        let ranks: FxHashMap<&str, u32> = pieces.split(separator).zip(0..).collect();
        let rank = |text: &str| ranks.get(text).copied().unwrap_or(NEVER);
        let mut merges = Vec::new();
        let mut put = |left: u32, right: u32| {
            if left != NEVER && right != NEVER {
                merges.extend_from_slice(&left.to_ne_bytes());
                merges.extend_from_slice(&right.to_ne_bytes());
            }
        };
        for piece in pieces.split(separator) {
            if may_overlap_itself(piece) {
                if let Some(at) = last_merge(piece, &rank) {
                    put(rank(&piece[..at]), rank(&piece[at..]));
                }
            } else {
                for (at, _) in piece.char_indices().skip(1) {
                    put(rank(&piece[..at]), rank(&piece[at..]));
                }
            }
        }
        merges
    });
    PyBytes::new(py, &merges)
}

/// Has it three characters or more, and ends as it begins?
fn may_overlap_itself(piece: &str) -> bool {
    let mut characters = piece.chars();
    let first = characters.next();
    let last = characters.next_back();
    first.is_some() && first == last && characters.next().is_some()
}

/// Where the two parts meet that are left before the last merge of `piece`; `None` if more are.
fn last_merge(piece: &str, rank: &dyn Fn(&str) -> u32) -> Option<usize> {
    let mut ends: Vec<usize> = piece.char_indices().map(|(at, _)| at).collect();
    ends.push(piece.len());
    while ends.len() > 3 {
        let pairs = (0..ends.len() - 2).map(|k| rank(&piece[ends[k]..ends[k + 2]]));
        let (best, k) = pairs.zip(0..).min()?;
        if best == NEVER {
            return None;
        }
        ends.remove(k + 1);
    }
    Some(ends[1])
}
