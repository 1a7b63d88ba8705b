// SPDX-License-Identifier: Apache-2.0
// What the rayon peer shares with the others: UTS nodes (bench/peers/uts_tree.h) and probes
// (bench/probe.h), linked from C.
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
