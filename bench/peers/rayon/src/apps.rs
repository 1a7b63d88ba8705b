// SPDX-License-Identifier: Apache-2.0
// rayon: sort, skynet and FFT by join on two halves, and by what rayon has for its users. Input,
// sequential kernels and cut-offs are the applications' own (bench/app_data.h), linked from C.
use rayon::join;
use rayon::prelude::*;

// As in apps/sort/sort.h, apps/skynet/skynet.h and apps/fft/fft.h.
const SORT_CUTOFF: usize = 4096;
const SORT_MERGE_CUTOFF: usize = 16384;
const SKYNET_CHILDREN: u64 = 10;
const FFT_CUTOFF: usize = 2048;
const FFT_LOOP_LEAST: usize = 32768;
const FFT_STRETCH: usize = 1024;
const FFT_TILES: usize = 64;

#[repr(C)]
pub struct Plan {
    _opaque: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Number {
    re: f64,
    im: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Keys {
    keys: *mut u64,
    scratch: *mut u64,
    n: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Signal {
    plan: *const Plan,
    x: *mut Number,
    n: usize,
}

// The pointers lead to memory that parts of a job divide among them.
unsafe impl Send for Keys {}
unsafe impl Sync for Keys {}
unsafe impl Send for Signal {}
unsafe impl Sync for Signal {}

extern "C" {
    fn twb_sort_data(n: i64) -> Keys;
    fn twb_sort_answer(data: Keys) -> u64;
    fn twb_fft_data(log2n: i64) -> Signal;
    fn twb_fft_answer(data: Signal) -> u64;
    fn sort_range(keys: *mut u64, scratch: *mut u64, n: usize, moved: bool);
    fn sort_middle(n: usize) -> usize;
    fn sort_merge(a: *const u64, a_n: usize, b: *const u64, b_n: usize, out: *mut u64);
    fn fft_butterflies(plan: *const Plan, x: *mut Number, n: usize, from: usize, to: usize);
    fn fft_levels(plan: *const Plan, x: *mut Number, n: usize);
    fn fft_tiles(plan: *const Plan) -> usize;
    fn fft_reorder(plan: *const Plan, x: *mut Number, from: usize, to: usize);
}

impl Keys {
    pub fn new(n: i64) -> Keys {
        unsafe { twb_sort_data(n) }
    }

    pub fn answer(self) -> u64 {
        unsafe { twb_sort_answer(self) }
    }

    fn slices<'a>(self) -> (&'a mut [u64], &'a mut [u64]) {
        unsafe {
            (
                std::slice::from_raw_parts_mut(self.keys, self.n),
                std::slice::from_raw_parts_mut(self.scratch, self.n),
            )
        }
    }

    pub fn sort(self) {
        let (keys, scratch) = self.slices();
        sort(keys, scratch, false);
    }

    pub fn sort_library(self) {
        self.slices().0.par_sort_unstable();
    }
}

fn merge(a: &[u64], b: &[u64], out: &mut [u64]) {
    if out.len() <= SORT_MERGE_CUTOFF {
        unsafe { sort_merge(a.as_ptr(), a.len(), b.as_ptr(), b.len(), out.as_mut_ptr()) };
        return;
    }
    let (a, b) = if a.len() < b.len() { (b, a) } else { (a, b) };
    let (a_low, a_high) = a.split_at(a.len() / 2);
    let (b_low, b_high) = b.split_at(b.partition_point(|key| *key < a_high[0]));
    let (low, high) = out.split_at_mut(a_low.len() + b_low.len());
    join(|| merge(a_low, b_low, low), || merge(a_high, b_high, high));
}

// The sorted keys are left in `scratch` when `moved`, otherwise in `keys`.
fn sort(keys: &mut [u64], scratch: &mut [u64], moved: bool) {
    if keys.len() <= SORT_CUTOFF {
        unsafe { sort_range(keys.as_mut_ptr(), scratch.as_mut_ptr(), keys.len(), moved) };
        return;
    }
    let half = unsafe { sort_middle(keys.len()) };
    let (keys_low, keys_high) = keys.split_at_mut(half);
    let (scratch_low, scratch_high) = scratch.split_at_mut(half);
    join(
        || sort(keys_low, scratch_low, !moved),
        || sort(keys_high, scratch_high, !moved),
    );
    if moved {
        merge(keys_low, keys_high, scratch);
    } else {
        merge(scratch_low, scratch_high, keys);
    }
}

pub fn skynet(first: u64, leaves: u64) -> u64 {
    match leaves {
        1 => first,
        _ => skynet_siblings(first, leaves / SKYNET_CHILDREN, 0, SKYNET_CHILDREN),
    }
}

fn skynet_siblings(first: u64, each: u64, begin: u64, end: u64) -> u64 {
    if end - begin == 1 {
        return skynet(first + begin * each, each);
    }
    let middle = begin + (end - begin) / 2;
    let (a, b) = join(
        || skynet_siblings(first, each, begin, middle),
        || skynet_siblings(first, each, middle, end),
    );
    a + b
}

pub fn skynet_iter(first: u64, leaves: u64) -> u64 {
    if leaves == 1 {
        return first;
    }
    let each = leaves / SKYNET_CHILDREN;
    (0..SKYNET_CHILDREN as u32)
        .into_par_iter()
        .map(|i| skynet_iter(first + i as u64 * each, each))
        .sum()
}

impl Signal {
    pub fn new(log2n: i64) -> Signal {
        unsafe { twb_fft_data(log2n) }
    }

    pub fn answer(self) -> u64 {
        unsafe { twb_fft_answer(self) }
    }

    fn part(self, at: usize, n: usize) -> Signal {
        Signal {
            plan: self.plan,
            x: unsafe { self.x.add(at) },
            n,
        }
    }

    fn cross(self, from: usize, to: usize) {
        unsafe { fft_butterflies(self.plan, self.x, self.n, from, to) }
    }

    fn reorder(self, from: usize, to: usize) {
        unsafe { fft_reorder(self.plan, self.x, from, to) }
    }

    fn levels(self) {
        let half = self.n / 2;
        if self.n <= FFT_CUTOFF {
            unsafe { fft_levels(self.plan, self.x, self.n) };
            return;
        }
        if self.n < FFT_LOOP_LEAST {
            self.cross(0, half);
        } else {
            (0..half / FFT_STRETCH)
                .into_par_iter()
                .for_each(|i| self.cross(i * FFT_STRETCH, (i + 1) * FFT_STRETCH));
        }
        let (low, high) = (self.part(0, half), self.part(half, half));
        join(move || low.levels(), move || high.levels());
    }

    pub fn transform(self) {
        let tiles = unsafe { fft_tiles(self.plan) };
        self.levels();
        if self.n < FFT_LOOP_LEAST {
            self.reorder(0, tiles);
        } else {
            (0..tiles / FFT_TILES)
                .into_par_iter()
                .for_each(|i| self.reorder(i * FFT_TILES, (i + 1) * FFT_TILES));
        }
    }
}
