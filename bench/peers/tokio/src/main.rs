// SPDX-License-Identifier: Apache-2.0
// Tokio: a spawned task for each, oneshot channels for what others wait for. On one worker it is
// the runtime of the current thread, which is its fastest there. Leaves and settings are those of
// bench/leaves.h, linked from C.
#[path = "../../serve.rs"]
mod serve;
mod scatter;
mod trees;
mod waits;

use serve::Job;
use std::time::Instant;
use tokio::runtime::{Builder, Runtime};

pub type Answer = (f64, u64);

// Without drivers, if nothing waits for time or the system: it would look at them now and then.
fn runtime(workers: usize, drivers: bool) -> Runtime {
    let mut builder = match workers {
        1 => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    if workers > 1 {
        builder.worker_threads(workers);
    }
    if drivers {
        builder.enable_all();
    }
    builder.build().expect("a runtime")
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
    let (case, parameters) = job.case.split_once(':').unwrap_or((&job.case, ""));
    Some(match case {
        "mapreduce_timer" => trees::run_timer(runtime, size),
        "mapreduce_work" => trees::run_work(runtime, size),
        "mapreduce_tcp" => over.run(runtime),
        "yield" => waits::run_yield(runtime, size),
        "pass_value" => waits::run_pass_value(runtime, size),
        "spawn_parking" => waits::run_spawn_parking(runtime, size),
        "parked_bytes" => waits::run_parked_bytes(runtime, size),
        "scatter" => scatter::run_scatter(runtime, parameters, size, true),
        "scatter_unbounded" => scatter::run_scatter(runtime, parameters, size, false),
        _ => return None,
    })
}

fn main() {
    let job = serve::job(env!("PEER_ABOUT"));
    let runtime = runtime(job.workers, !job.case.starts_with("scatter"));
    let mut connections = trees::Connections::default();
    serve::serve(&job, |job| run(job, &runtime, &mut connections));
}
