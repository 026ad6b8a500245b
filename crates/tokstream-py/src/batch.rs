//! Several texts at once, on threads that live as long as the call: nothing is left for a fork to
//! break. The calling thread works too, makes the lists, and looks at signals meanwhile.
//!
//! Short texts go to a thread in groups, long ones in parts: however sizes differ, all threads end
//! at about the same time, and only a few texts for each thread are held in encoded form.
use std::any::Any;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use pyo3::prelude::*;
use pyo3::types::PyList;
use tokstream_core::error::Error;
use tokstream_core::parallel::{Caller, Encoded, Encoder, Joiner, Part, in_order};

use crate::errors::{at_index, input_error};
use crate::input::{BLOCK, Held, Whole, n_bytes_about};
use crate::output;
use crate::parallel::{self, MIN_TEXT, PART};
use crate::parts::{Parts, Slice};

/// Short texts that a thread takes at a time have about so many bytes in all.
const GROUP: usize = 1 << 16;
/// What a text costs beside its length, in bytes.
const PER_TEXT: usize = 64;

/// How a batch is encoded.
pub struct How {
    pub as_array: bool,
    pub with_template: bool,
    /// At most so many threads; by default what the environment or the machine says.
    pub n_threads: Option<usize>,
    /// Texts are cut into parts of about so many bytes.
    pub size: Option<usize>,
}

/// What a text is read from.
type Source = Arc<dyn Any + Send + Sync>;

/// The ids of a text, or the fault and the ids before it.
type Outcome = (Vec<u32>, Result<(), Error>);

enum Item {
    /// Texts that follow each other.
    Texts(Arc<Vec<Whole>>),
    /// A part of one; about how many bytes that has.
    Part(Part<Slice>, usize),
}

enum Output {
    Texts(Vec<Outcome>),
    Part(Encoded<Slice>, usize, bool),
}

/// A long text of about so many bytes or characters.
struct Long {
    parts: Parts,
    length: usize,
}

/// The calling thread's side.
struct Batch<'a> {
    texts: Py<PyList>,
    n_texts: usize,
    encoder: &'a Encoder,
    how: &'a How,
    n_threads: usize,
    /// Longer texts are cut into parts of this size.
    longest: usize,
    size: usize,
    /// Texts that were made into items, and a long one that only partly was.
    n_made: usize,
    long: Option<Long>,
    /// What the texts under way are read from, in order: dropped here, while the GIL is held, for
    /// the same reason as `Parts`.
    alive: VecDeque<Option<Source>>,
    results: Py<PyList>,
    /// The long text of which results are coming in.
    joiner: Joiner,
    ids: Vec<u32>,
    /// What is wrong with a text that is no text; those before it come first.
    refused: Option<PyErr>,
    failure: Option<PyErr>,
    stop: &'a Stop,
    spare: &'a Spare,
}

/// Lists of ids to use again: new ones would be handed out by the system page by page.
#[derive(Default)]
struct Spare(Mutex<Vec<Vec<u32>>>);

impl Spare {
    fn take(&self) -> Vec<u32> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn put(&self, ids: Vec<u32>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(ids);
    }
}

/// How threads end in the middle of a long text.
struct Stop {
    caller: ThreadId,
    is_due: AtomicBool,
    interrupt: Mutex<Option<PyErr>>,
}

impl Stop {
    /// Look at signals, if this is the calling thread.
    fn is_due(&self) -> bool {
        if thread::current().id() == self.caller {
            Python::attach(|py| {
                if let Err(error) = py.check_signals() {
                    let mut interrupt =
                        self.interrupt.lock().unwrap_or_else(PoisonError::into_inner);
                    *interrupt = Some(error);
                    self.is_due.store(true, Ordering::Relaxed);
                }
            });
        }
        self.is_due.load(Ordering::Relaxed)
    }
}

/// Encode one text by itself.
fn encode_one(encoder: &Encoder, how: &How, text: &Whole, stop: &Stop) -> Outcome {
    let (bytes, source) = text.bytes();
    let mut stream = encoder.stream();
    stream.set_template(how.with_template);
    let mut ids = output::room_for(bytes.len());
    let mut done = Ok(());
    let mut rest = bytes;
    while !rest.is_empty() {
        // Of a `str` a character must not be cut.
        let mut end = rest.len().min(BLOCK);
        while source.is_text() && rest.get(end).is_some_and(|byte| byte & 0xC0 == 0x80) {
            end -= 1;
        }
        let (block, after) = rest.split_at(end);
        rest = after;
        done = done.and_then(|()| stream.feed(block, source, false, &mut ids));
        if bytes.len() > BLOCK && stop.is_due() {
            break;
        }
    }
    let done = done.and_then(|()| stream.finish(&mut ids));
    (ids, done)
}

impl Batch<'_> {
    /// Short texts up to the next long one.
    fn make_group(&mut self, py: Python<'_>) -> Option<Item> {
        let texts = self.texts.bind(py).clone();
        let mut group = Vec::new();
        let mut length = 0;
        while self.long.is_none()
            && length < GROUP
            && self.n_made < self.n_texts
            && self.refused.is_none()
        {
            let added = texts.get_item(self.n_made).and_then(|text| {
                let held = Held::new(&text)?;
                let n = held.length();
                if n > self.longest && self.encoder.can_cut() {
                    let parts = Parts::new(held, self.n_threads);
                    self.long = Some(Long { parts, length: n_bytes_about(&text) });
                } else {
                    group.push(held.whole(py)?);
                    length += n + PER_TEXT;
                }
                Ok(())
            });
            match added {
                Ok(()) => self.n_made += 1,
                Err(error) => self.refused = Some(at_index(py, self.n_made, error)),
            }
        }
        if group.is_empty() {
            return None;
        }
        let group = Arc::new(group);
        self.alive.push_back(Some(group.clone()));
        Some(Item::Texts(group))
    }

    /// The next part of the long text.
    fn make_part(&mut self) -> Option<Item> {
        let Long { parts, length } = self.long.as_mut()?;
        if parts.is_fresh() {
            self.alive.push_back(parts.whole().map(|whole| whole as Source));
        }
        let item = match parts.next(self.encoder, self.size) {
            Ok(part) => part.map(|part| Item::Part(part, *length)),
            Err(error) => {
                let index = self.n_made - 1;
                self.refused = Some(Python::attach(|py| at_index(py, index, error)));
                None
            }
        };
        let is_last = |item: &Item| matches!(item, Item::Part(part, _) if part.is_last);
        if item.as_ref().is_none_or(is_last) {
            Python::attach(|_| self.long = None);
        }
        item
    }

    /// The next text's ids; false if they end it all.
    fn add(&mut self, (ids, done): Outcome) -> bool {
        let added = Python::attach(|py| {
            let results = self.results.bind(py);
            if let Err(error) = done {
                return Err(at_index(py, results.len(), input_error(&error, ids)));
            }
            results.append(output::ids(py, ids, self.how.as_array)?)
        });
        self.failure = added.err();
        self.failure.is_none()
    }

    fn take_part(&mut self, encoded: Encoded<Slice>, length: usize, is_last: bool) -> bool {
        let template = self.how.with_template.then(|| self.encoder.template());
        if self.ids.capacity() == 0 {
            self.ids = output::room_for(length);
            self.ids.extend_from_slice(template.map_or(&[], |(opening, _)| opening));
        }
        let (mut ids, done) = self.joiner.take(self.encoder, encoded);
        self.ids.extend_from_slice(&ids);
        ids.clear();
        self.spare.put(ids);
        if !is_last && done.is_ok() {
            return true;
        }
        if done.is_ok() {
            self.ids.extend_from_slice(template.map_or(&[], |(_, closing)| closing));
        }
        self.joiner = Joiner::default();
        let ids = std::mem::take(&mut self.ids);
        self.add((ids, done))
    }
}

impl Caller<Item, Output> for Batch<'_> {
    fn next(&mut self) -> Option<Item> {
        if self.long.is_none()
            && let Some(group) = Python::attach(|py| self.make_group(py))
        {
            return Some(group);
        }
        self.make_part()
    }

    fn take(&mut self, output: Output) -> ControlFlow<()> {
        let (goes_on, is_done) = match output {
            Output::Texts(outcomes) => {
                (outcomes.into_iter().all(|outcome| self.add(outcome)), true)
            }
            Output::Part(encoded, length, is_last) => {
                (self.take_part(encoded, length, is_last), is_last)
            }
        };
        if is_done {
            Python::attach(|_| drop(self.alive.pop_front()));
        }
        if goes_on {
            return ControlFlow::Continue(());
        }
        self.stop.is_due.store(true, Ordering::Relaxed);
        ControlFlow::Break(())
    }

    fn is_wanted(&mut self) -> bool {
        !self.stop.is_due()
    }
}

/// Encode `texts`; an error is that of the first text at fault, and names its index.
pub fn encode<'py>(
    texts: &Bound<'py, PyList>,
    encoder: &Encoder,
    how: &How,
) -> PyResult<Bound<'py, PyList>> {
    let py = texts.py();
    let results = PyList::empty(py);
    let n_threads = match (how.size, how.n_threads) {
        (Some(_), Some(number)) => number,
        _ => parallel::n_threads(py, how.n_threads, total_length(texts))?,
    };
    let longest = if n_threads == 1 { usize::MAX } else { how.size.unwrap_or(MIN_TEXT) };
    let stop = Stop {
        caller: thread::current().id(),
        is_due: AtomicBool::new(false),
        interrupt: Mutex::new(None),
    };
    let spare = Spare::default();
    let mut batch = Batch {
        texts: texts.clone().unbind(),
        n_texts: texts.len(),
        encoder,
        how,
        n_threads,
        longest,
        size: how.size.unwrap_or(PART).max(1),
        n_made: 0,
        long: None,
        alive: VecDeque::new(),
        results: results.clone().unbind(),
        joiner: Joiner::default(),
        ids: Vec::new(),
        refused: None,
        failure: None,
        stop: &stop,
        spare: &spare,
    };
    let is_all = py.detach(|| {
        in_order(n_threads, &mut batch, |item| match item {
            Item::Texts(texts) => {
                let outcomes = texts.iter().map(|text| encode_one(encoder, how, text, &stop));
                Output::Texts(outcomes.collect())
            }
            Item::Part(part, length) => {
                let is_last = part.is_last;
                Output::Part(encoder.encode(part, spare.take()), length, is_last)
            }
        })
    });
    let interrupt = stop.interrupt.lock().unwrap_or_else(PoisonError::into_inner).take();
    match interrupt.or(batch.failure).or(batch.refused.filter(|_| is_all)) {
        Some(error) => Err(error),
        None => Ok(results),
    }
}

/// Bytes or characters of all texts, as far as that matters.
fn total_length(texts: &Bound<'_, PyList>) -> usize {
    let most = parallel::MIN_TEXT << 10;
    let mut total: usize = 0;
    for text in texts {
        total += text.len().unwrap_or(0) + PER_TEXT;
        if total > most {
            break;
        }
    }
    total
}
