//! Work done on several threads, its results taken in order.
//!
//! In: items, made one by one on the calling thread. Out: a result for each, given to the calling
//! thread in the same order. Held back: a few items and results for each thread, however many
//! there are in all.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Items under way for each thread.
const PER_THREAD: usize = 4;
/// How often the caller is asked whether to go on.
const ASK_EVERY: Duration = Duration::from_millis(20);

/// What the calling thread does itself.
pub trait Caller<Item, Output> {
    /// The next item; `None` once there are no more.
    fn next(&mut self) -> Option<Item>;
    /// The next result, in the order of the items; a break ends it all.
    fn take(&mut self, output: Output) -> ControlFlow<()>;
    /// Called between items, not much less often than every few milliseconds.
    fn is_wanted(&mut self) -> bool;
}

/// What the threads share.
struct Shared<Item, Output> {
    /// Items that nobody works on yet, with their numbers.
    waiting: VecDeque<(usize, Item)>,
    /// Results of items that were begun, from number `first` on.
    results: VecDeque<Option<Output>>,
    first: usize,
    /// No more items will come, or none of them matters.
    is_over: bool,
    /// A helper panicked: its result will never come.
    is_broken: bool,
}

struct Queue<Item, Output> {
    shared: Mutex<Shared<Item, Output>>,
    more_items: Condvar,
    more_results: Condvar,
}

impl<Item, Output> Queue<Item, Output> {
    fn lock(&self) -> MutexGuard<'_, Shared<Item, Output>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, number: usize, output: Output) {
        let mut shared = self.lock();
        let index = number - shared.first;
        shared.results[index] = Some(output);
        if index == 0 {
            self.more_results.notify_one();
        }
    }

    /// A helper thread: work until it is over.
    fn help(&self, work: &(impl Fn(Item) -> Output + Sync)) {
        let _end = EndOfHelper(self);
        let mut shared = self.lock();
        while !shared.is_over {
            let Some((number, item)) = shared.waiting.pop_front() else {
                shared = self.more_items.wait(shared).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(shared);
            self.put(number, work(item));
            shared = self.lock();
        }
    }
}

/// Tells the caller if a helper ends by a panic.
struct EndOfHelper<'a, Item, Output>(&'a Queue<Item, Output>);

impl<Item, Output> Drop for EndOfHelper<'_, Item, Output> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().is_broken = true;
            self.0.more_results.notify_one();
        }
    }
}

/// Ends the helpers, also if the caller panics: they are waited for.
struct EndOfCaller<'a, Item, Output>(&'a Queue<Item, Output>);

impl<Item, Output> Drop for EndOfCaller<'_, Item, Output> {
    fn drop(&mut self) {
        let mut shared = self.0.lock();
        shared.is_over = true;
        let dropped = std::mem::take(&mut shared.waiting);
        drop(shared);
        self.0.more_items.notify_all();
        drop(dropped);
    }
}

/// Do `work` for each item that `caller` makes, on `n_threads` threads of which the calling one is
/// the first; the others live as long as this call. Fewer are used if the system gives no more.
///
/// False if the caller ended it before all was done.
pub fn in_order<Item: Send, Output: Send>(
    n_threads: usize,
    caller: &mut impl Caller<Item, Output>,
    work: impl Fn(Item) -> Output + Sync,
) -> bool {
    let queue = Queue {
        shared: Mutex::new(Shared {
            waiting: VecDeque::new(),
            results: VecDeque::new(),
            first: 0,
            is_over: false,
            is_broken: false,
        }),
        more_items: Condvar::new(),
        more_results: Condvar::new(),
    };
    let n_helpers = n_threads.saturating_sub(1);
    std::thread::scope(|scope| {
        for _ in 0..n_helpers {
            let helper = std::thread::Builder::new();
            if helper.spawn_scoped(scope, || queue.help(&work)).is_err() {
                break;
            }
        }
        let _end = EndOfCaller(&queue);
        call(&queue, if n_helpers == 0 { 1 } else { n_threads * PER_THREAD }, caller, &work)
    })
}

/// The calling thread: take results first, then make items, then work like the others.
fn call<Item, Output>(
    queue: &Queue<Item, Output>,
    most_under_way: usize,
    caller: &mut impl Caller<Item, Output>,
    work: &impl Fn(Item) -> Output,
) -> bool {
    let mut is_exhausted = false;
    let mut last_asked = Instant::now();
    loop {
        if last_asked.elapsed() >= ASK_EVERY {
            last_asked = Instant::now();
            if !caller.is_wanted() {
                return false;
            }
        }
        let mut shared = queue.lock();
        if shared.is_broken {
            return false; // the scope hands the panic on
        }
        if shared.results.front().is_some_and(Option::is_some) {
            let output = shared.results.pop_front().flatten();
            shared.first += 1;
            drop(shared);
            if output.is_some_and(|output| caller.take(output).is_break()) {
                return false;
            }
            continue;
        }
        let n_under_way = shared.results.len();
        if !is_exhausted && n_under_way < most_under_way {
            drop(shared);
            match caller.next() {
                Some(item) => {
                    let mut shared = queue.lock();
                    let number = shared.first + shared.results.len();
                    shared.results.push_back(None);
                    shared.waiting.push_back((number, item));
                    drop(shared);
                    queue.more_items.notify_one();
                }
                None => is_exhausted = true,
            }
            continue;
        }
        if let Some((number, item)) = shared.waiting.pop_front() {
            drop(shared);
            queue.put(number, work(item));
        } else if n_under_way > 0 {
            let waited = queue.more_results.wait_timeout(shared, ASK_EVERY);
            drop(waited.unwrap_or_else(PoisonError::into_inner));
        } else {
            return true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Numbers {
        left: std::ops::Range<u64>,
        taken: Vec<u64>,
        most: usize,
    }

    impl Caller<u64, u64> for Numbers {
        fn next(&mut self) -> Option<u64> {
            self.left.next()
        }

        fn take(&mut self, output: u64) -> ControlFlow<()> {
            self.taken.push(output);
            if self.taken.len() < self.most {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        }

        fn is_wanted(&mut self) -> bool {
            true
        }
    }

    fn squares(n_threads: usize, n: u64, most: usize) -> (Vec<u64>, bool) {
        let mut numbers = Numbers { left: 0..n, taken: Vec::new(), most };
        let is_all = in_order(n_threads, &mut numbers, |number| {
            if number % 7 == 0 {
                std::thread::sleep(Duration::from_micros(300));
            }
            number * number
        });
        (numbers.taken, is_all)
    }

    #[test]
    fn results_come_in_order_on_any_number_of_threads() {
        let expected: Vec<u64> = (0..200).map(|number| number * number).collect();
        for n_threads in [0, 1, 2, 3, 8] {
            assert_eq!(squares(n_threads, 200, 1000), (expected.clone(), true));
            assert_eq!(squares(n_threads, 200, 30), (expected[..30].to_vec(), false));
            assert_eq!(squares(n_threads, 0, 1), (vec![], true));
        }
    }

    #[test]
    fn a_panic_on_a_helper_ends_the_call() {
        let result = std::panic::catch_unwind(|| {
            let mut numbers = Numbers { left: 0..100, taken: Vec::new(), most: 1000 };
            in_order(3, &mut numbers, |number| {
                assert!(number < 50, "as it should");
                number
            })
        });
        assert!(result.is_err());
    }

    #[test]
    fn a_caller_who_does_not_want_any_more_is_asked_in_time() {
        struct Impatient;
        impl Caller<(), ()> for Impatient {
            fn next(&mut self) -> Option<()> {
                Some(())
            }
            fn take(&mut self, (): ()) -> ControlFlow<()> {
                ControlFlow::Continue(())
            }
            fn is_wanted(&mut self) -> bool {
                false
            }
        }
        assert!(!in_order(2, &mut Impatient, |()| std::thread::sleep(Duration::from_millis(1))));
    }
}
