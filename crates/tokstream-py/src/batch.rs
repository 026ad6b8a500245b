//! Several texts at once, on threads that live as long as the call: nothing is left for a fork to
//! break. The calling thread works too, and looks at signals meanwhile.
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use tokstream_core::error::Error;
use tokstream_core::stream::Stream;

use crate::input::{BLOCK, Whole};

/// How often signals are looked at.
const CHECK_EVERY: Duration = Duration::from_millis(20);

/// The result of one text: its ids, or the fault and the ids before it.
pub type Encoded = Result<Vec<u32>, (Error, Vec<u32>)>;

struct Shared<'a, New> {
    texts: &'a [Whole],
    new: New,
    next: AtomicUsize,
    stop: AtomicBool,
    results: Vec<Mutex<Encoded>>,
    n_working: Mutex<usize>,
    one_less: Condvar,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<New: Fn() -> Stream + Sync> Shared<'_, New> {
    /// Encode texts until none is left; `pause` is called between blocks.
    fn work(&self, pause: &mut dyn FnMut()) {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(text) = self.texts.get(index) else { return };
            let (bytes, source) = text.bytes();
            let mut stream = (self.new)();
            let mut ids = Vec::new();
            let mut done = Ok(());
            for block in bytes.chunks(BLOCK) {
                done = done.and_then(|()| stream.feed(block, source, false, &mut ids));
                pause();
                if done.is_err() || self.stop.load(Ordering::Relaxed) {
                    break;
                }
            }
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            done = done.and_then(|()| stream.finish(&mut ids));
            *locked(&self.results[index]) = match done {
                Ok(()) => Ok(ids),
                Err(error) => Err((error, ids)),
            };
        }
    }
}

/// Encode `texts` on at most `n_threads` threads; an interrupt ends the call between blocks.
pub fn encode(
    py: Python<'_>,
    texts: &[Whole],
    n_threads: usize,
    new: impl Fn() -> Stream + Sync,
) -> PyResult<Vec<Encoded>> {
    let n_helpers = n_threads.min(texts.len()).saturating_sub(1);
    let shared = Shared {
        texts,
        new,
        next: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
        results: texts.iter().map(|_| Mutex::new(Ok(Vec::new()))).collect(),
        n_working: Mutex::new(n_helpers),
        one_less: Condvar::new(),
    };
    py.detach(|| {
        let mut interrupt = None;
        let mut last_check = Instant::now();
        let mut check = || {
            if last_check.elapsed() >= CHECK_EVERY {
                last_check = Instant::now();
                #[allow(clippy::redundant_closure_for_method_calls, reason = "lifetimes need it")]
                if let Err(error) = Python::attach(|py| py.check_signals()) {
                    interrupt = Some(error);
                    shared.stop.store(true, Ordering::Relaxed);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..n_helpers {
                scope.spawn(|| {
                    shared.work(&mut || {});
                    *locked(&shared.n_working) -= 1;
                    shared.one_less.notify_one();
                });
            }
            shared.work(&mut check);
            let mut n_working = locked(&shared.n_working);
            while *n_working > 0 {
                let waited = shared.one_less.wait_timeout(n_working, CHECK_EVERY);
                n_working = waited.unwrap_or_else(PoisonError::into_inner).0;
                check();
            }
        });
        interrupt.map_or(Ok(()), Err)
    })?;
    let results = shared.results.into_iter();
    Ok(results.map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner)).collect())
}
