// SPDX-License-Identifier: Apache-2.0
// What the rayon peer shares with the others, linked from C: UTS nodes (bench/peers/uts_tree.h),
// probes (bench/probe.h), tiles of matrices and rows of grids (bench/kernels.h).
use std::ffi::c_void;
use std::mem::MaybeUninit;

#[repr(C, align(8))]
pub struct Node {
    bytes: [u8; 32],
}

// Only its address is used here.
#[repr(C)]
pub struct Probe {
    bytes: [u8; 256],
}

pub type Offer = extern "C" fn(*mut Probe);

extern "C" {
    fn peer_node_size() -> u32;
    fn peer_root(tree: i64, root: *mut Node);
    fn peer_child(parent: *const Node, index: u32, child: *mut Node);
    fn peer_children(node: *const Node) -> u32;
    fn twb_probe_arm_call(probe: *mut Probe);
    fn twb_probe_start_call(probe: *mut Probe);
    fn twb_probe_await_call(probe: *const Probe);
    fn twb_steal_hot(offer: Offer, count: i64) -> f64;
    fn twb_wake_cold(offer: Offer, count: i64) -> f64;
    fn twb_idle_share(ms: i64) -> f64;
    fn twb_matmul(n: i64) -> *mut c_void;
    fn matmul_tiles(m: *const c_void) -> usize;
    fn matmul_tile(m: *const c_void, row: usize, column: usize);
    fn matmul_checksum(m: *const c_void) -> u64;
    fn twb_stencil(n: i64) -> *mut c_void;
    fn stencil_row(s: *const c_void, row: usize);
    fn stencil_swap(s: *mut c_void);
    fn stencil_checksum(s: *const c_void) -> u64;
}

impl Node {
    pub fn root(tree: i64) -> Node {
        let mut node = MaybeUninit::uninit();
        unsafe {
            assert_eq!(peer_node_size() as usize, std::mem::size_of::<Node>());
            peer_root(tree, node.as_mut_ptr());
            node.assume_init()
        }
    }

    pub fn child(&self, index: u32) -> Node {
        let mut node = MaybeUninit::uninit();
        unsafe {
            peer_child(self, index, node.as_mut_ptr());
            node.assume_init()
        }
    }

    pub fn children(&self) -> u32 {
        unsafe { peer_children(self) }
    }
}

// A probe is made to be touched by two threads: its fields are atomic on the C side.
pub struct ProbePointer(pub *mut Probe);
unsafe impl Sync for ProbePointer {}

impl ProbePointer {
    pub fn arm(&self) {
        unsafe { twb_probe_arm_call(self.0) }
    }

    pub fn start(&self) {
        unsafe { twb_probe_start_call(self.0) }
    }

    pub fn wait(&self) {
        unsafe { twb_probe_await_call(self.0) }
    }
}

pub fn steal_hot(offer: Offer, count: i64) -> f64 {
    unsafe { twb_steal_hot(offer, count) }
}

pub fn wake_cold(offer: Offer, count: i64) -> f64 {
    unsafe { twb_wake_cold(offer, count) }
}

pub fn idle_share(ms: i64) -> f64 {
    unsafe { twb_idle_share(ms) }
}

// Tiles of one product touch nothing in common.
pub struct Matmul(*mut c_void);
unsafe impl Sync for Matmul {}

impl Matmul {
    pub fn new(n: i64) -> Matmul {
        Matmul(unsafe { twb_matmul(n) })
    }

    pub fn tiles(&self) -> usize {
        unsafe { matmul_tiles(self.0) }
    }

    pub fn tile(&self, row: usize, column: usize) {
        unsafe { matmul_tile(self.0, row, column) }
    }

    pub fn checksum(&self) -> u64 {
        unsafe { matmul_checksum(self.0) }
    }
}

// Rows of one sweep touch nothing in common.
pub struct Stencil(*mut c_void);
unsafe impl Sync for Stencil {}

impl Stencil {
    pub fn new(n: i64) -> Stencil {
        Stencil(unsafe { twb_stencil(n) })
    }

    pub fn row(&self, row: usize) {
        unsafe { stencil_row(self.0, row) }
    }

    // Between two sweeps, by one thread.
    pub fn swap(&self) {
        unsafe { stencil_swap(self.0) }
    }

    pub fn checksum(&self) -> u64 {
        unsafe { stencil_checksum(self.0) }
    }
}
