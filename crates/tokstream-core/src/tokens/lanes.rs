//! The longest token that ends at each byte, for many short texts at once.
//!
//! A step of the suffix automaton waits for a line of a large table. So several texts take their
//! steps in turn, and each asks for its next line a turn ahead. A turn has no branch on what it
//! reads: it would have to wait.

use crate::prefetch::prefetch;

use super::automaton::SuffixAutomaton;
use super::suffix::Suffix;

/// Texts that are read in turn.
const N_LANES: usize = 16;

/// A text to read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Job {
    /// Where it begins in the text at hand, and its length, at least 1.
    pub(crate) begin: usize,
    pub(crate) length: usize,
    /// Where its first value goes.
    pub(crate) values: usize,
}

/// One text that is being read.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    /// The slot to look at next.
    target: usize,
    /// Failure link of the node reached.
    fail: u32,
    /// `target` is a failure link: nothing needs to be compared.
    is_link: bool,
    at: usize,
    end: usize,
    value: usize,
}

impl Lane {
    fn new(automaton: &SuffixAutomaton, text: &[u8], job: &Job) -> Self {
        let slots = automaton.slots();
        let target = slots[0].child(text[job.begin]);
        prefetch(&slots[target]);
        Self {
            target,
            fail: 0,
            is_link: false,
            at: job.begin,
            end: job.begin + job.length,
            value: job.values,
        }
    }
}

/// For each byte of each job's text, put the longest token that ends there into `values`.
#[inline(never)]
pub(crate) fn longest_suffixes(
    automaton: &SuffixAutomaton,
    text: &[u8],
    jobs: &[Job],
    values: &mut [Suffix],
) {
    let slots = automaton.slots();
    let mut lanes = [Lane::default(); N_LANES];
    let mut jobs = jobs.iter();
    let mut n = 0;
    for (lane, job) in lanes.iter_mut().zip(jobs.by_ref()) {
        *lane = Lane::new(automaton, text, job);
        n += 1;
    }
    while n > 0 {
        let mut index = 0;
        while index < n {
            let lane = &mut lanes[index];
            let slot = slots[lane.target];
            let is_child = !lane.is_link & (slot.label() == text[lane.at]);
            let is_node = lane.is_link | is_child;
            values[lane.value] = slot.suffix;
            lane.value += usize::from(is_child);
            lane.at += usize::from(is_child);
            if lane.at == lane.end {
                if let Some(job) = jobs.next() {
                    *lane = Lane::new(automaton, text, job);
                    index += 1;
                } else {
                    n -= 1;
                    lanes[index] = lanes[n];
                }
                continue;
            }
            let child = slot.child(text[lane.at]);
            lane.target = if is_node { child } else { lane.fail as usize };
            lane.fail = if is_node { slot.fail } else { lane.fail };
            lane.is_link = !is_node;
            prefetch(&slots[lane.target]);
            index += 1;
        }
    }
}
