// SPDX-License-Identifier: Apache-2.0
// The protocol of bench/serve.h, for peers in Rust.
use std::io::{BufRead, Write};

pub struct Job {
    pub case: String,
    pub workers: usize,
    pub size: i64,
}

// What the arguments ask for; --version is answered with `about`.
pub fn job(about: &str) -> Job {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.len() == 2 && arguments[1] == "--version" {
        println!("{}", about);
        std::process::exit(0);
    }
    if arguments.len() != 4 {
        eprintln!("serve: wants a case, a number of workers and a size");
        std::process::exit(2);
    }
    Job {
        case: arguments[1].clone(),
        workers: arguments[2].parse().expect("workers"),
        size: arguments[3].parse().expect("size"),
    }
}

// Runs the case whenever it is told to; None: there is no such case.
pub fn serve(job: &Job, mut run: impl FnMut(&Job) -> Option<(f64, u64)>) {
    for _ in std::io::stdin().lock().lines() {
        let (value, check) = run(job).unwrap_or_else(|| {
            eprintln!("serve: no case '{}'", job.case);
            std::process::exit(2)
        });
        println!("{:e} {}", value, check);
        std::io::stdout().flush().expect("stdout");
    }
}
