// SPDX-License-Identifier: Apache-2.0
// The case of bench/scatter.h: a spawned task for each, channels with room for one; or, in
// `scatter_unbounded`, with room for any number, where a send asks for no permit first.
use crate::Answer;
use std::ffi::CString;
use std::os::raw::c_char;
use std::time::Instant;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

#[repr(C)]
#[derive(Clone, Copy)]
struct Scatter {
    tasks: i64,
    rounds: i64,
    loops: u64,
}

extern "C" {
    fn twb_scatter_read(parameters: *const c_char, rounds: i64) -> Scatter;
    fn twb_leaf(leaf: i64, rounds: u64) -> u64;
}

enum Sender {
    Bounded(mpsc::Sender<u64>),
    Unbounded(mpsc::UnboundedSender<u64>),
}

enum Receiver {
    Bounded(mpsc::Receiver<u64>),
    Unbounded(mpsc::UnboundedReceiver<u64>),
}

fn channel(bounded: bool) -> (Sender, Receiver) {
    if bounded {
        let (send, receive) = mpsc::channel(1);
        return (Sender::Bounded(send), Receiver::Bounded(receive));
    }
    let (send, receive) = mpsc::unbounded_channel();
    (Sender::Unbounded(send), Receiver::Unbounded(receive))
}

impl Sender {
    async fn send(&self, number: u64) {
        match self {
            Sender::Bounded(channel) => channel.send(number).await,
            Sender::Unbounded(channel) => channel.send(number),
        }
        .expect("a reader")
    }
}

impl Receiver {
    async fn receive(&mut self) -> Option<u64> {
        match self {
            Receiver::Bounded(channel) => channel.recv().await,
            Receiver::Unbounded(channel) => channel.recv().await,
        }
    }
}

// The central task's ends of the channels of another.
struct Outpost {
    out: Sender,
    back: Receiver,
}

async fn be_outpost(mut coming: Receiver, back: Sender, loops: u64) {
    while let Some(number) = coming.receive().await {
        back.send(unsafe { twb_leaf(number as i64, loops) }).await;
    }
}

fn start_outpost(loops: u64, bounded: bool) -> Outpost {
    let (out, coming) = channel(bounded);
    let (reply, back) = channel(bounded);
    tokio::spawn(be_outpost(coming, reply, loops));
    Outpost { out, back }
}

async fn go_round(others: &mut [Outpost], round: i64) -> u64 {
    let count = others.len() as u64;
    let mut number = round as u64 % count;
    for other in others.iter() {
        other.out.send(number).await;
        number = if number + 1 < count { number + 1 } else { 0 };
    }
    let mut sum = 0u64;
    for other in others.iter_mut() {
        sum = sum.wrapping_add(other.back.receive().await.expect("a reply"));
    }
    sum
}

async fn be_central(scatter: Scatter, bounded: bool) -> Answer {
    let start = |_| start_outpost(scatter.loops, bounded);
    let mut others: Vec<_> = (0..scatter.tasks).map(start).collect();
    go_round(&mut others, 0).await;
    let begun = Instant::now();
    let mut sum = 0u64;
    for round in 1..=scatter.rounds {
        sum = sum.wrapping_add(go_round(&mut others, round).await);
    }
    (begun.elapsed().as_secs_f64(), sum)
}

pub fn run_scatter(runtime: &Runtime, parameters: &str, rounds: i64, bounded: bool) -> Answer {
    let parameters = CString::new(parameters).expect("text");
    let scatter = unsafe { twb_scatter_read(parameters.as_ptr(), rounds) };
    runtime.block_on(runtime.spawn(be_central(scatter, bounded))).expect("no panic")
}
