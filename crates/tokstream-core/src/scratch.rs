//! Buffers leased for the length of a call from one bounded pool of the process.

#![allow(clippy::vec_box, reason = "moved in and out often, and large")]

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, TryLockError};

use crate::pretokens::Ends;
use crate::tokens::{Batch, MergeScratch, PieceTable, Window};

/// Idle sets of buffers that are kept; more are made when needed and dropped afterwards.
const MAX_IDLE: usize = 4;
/// How often the list of idle buffers is tried; it is never held for long.
const MAX_TRIES: usize = 100;

static IDLE: Mutex<Vec<Box<Scratch>>> = Mutex::new(Vec::new());

/// Buffers and caches that belong to no stream.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Which tokenizer the caches hold ids of.
    owner: u64,
    pub(crate) ends: Ends,
    /// Boundaries at which one pretoken is taken apart.
    pub(crate) seams: Vec<usize>,
    pub(crate) merge: MergeScratch,
    pub(crate) batch: Batch,
    pub(crate) window: Window,
    pub(crate) pieces: PieceTable,
}

/// The idle buffers, unless another thread keeps looking at them. Never waits: after a fork the
/// thread that held the lock may not exist any more.
fn idle() -> Option<MutexGuard<'static, Vec<Box<Scratch>>>> {
    for _ in 0..MAX_TRIES {
        match IDLE.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
        }
    }
    None
}

/// A leased `Scratch`; dropping it gives it back.
pub(crate) struct Lease(Option<Box<Scratch>>);

impl Lease {
    /// Buffers whose caches belong to the tokenizer `owner`.
    pub(crate) fn new(owner: u64) -> Self {
        let found = idle().and_then(|mut idle| {
            let index = idle.iter().rposition(|scratch| scratch.owner == owner)?;
            Some(idle.remove(index))
        });
        Self(Some(found.unwrap_or_else(|| Box::new(Scratch { owner, ..Scratch::default() }))))
    }
}

impl Scratch {
    /// Give back the room that an unusual text needed: what lies idle is of bounded size.
    fn shrink(&mut self) {
        self.ends.shrink();
        self.merge.shrink();
        self.batch.shrink();
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(mut scratch) = self.0.take() else { return };
        // After a panic the buffers may be half written.
        if std::thread::panicking() {
            return;
        }
        scratch.shrink();
        let dropped = match idle() {
            Some(mut idle) => {
                let oldest = (idle.len() >= MAX_IDLE).then(|| idle.remove(0));
                idle.push(scratch);
                oldest
            }
            None => Some(scratch),
        };
        drop(dropped);
    }
}

impl Deref for Lease {
    type Target = Scratch;

    fn deref(&self) -> &Scratch {
        self.0.as_ref().unwrap_or_else(|| unreachable!("taken only when dropped"))
    }
}

impl DerefMut for Lease {
    fn deref_mut(&mut self) -> &mut Scratch {
        self.0.as_mut().unwrap_or_else(|| unreachable!("taken only when dropped"))
    }
}
