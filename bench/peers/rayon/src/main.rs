// SPDX-License-Identifier: Apache-2.0
// rayon: join on two halves, its fastest form, and parallel iterators for loops. Nodes of UTS,
// probes, tiles and rows come from the same C as everybody's (foreign.rs).
mod apps;
mod foreign;
#[path = "../../serve.rs"]
mod serve;

use foreign::{Matmul, Node, Offer, Probe, Stencil};
use rayon::prelude::*;
use rayon::{join, ThreadPool, ThreadPoolBuilder};
use serve::Job;
use std::time::Instant;

const SWEEPS: usize = 50; // TWB_SWEEPS

fn fib(n: i64) -> u64 {
    if n < 2 {
        return n as u64;
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

#[derive(Clone, Copy)]
struct Board {
    all: u32,
    columns: u32,
    left: u32,
    right: u32,
}

impl Board {
    fn empty(n: i64) -> Board {
        Board { all: (1 << n) - 1, columns: 0, left: 0, right: 0 }
    }

    fn free(self) -> u32 {
        self.all & !(self.columns | self.left | self.right)
    }

    // The next row's board with a queen on the lowest column of `free`.
    fn place(self, free: u32) -> Board {
        let queen = free & free.wrapping_neg();
        Board {
            all: self.all,
            columns: self.columns | queen,
            left: (self.left | queen) << 1,
            right: (self.right | queen) >> 1,
        }
    }
}

fn queens(board: Board) -> u64 {
    if board.columns == board.all {
        return 1;
    }
    queens_on(board, board.free())
}

fn queens_on(board: Board, free: u32) -> u64 {
    if free == 0 {
        return 0;
    }
    let others = free & (free - 1);
    if others == 0 {
        return queens(board.place(free));
    }
    let (a, b) = join(|| queens(board.place(free)), || queens_on(board, others));
    a + b
}

fn uts(node: &Node) -> u64 {
    match node.children() {
        0 => 1,
        children => 1 + uts_siblings(node, 0, children),
    }
}

fn uts_siblings(parent: &Node, begin: u32, end: u32) -> u64 {
    if end - begin == 1 {
        return uts(&parent.child(begin));
    }
    let middle = begin + (end - begin) / 2;
    let (a, b) = join(
        || uts_siblings(parent, begin, middle),
        || uts_siblings(parent, middle, end),
    );
    a + b
}

fn multiply(m: &Matmul) {
    let tiles = m.tiles();
    (0..tiles * tiles)
        .into_par_iter()
        .for_each(|tile| m.tile(tile / tiles, tile % tiles));
}

fn relax(s: &Stencil, n: usize) {
    for _ in 0..SWEEPS {
        (1..n - 1).into_par_iter().for_each(|row| s.row(row));
        s.swap();
    }
}

extern "C" fn offer(probe: *mut Probe) {
    let probe = foreign::ProbePointer(probe);
    probe.arm();
    join(|| probe.wait(), || probe.start());
}

// A wait runs other tasks on top of the waiting one, so that deep trees overflow usual stacks.
fn pool(workers: usize) -> ThreadPool {
    ThreadPoolBuilder::new()
        .num_threads(workers)
        .stack_size(256 << 20)
        .build()
        .expect("a pool")
}

fn start_up(workers: usize) -> f64 {
    let start = Instant::now();
    pool(workers).install(|| ());
    start.elapsed().as_secs_f64()
}

// The value measured and the answer computed.
fn run(job: &Job, pool: &ThreadPool) -> Option<(f64, u64)> {
    let size = job.size;
    let timed = |work: &(dyn Fn() -> u64 + Sync)| {
        let start = Instant::now();
        let check = pool.install(work);
        Some((start.elapsed().as_secs_f64(), check))
    };
    // The answer is computed outside the time.
    let timed_apart = |work: &(dyn Fn() + Sync), check: &dyn Fn() -> u64| {
        let start = Instant::now();
        pool.install(work);
        let seconds = start.elapsed().as_secs_f64();
        Some((seconds, check()))
    };
    let latency = |driver: fn(Offer, i64) -> f64| Some((pool.install(|| driver(offer, size)), 0));
    match job.case.as_str() {
        "fib" => timed(&|| fib(size)),
        "nqueens" => timed(&|| queens(Board::empty(size))),
        "uts" => {
            let root = Node::root(size);
            timed(&|| uts(&root))
        }
        "matmul" => {
            let m = Matmul::new(size);
            timed_apart(&|| multiply(&m), &|| m.checksum())
        }
        "stencil" => {
            let s = Stencil::new(size);
            timed_apart(&|| relax(&s, size as usize), &|| s.checksum())
        }
        "sort" => {
            let keys = apps::Keys::new(size);
            timed(&|| { keys.sort(); 0 }).map(|(value, _)| (value, keys.answer()))
        }
        "sort_library" => {
            let keys = apps::Keys::new(size);
            timed(&|| { keys.sort_library(); 0 }).map(|(value, _)| (value, keys.answer()))
        }
        "skynet" => timed(&|| apps::skynet(0, size as u64)),
        "skynet_iter" => timed(&|| apps::skynet_iter(0, size as u64)),
        "fft" => {
            let signal = apps::Signal::new(size);
            timed(&|| { signal.transform(); 0 }).map(|(value, _)| (value, signal.answer()))
        }
        "steal_hot" => latency(foreign::steal_hot),
        "wake_cold" => latency(foreign::wake_cold),
        "idle" => Some((pool.install(|| foreign::idle_share(size)), 0)),
        "startup" => Some((start_up(job.workers), 0)),
        _ => None,
    }
}

fn main() {
    let job = serve::job(env!("PEER_ABOUT"));
    let pool = pool(job.workers);
    serve::serve(&job, |job| run(job, &pool));
}
