//! An allocator that counts, for the tests of what allocates nothing.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    // Of one thread each: in a program of many tests the others allocate all the time.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    static TRAP: Cell<bool> = const { Cell::new(false) };
}

/// How often this thread has allocated so far.
pub(crate) fn allocations() -> usize {
    ALLOCATIONS.get()
}

/// Whether the next allocation of this thread prints where it comes from.
pub(crate) fn trap(set: bool) {
    TRAP.set(set);
}

fn count(bytes: usize) {
    ALLOCATIONS.set(ALLOCATIONS.get() + 1);
    if TRAP.replace(false) {
        eprintln!("{bytes} bytes at\n{}", std::backtrace::Backtrace::force_capture());
    }
}

// SAFETY: all calls go to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as promised by the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as promised by the caller.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: as promised by the caller.
        unsafe { System.realloc(pointer, layout, size) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn every_kind_of_allocation_is_counted_on_its_own_thread() {
    let before = allocations();
    let mut grown = vec![0_u8; 100];
    grown.reserve_exact(10_000);
    let boxed = Box::new(grown.len());
    assert_eq!(allocations() - before, 3);
    let elsewhere = std::thread::spawn(|| {
        let before = allocations();
        drop(std::hint::black_box(vec![1_u8; 100]));
        allocations() - before
    });
    assert_eq!((elsewhere.join().unwrap(), *boxed), (1, 100));
}
