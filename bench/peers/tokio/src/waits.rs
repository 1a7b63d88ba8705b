// SPDX-License-Identifier: Apache-2.0
// What a wait costs: yields, values handed over, tasks that wait once or for long.
use crate::{timed, Answer};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Arc;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

const GROUP: i64 = 10;

extern "C" {
    fn twb_resident_bytes() -> f64;
}

async fn yield_often(count: i64) -> u64 {
    for _ in 0..count {
        tokio::task::yield_now().await;
    }
    count as u64
}

pub fn run_yield(runtime: &Runtime, size: i64) -> Answer {
    timed(runtime, async move {
        let first = tokio::spawn(yield_often(size / 2));
        let second = tokio::spawn(yield_often(size / 2));
        first.await.expect("no panic") + second.await.expect("no panic")
    })
}

// A value, and where the answer and the next message are awaited.
struct Message {
    value: u64,
    answer: oneshot::Sender<u64>,
    next: oneshot::Receiver<Message>,
}

async fn send_back(mut coming: oneshot::Receiver<Message>) {
    while let Ok(message) = coming.await {
        let _ = message.answer.send(message.value + 1);
        coming = message.next;
    }
}

pub fn run_pass_value(runtime: &Runtime, size: i64) -> Answer {
    timed(runtime, async move {
        let (mut send, coming) = oneshot::channel();
        let other = tokio::spawn(send_back(coming));
        let mut value = 0;
        for _ in 0..size / 2 {
            let (answer, answered) = oneshot::channel();
            let (later, next) = oneshot::channel();
            let _ = send.send(Message { value: value + 1, answer, next });
            value = answered.await.expect("an answer");
            send = later;
        }
        drop(send);
        other.await.expect("no panic");
        value
    })
}

// Tasks that all wait, each for a channel of its own.
struct Crowd {
    promises: Vec<oneshot::Sender<u64>>,
    waiting: Vec<JoinHandle<u64>>,
}

impl Crowd {
    async fn gather(size: i64) -> Crowd {
        let arrived = Arc::new(AtomicI64::new(0));
        let (last, all_there) = oneshot::channel();
        let last = Arc::new(std::sync::Mutex::new(Some(last)));
        let mut crowd = Crowd { promises: Vec::new(), waiting: Vec::new() };
        for _ in 0..size {
            let (promise, promised) = oneshot::channel();
            let (arrived, last) = (arrived.clone(), last.clone());
            crowd.promises.push(promise);
            crowd.waiting.push(tokio::spawn(async move {
                if arrived.fetch_add(1, Ordering::AcqRel) + 1 == size {
                    let _ = last.lock().expect("lock").take().expect("once").send(());
                }
                promised.await.expect("a value")
            }));
        }
        all_there.await.expect("the last");
        crowd
    }

    async fn release(self) -> u64 {
        for promise in self.promises {
            let _ = promise.send(1);
        }
        let mut left = 0;
        for task in self.waiting {
            left += task.await.expect("no panic");
        }
        left
    }
}

pub fn run_spawn_parking(runtime: &Runtime, size: i64) -> Answer {
    timed(runtime, async move {
        let mut released = 0;
        for _ in 0..size / GROUP {
            released += Crowd::gather(GROUP).await.release().await;
        }
        released
    })
}

pub fn run_parked_bytes(runtime: &Runtime, size: i64) -> Answer {
    let before = unsafe { twb_resident_bytes() };
    let crowd = runtime.block_on(Crowd::gather(size));
    let bytes = (unsafe { twb_resident_bytes() } - before) / size as f64;
    (bytes, runtime.block_on(crowd.release()))
}
