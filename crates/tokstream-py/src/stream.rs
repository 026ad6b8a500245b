//! The stream object: one user at a time, GIL released for long chunks.
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, TryLockError};

use pyo3::prelude::*;
use tokstream_core::chunks::Source;
use tokstream_core::error::{Error, ErrorKind};
use tokstream_core::stream::{Delay, Stream as Native};

use crate::errors::{StreamBusyError, StreamError, input_error};
use crate::input::{BLOCK, for_each_block};
use crate::output;
use crate::tokenizer::{Core, SpecialSet, on_invalid};

/// Chunks shorter than this are not worth releasing the GIL for, in bytes.
const MIN_DETACHED: usize = 1 << 15;

/// Feed one block, without the GIL if it is long; signals are looked at afterwards.
pub fn feed_block(
    py: Python<'_>,
    stream: &mut Native,
    block: &[u8],
    source: Source,
    settle: bool,
    ids: &mut Vec<u32>,
) -> PyResult<()> {
    let result = if block.len() < MIN_DETACHED {
        stream.feed(block, source, settle, ids)
    } else {
        let result = py.detach(|| stream.feed(block, source, settle, ids));
        if let Err(interrupt) = py.check_signals() {
            let offset = stream.n_bytes();
            stream.fail(Error { kind: ErrorKind::Interrupted, offset });
            interrupt.value(py).setattr("ids", std::mem::take(ids))?;
            return Err(interrupt);
        }
        result
    };
    result.map_err(|error| input_error(&error, std::mem::take(ids)))
}

/// An encoder that is fed in chunks.
#[pyclass(frozen, module = "tokstream._core")]
pub struct Stream(Mutex<Native>);

impl Stream {
    fn lock(&self) -> PyResult<MutexGuard<'_, Native>> {
        match self.0.try_lock() {
            Ok(guard) => Ok(guard),
            Err(TryLockError::WouldBlock) => Err(StreamBusyError::new_err(
                "another thread is using this stream; give each thread its own, or wait",
            )),
            Err(TryLockError::Poisoned(_)) => Err(StreamError::new_err(
                "the stream stopped inside a call by an internal error; make a new one",
            )),
        }
    }

    fn feed_ids(
        &self,
        chunk: &Bound<'_, PyAny>,
        specials: Option<&SpecialSet>,
    ) -> PyResult<Vec<u32>> {
        let mut stream = self.lock()?;
        let mut ids = Vec::new();
        if let Some(set) = specials {
            let result = stream.set_specials(set.0.clone(), &mut ids);
            result.map_err(|error| input_error(&error, std::mem::take(&mut ids)))?;
        }
        if let Some(error) = stream.failure() {
            return Err(input_error(error, vec![]));
        }
        let py = chunk.py();
        for_each_block(chunk, BLOCK, &mut |block, source| {
            feed_block(py, &mut stream, block, source, true, &mut ids)?;
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(ids)
    }
}

#[pymethods]
impl Stream {
    #[new]
    #[pyo3(signature = (core, specials, replace, max_pending, is_optimal, with_template = false, /))]
    fn new(
        core: &Core,
        specials: &SpecialSet,
        replace: bool,
        max_pending: Option<usize>,
        is_optimal: bool,
        with_template: bool,
    ) -> Self {
        let mut stream = Native::new(core.0.clone(), specials.0.clone(), on_invalid(replace));
        if let Some(limit) = max_pending {
            stream.set_max_pending(limit);
        }
        stream.set_delay(if is_optimal { Delay::Optimal } else { Delay::Composition });
        stream.set_template(with_template);
        Self(Mutex::new(stream))
    }

    #[pyo3(signature = (chunk, specials, as_array, /))]
    fn feed<'py>(
        &self,
        chunk: &Bound<'py, PyAny>,
        specials: Option<&SpecialSet>,
        as_array: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        output::ids(chunk.py(), self.feed_ids(chunk, specials)?, as_array)
    }

    #[pyo3(signature = (chunk, specials, /))]
    fn advance(&self, chunk: &Bound<'_, PyAny>, specials: Option<&SpecialSet>) -> PyResult<usize> {
        Ok(self.feed_ids(chunk, specials)?.len())
    }

    #[pyo3(signature = (id, as_array, /))]
    fn feed_special<'py>(
        &self,
        py: Python<'py>,
        id: u32,
        as_array: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut ids = Vec::new();
        let result = self.lock()?.feed_special(id, &mut ids);
        result.map_err(|error| input_error(&error, std::mem::take(&mut ids)))?;
        output::ids(py, ids, as_array)
    }

    #[pyo3(signature = (as_array, /))]
    fn finish<'py>(&self, py: Python<'py>, as_array: bool) -> PyResult<Bound<'py, PyAny>> {
        let mut ids = Vec::new();
        let result = self.lock()?.finish(&mut ids);
        result.map_err(|error| input_error(&error, std::mem::take(&mut ids)))?;
        output::ids(py, ids, as_array)
    }

    #[pyo3(signature = (as_array, /))]
    fn peek<'py>(&self, py: Python<'py>, as_array: bool) -> PyResult<Bound<'py, PyAny>> {
        let mut ids = Vec::new();
        let mut fork = self.lock()?.clone();
        let result = fork.finish(&mut ids);
        result.map_err(|error| input_error(&error, std::mem::take(&mut ids)))?;
        output::ids(py, ids, as_array)
    }

    fn copy(&self) -> PyResult<Self> {
        Ok(Self(Mutex::new(self.lock()?.clone())))
    }

    fn reset(&self) -> PyResult<()> {
        self.lock()?.reset();
        Ok(())
    }

    /// (ids given out, source bytes fed, bytes fed that no id covers yet)
    fn counters(&self) -> PyResult<(u64, u64, u64)> {
        let stream = self.lock()?;
        Ok((stream.n_tokens(), stream.n_bytes(), stream.delay_bytes()))
    }
}
