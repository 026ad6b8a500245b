//! Bringing memory near before it is read.
//!
//! Who makes text out of something larger, part by part, waits for memory at each part; who reads
//! that text computes, and leaves memory idle. So the reader is told what the maker will need next,
//! and asks for it on the side. All of this is a hint without effect on results.

use std::cell::Cell;

/// What to bring near while text is read.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    /// Where it begins, and how many bytes of it are left.
    address: *const u8,
    n_bytes: usize,
    /// Bytes of text that it is to be done with.
    n_text: usize,
}

const NOTHING: Ahead = Ahead { address: std::ptr::null(), n_bytes: 0, n_text: 0 };

thread_local! {
    static AHEAD: Cell<Ahead> = const { Cell::new(NOTHING) };
}

/// While this thread reads the next `n_text` bytes of text, bring `memory` near. It takes the place
/// of what was said before, and need not stay where it is.
pub(crate) fn bring_near<T>(memory: &[T], n_text: usize) {
    let ahead = Ahead { address: memory.as_ptr().cast(), n_bytes: size_of_val(memory), n_text };
    AHEAD.set(ahead);
}

/// Steps in which this thread brings near what goes with `n_text` bytes of text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps {
    address: *const u8,
    /// Bytes from step to step.
    step: usize,
}

impl Steps {
    /// About `n_steps` of them while `text` is read.
    pub(crate) fn new(text: &[u8], n_steps: usize) -> Self {
        let ahead = AHEAD.get();
        if ahead.n_text == 0 || n_steps == 0 {
            // What is near already costs nothing.
            return Self { address: text.as_ptr(), step: 0 };
        }
        let n_text = text.len().min(ahead.n_text);
        let n_bytes = (ahead.n_bytes as u64 * n_text as u64 / ahead.n_text as u64) as usize;
        AHEAD.set(Ahead {
            address: ahead.address.wrapping_add(n_bytes),
            n_bytes: ahead.n_bytes - n_bytes,
            n_text: ahead.n_text - n_text,
        });
        Self { address: ahead.address, step: n_bytes.div_ceil(n_steps).min(LINE) }
    }

    /// The next step.
    #[inline(always)]
    pub(crate) fn next(&mut self) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch reads nothing and cannot fault.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T1>(self.address.cast());
        }
        self.address = self.address.wrapping_add(self.step);
    }
}

/// Bytes of a cache line.
const LINE: usize = 64;

/// Ask for the cache line that holds `value`; a hint without effect on results.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    prefetch_at(value);
}

/// The same for what may lie at `address`, which need not be valid.
#[inline(always)]
pub(crate) fn prefetch_at<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing and cannot fault.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Most bytes that are asked for at once: there are no more than some tens of lines under way.
const MOST: usize = 1 << 10;

/// Ask for the beginning of a text that is read soon.
#[inline(always)]
pub(crate) fn prefetch_text(text: &[u8]) {
    text[..text.len().min(MOST)].iter().step_by(LINE).for_each(prefetch);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_the_memory_goes_with_all_of_the_text() {
        let (memory, text) = ([0_u32; 1000], [0_u8; 900]);
        bring_near(&memory, text.len());
        let begin = memory.as_ptr().cast::<u8>();
        let mut reached = begin;
        for part in text.chunks(70) {
            let mut steps = Steps::new(part, 20);
            assert!(steps.address <= reached, "no gap");
            (0..20).for_each(|_| steps.next());
            reached = steps.address;
        }
        assert!(reached >= begin.wrapping_add(size_of_val(&memory)));
        assert_eq!(Steps::new(&text, 20).step, 0, "nothing is left");
    }

    #[test]
    fn little_text_and_no_steps_do_no_harm() {
        bring_near::<u32>(&[], 0);
        bring_near(&[0_u32; 8], 1);
        assert_eq!(Steps::new(&[], 0).step, 0);
        assert_eq!(Steps::new(&[0; 100], 1).step, 32);
        bring_near(&[0_u64; 100], 1);
        assert_eq!(Steps::new(&[0; 100], 1).step, LINE, "a step is a line at most");
    }
}
