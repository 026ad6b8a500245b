//! Buffers leased for the length of a call from one bounded pool of the process.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use crate::pretokens::Ends;
use crate::tokens::{Batch, MergeScratch, PieceTable, Window};

/// Idle sets of buffers that are kept; more are made when needed and dropped afterwards.
const MAX_IDLE: usize = 4;

#[allow(clippy::vec_box, reason = "moved in and out often, and large")]
static IDLE: Mutex<Vec<Box<Scratch>>> = Mutex::new(Vec::new());

/// Buffers and caches that belong to no stream.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Which tokenizer the caches hold ids of.
    owner: u64,
    pub(crate) ends: Ends,
    pub(crate) merge: MergeScratch,
    pub(crate) batch: Batch,
    pub(crate) window: Window,
    pub(crate) pieces: PieceTable,
}

/// A leased `Scratch`; dropping it gives it back.
pub(crate) struct Lease(Option<Box<Scratch>>);

impl Lease {
    /// Buffers whose caches belong to the tokenizer `owner`.
    pub(crate) fn new(owner: u64) -> Self {
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        let found = idle.iter().rposition(|scratch| scratch.owner == owner);
        let scratch = if let Some(index) = found {
            idle.remove(index)
        } else {
            drop(idle);
            Box::new(Scratch { owner, ..Scratch::default() })
        };
        Self(Some(scratch))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(scratch) = self.0.take() else { return };
        // After a panic the buffers may be half written.
        if std::thread::panicking() {
            return;
        }
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        let oldest = (idle.len() >= MAX_IDLE).then(|| idle.remove(0));
        idle.push(scratch);
        drop(idle);
        drop(oldest);
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
