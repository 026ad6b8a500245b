//! One text on several threads that live as long as the call: nothing is left for a fork to break.
//! The calling thread works too, and looks at signals meanwhile.
use std::ops::ControlFlow;

use pyo3::prelude::*;
use tokstream_core::error::Error;
use tokstream_core::parallel::{self, Encoder};

use crate::input::Held;
use crate::parts::Parts;

/// A shorter text is encoded faster by one thread, in bytes or characters.
pub const MIN_TEXT: usize = 1 << 20;
/// What is worth a thread, in bytes or characters.
pub const PER_THREAD: usize = 1 << 18;
/// About the size of a part, in bytes or characters.
pub const PART: usize = 1 << 18;

/// More threads are never used: a text that long would not fit into memory.
pub const MAX_THREADS: usize = 1024;

/// Processors that this process may use: by its affinity and its group's quota.
#[pyfunction]
pub fn usable_cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// How many threads to use for so much text; what the caller said, or by default what the
/// environment or the machine says.
pub fn n_threads(py: Python<'_>, asked: Option<usize>, length: usize) -> PyResult<usize> {
    let most = length / PER_THREAD;
    if most < 2 || asked == Some(1) {
        return Ok(1);
    }
    let number = match asked {
        Some(number) => number,
        None => py
            .import(pyo3::intern!(py, "tokstream.verbs.threads"))?
            .call_method0(pyo3::intern!(py, "default_number"))?
            .extract()?,
    };
    Ok(number.min(most))
}

/// Encode `text` in parts of about `size` bytes or characters; `take` is given their ids in order.
///
/// A fault in the text is the inner result; the ids before it were given to `take`.
pub fn encode(
    text: &Bound<'_, PyAny>,
    encoder: &Encoder,
    n_threads: usize,
    size: usize,
    take: &mut (dyn FnMut(&[u32]) -> PyResult<()> + Send),
) -> PyResult<Result<(), Error>> {
    let mut parts = Parts::new(Held::new(text)?, n_threads);
    let mut failure = None;
    let mut refusal = None;
    let mut interrupt = None;
    let done = text.py().detach(|| {
        let take = |ids: &[u32]| {
            refusal = take(ids).err();
            if refusal.is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let is_wanted = || {
            #[allow(clippy::redundant_closure_for_method_calls, reason = "lifetimes need it")]
            let checked = Python::attach(|py| py.check_signals());
            interrupt = checked.err();
            interrupt.is_none()
        };
        let next = || {
            parts.next(encoder, size).unwrap_or_else(|error| {
                failure = Some(error);
                None
            })
        };
        parallel::encode(encoder, n_threads, next, take, is_wanted)
    });
    match interrupt.or(refusal).or(failure) {
        Some(error) => Err(error),
        None => Ok(done.map(|_| ())),
    }
}
