// SPDX-License-Identifier: Apache-2.0
// Tokio: a spawned task for each, oneshot channels for what others wait for. On one worker it is
// the runtime of the current thread, which is its fastest there. Speaks the protocol of
// bench/serve.h; leaves and settings are those of bench/leaves.h, linked from C.
mod trees;
mod waits;

use std::io::{BufRead, Write};
use std::time::Instant;
use tokio::runtime::{Builder, Runtime};

pub type Answer = (f64, u64);

fn runtime(workers: usize) -> Runtime {
    let mut builder = match workers {
        1 => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    if workers > 1 {
        builder.worker_threads(workers);
    }
    builder.enable_all().build().expect("a runtime")
}

// Seconds of the work, and what it answered. It is a task of its own: the thread that waits for it
// is no worker.
pub fn timed<F>(runtime: &Runtime, work: F) -> Answer
where
    F: std::future::Future<Output = u64> + Send + 'static,
{
    let begun = Instant::now();
    let check = runtime.block_on(runtime.spawn(work)).expect("no panic");
    (begun.elapsed().as_secs_f64(), check)
}

fn run(case: &str, runtime: &Runtime, size: i64, over: &mut trees::Connections) -> Option<Answer> {
    Some(match case {
        "mapreduce_timer" => trees::run_timer(runtime, size),
        "mapreduce_work" => trees::run_work(runtime, size),
        "mapreduce_tcp" => over.run(runtime),
        "yield" => waits::run_yield(runtime, size),
        "pass_value" => waits::run_pass_value(runtime, size),
        "spawn_parking" => waits::run_spawn_parking(runtime, size),
        "parked_bytes" => waits::run_parked_bytes(runtime, size),
        _ => return None,
    })
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.len() == 2 && arguments[1] == "--version" {
        println!("{}", env!("PEER_ABOUT"));
        return;
    }
    if arguments.len() != 4 {
        eprintln!("serve: wants a case, a number of workers and a size");
        std::process::exit(2);
    }
    let runtime = runtime(arguments[2].parse().expect("workers"));
    let size = arguments[3].parse().expect("size");
    let mut connections = trees::Connections::default();
    for _ in std::io::stdin().lock().lines() {
        let found = run(&arguments[1], &runtime, size, &mut connections);
        let (value, check) = found.unwrap_or_else(|| {
            eprintln!("serve: no case '{}'", arguments[1]);
            std::process::exit(2)
        });
        println!("{:e} {}", value, check);
        std::io::stdout().flush().expect("stdout");
    }
}
