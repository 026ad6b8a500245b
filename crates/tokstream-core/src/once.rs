//! Tables that are made when they are first asked for.

use std::sync::OnceLock;

/// What `kept` holds, made if it holds nothing yet.
///
/// Nobody waits for another thread that makes it, so two may make it at the same time: after a fork
/// that thread may be gone, and the wait would never end.
pub(crate) fn get_or_make<T>(kept: &OnceLock<T>, work_out: impl FnOnce() -> T) -> &T {
    if let Some(made) = kept.get() {
        return made;
    }
    let made = work_out();
    kept.get_or_init(|| made)
}
