// SPDX-License-Identifier: Apache-2.0
// Trees whose leaves wait, by the clock or for an answer over TCP.
use crate::{timed, Answer};
use std::future::Future;
use std::io::{Read, Write};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;

const ANSWER_AT_ONCE: u64 = u64::MAX; // TWB_LATE_AT_ONCE
const ADDRESSES: i64 = 16; // TWB_LATE_ADDRESSES

#[repr(C)]
#[derive(Clone, Copy)]
struct Shape {
    leaves: i64,
    rounds: u64,
    wait_us: i64,
}

extern "C" {
    fn twb_tree_timer(wait_us: i64) -> Shape;
    fn twb_tree_work(wait_us: i64) -> Shape;
    fn twb_tree_tcp() -> Shape;
    fn twb_leaf(leaf: i64, rounds: u64) -> u64;
}

// Each is taken by its leaf for the time of one exchange.
type Streams = Arc<Vec<Mutex<Option<TcpStream>>>>;

#[derive(Clone)]
enum Wait {
    Clock,
    Answer(Streams),
}

async fn exchange(streams: &Streams, leaf: i64) {
    let slot = &streams[leaf as usize];
    let mut stream = slot.lock().expect("lock").take().expect("a stream");
    let mut bytes = (leaf as u64).to_le_bytes();
    stream.write_all(&bytes).await.expect("written");
    stream.read_exact(&mut bytes).await.expect("read");
    assert_eq!(u64::from_le_bytes(bytes), leaf as u64);
    *slot.lock().expect("lock") = Some(stream);
}

async fn leaf(shape: Shape, wait: Wait, number: i64) -> u64 {
    match wait {
        Wait::Clock => tokio::time::sleep(Duration::from_micros(shape.wait_us as u64)).await,
        Wait::Answer(streams) => exchange(&streams, number).await,
    }
    unsafe { twb_leaf(number, shape.rounds) }
}

type Sum = Pin<Box<dyn Future<Output = u64> + Send>>;

fn add_up(shape: Shape, wait: Wait, begin: i64, end: i64) -> Sum {
    if end - begin == 1 {
        return Box::pin(leaf(shape, wait, begin));
    }
    Box::pin(async move {
        let middle = begin + (end - begin) / 2;
        let left = tokio::spawn(add_up(shape, wait.clone(), begin, middle));
        let right = add_up(shape, wait, middle, end).await;
        left.await.expect("no panic").wrapping_add(right)
    })
}

pub fn run_timer(runtime: &Runtime, size: i64) -> Answer {
    let shape = unsafe { twb_tree_timer(size) };
    timed(runtime, add_up(shape, Wait::Clock, 0, shape.leaves))
}

pub fn run_work(runtime: &Runtime, size: i64) -> Answer {
    let shape = unsafe { twb_tree_work(size) };
    timed(runtime, add_up(shape, Wait::Clock, 0, shape.leaves))
}

// Made by the first run.
#[derive(Default)]
pub struct Connections(Streams);

fn connect(number: i64) -> TcpStream {
    let port = std::env::var("TWB_PORT").expect("TWB_PORT");
    let address = format!("127.0.0.{}:{}", 1 + number % ADDRESSES, port);
    let mut stream = std::net::TcpStream::connect(address).expect("a connection");
    let mut bytes = ANSWER_AT_ONCE.to_le_bytes();
    stream.write_all(&bytes).expect("written");
    stream.read_exact(&mut bytes).expect("read");
    stream.set_nodelay(true).expect("no delay");
    stream.set_nonblocking(true).expect("nonblocking");
    TcpStream::from_std(stream).expect("a stream")
}

impl Connections {
    pub fn run(&mut self, runtime: &Runtime) -> Answer {
        let shape = unsafe { twb_tree_tcp() };
        if self.0.is_empty() {
            let _here = runtime.enter();
            let connected = |number| Mutex::new(Some(connect(number)));
            self.0 = Arc::new((0..shape.leaves).map(connected).collect());
        }
        let wait = Wait::Answer(self.0.clone());
        timed(runtime, add_up(shape, wait, 0, shape.leaves))
    }
}
