// SPDX-License-Identifier: Apache-2.0
// Tokio: a spawned task for each, oneshot channels for what others wait for. On one worker it is
// the runtime of the current thread, which is its fastest there. Leaves and settings are those of
// bench/leaves.h, linked from C.
#[path = "../../serve.rs"]
mod serve;
mod trees;
mod waits;

use serve::Job;
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

fn run(job: &Job, runtime: &Runtime, over: &mut trees::Connections) -> Option<Answer> {
    let size = job.size;
    Some(match job.case.as_str() {
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
    let job = serve::job(env!("PEER_ABOUT"));
    let runtime = runtime(job.workers);
    let mut connections = trees::Connections::default();
    serve::serve(&job, |job| run(job, &runtime, &mut connections));
}
