//! The stream object: one user at a time, GIL released for long chunks.
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use pyo3::prelude::*;
use pyo3::types::PyList;
use tokstream_core::chunks::Source;
use tokstream_core::error::{Error, ErrorKind};
use tokstream_core::segments;
use tokstream_core::stream::{Delay, Stream as Native};

use crate::arrays;
use crate::errors::{StreamBusyError, StreamClosedError, StreamError, input_error};
use crate::input::{BLOCK, for_each_block};
use crate::ints;
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
            interrupt.value(py).setattr("ids", ints::list(py, &std::mem::take(ids))?)?;
            return Err(interrupt);
        }
        result
    };
    result.map_err(|error| input_error(&error, std::mem::take(ids)))
}

/// A list of ids that is kept from call to call is not longer than this.
const MAX_KEPT: usize = 1 << 10;

/// An encoder that is fed in chunks.
#[pyclass(frozen, module = "tokstream._core")]
pub struct Stream(Mutex<State>);

#[derive(Clone)]
struct State {
    native: Native,
    /// The special tokens that the stream was made with, and those of the last chunk.
    own: Arc<segments::SpecialSet>,
    current: Arc<segments::SpecialSet>,
    is_finished: bool,
    /// Where ids are put before they become a list; empty between calls.
    ids: Vec<u32>,
}

impl State {
    fn check_open(&self, verb: &str) -> PyResult<()> {
        if self.is_finished {
            let n_bytes = self.native.n_bytes();
            return Err(StreamClosedError::new_err(format!(
                "{verb} after finish: the stream ended at byte {n_bytes}; \
                 call reset to encode another text"
            )));
        }
        Ok(())
    }

    /// The list for ids, empty.
    fn list(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.ids)
    }

    /// The list is not used any more.
    fn keep(&mut self, mut ids: Vec<u32>) {
        if ids.capacity() <= MAX_KEPT {
            ids.clear();
            self.ids = ids;
        }
    }

    /// Ids to give away: a copy without spare room if there are few, and the list is used again.
    fn part_with(&mut self, ids: Vec<u32>) -> Vec<u32> {
        if ids.capacity() > MAX_KEPT {
            return ids;
        }
        let copy = ids.clone();
        self.keep(ids);
        copy
    }

    /// Append the ids that become stable with `chunk`.
    fn feed(
        &mut self,
        verb: &str,
        chunk: &Bound<'_, PyAny>,
        specials: Option<&SpecialSet>,
        ids: &mut Vec<u32>,
    ) -> PyResult<()> {
        self.check_open(verb)?;
        let wanted = specials.map_or(&self.own, |set| &set.0);
        if !Arc::ptr_eq(wanted, &self.current) {
            let result = self.native.set_specials(wanted.clone(), ids);
            result.map_err(|error| input_error(&error, std::mem::take(ids)))?;
            self.current = wanted.clone();
        }
        if let Some(error) = self.native.failure() {
            return Err(input_error(error, vec![]));
        }
        let (py, stream) = (chunk.py(), &mut self.native);
        for_each_block(chunk, BLOCK, &mut |block, source| {
            feed_block(py, stream, block, source, true, ids)?;
            Ok(ControlFlow::Continue(()))
        })
    }
}

impl Stream {
    fn lock(&self) -> PyResult<MutexGuard<'_, State>> {
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
        let mut native = Native::new(core.0.clone(), specials.0.clone(), on_invalid(replace));
        if let Some(limit) = max_pending {
            native.set_max_pending(limit);
        }
        native.set_delay(if is_optimal { Delay::Optimal } else { Delay::Composition });
        native.set_template(with_template);
        let (own, current) = (specials.0.clone(), specials.0.clone());
        Self(Mutex::new(State { native, own, current, is_finished: false, ids: Vec::new() }))
    }

    #[pyo3(signature = (chunk, specials = None, /))]
    fn feed<'py>(
        &self,
        chunk: &Bound<'py, PyAny>,
        specials: Option<&SpecialSet>,
    ) -> PyResult<Bound<'py, PyList>> {
        let mut state = self.lock()?;
        let mut ids = state.list();
        state.feed("feed", chunk, specials, &mut ids)?;
        let list = ints::list(chunk.py(), &ids);
        state.keep(ids);
        list
    }

    #[pyo3(signature = (chunk, specials = None, /))]
    fn feed_array<'py>(
        &self,
        chunk: &Bound<'py, PyAny>,
        specials: Option<&SpecialSet>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut state = self.lock()?;
        let mut ids = state.list();
        state.feed("feed", chunk, specials, &mut ids)?;
        if let Some(array) = arrays::copy(chunk.py(), &ids) {
            state.keep(ids);
            return Ok(array);
        }
        let ids = state.part_with(ids);
        drop(state);
        arrays::view(chunk.py(), ids)
    }

    #[pyo3(signature = (chunk, /))]
    fn feed_buffer<'py>(&self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let mut state = self.lock()?;
        let mut ids = state.list();
        state.feed("feed", chunk, None, &mut ids)?;
        let ids = state.part_with(ids);
        drop(state);
        output::ids(chunk.py(), ids, true)
    }

    #[pyo3(signature = (chunk, specials = None, /))]
    fn advance(&self, chunk: &Bound<'_, PyAny>, specials: Option<&SpecialSet>) -> PyResult<usize> {
        let mut state = self.lock()?;
        let mut ids = state.list();
        state.feed("advance", chunk, specials, &mut ids)?;
        let n = ids.len();
        state.keep(ids);
        Ok(n)
    }

    #[pyo3(signature = (id, /))]
    fn feed_special<'py>(&self, py: Python<'py>, id: u32) -> PyResult<Bound<'py, PyList>> {
        let mut ids = Vec::new();
        let mut state = self.lock()?;
        state.check_open("feed_special")?;
        let result = state.native.feed_special(id, &mut ids);
        result.map_err(|error| input_error(&error, std::mem::take(&mut ids)))?;
        ints::list(py, &ids)
    }

    #[pyo3(signature = (as_array = false, /))]
    fn finish<'py>(&self, py: Python<'py>, as_array: bool) -> PyResult<Bound<'py, PyAny>> {
        let mut ids = Vec::new();
        let mut state = self.lock()?;
        state.check_open("finish")?;
        let result = state.native.finish(&mut ids);
        result.map_err(|error| input_error(&error, std::mem::take(&mut ids)))?;
        state.is_finished = true;
        output::ids(py, ids, as_array)
    }

    #[pyo3(signature = (as_array = false, /))]
    fn peek<'py>(&self, py: Python<'py>, as_array: bool) -> PyResult<Bound<'py, PyAny>> {
        let mut ids = Vec::new();
        let state = self.lock()?;
        if !state.is_finished {
            let result = state.native.clone().finish(&mut ids);
            result.map_err(|error| input_error(&error, std::mem::take(&mut ids)))?;
        }
        output::ids(py, ids, as_array)
    }

    fn copy(&self) -> PyResult<Self> {
        Ok(Self(Mutex::new(self.lock()?.clone())))
    }

    fn reset(&self) -> PyResult<()> {
        let mut state = self.lock()?;
        state.native.reset();
        state.is_finished = false;
        Ok(())
    }

    #[getter]
    fn is_finished(&self) -> PyResult<bool> {
        Ok(self.lock()?.is_finished)
    }

    /// Bytes that wait in each stage, those fed last first: chunks, segments, normalizer, segments
    /// of normalized text, pretokens.
    fn held(&self) -> PyResult<(usize, usize, usize, usize, usize)> {
        let held = self.lock()?.native.held();
        let late = held.n_late_segments;
        Ok((held.n_chunks, held.n_segments, held.n_normalizer, late, held.n_pretokens))
    }

    /// (ids given out, source bytes fed, bytes fed that no id covers yet)
    fn counters(&self) -> PyResult<(u64, u64, u64)> {
        let native = &self.lock()?.native;
        Ok((native.n_tokens(), native.n_bytes(), native.delay_bytes()))
    }
}
