//! A mapped file that is cut off while it is read: the system sends SIGBUS, and what was to be an end becomes an exception.
//!
//! The handler covers what is gone with zeros, so that the work goes on to its next check, where its result is refused ([`crate::work`]). It is
//! there once a file is mapped, and leaves every other fault to who handled it before, such as `faulthandler`. One that comes later and hands
//! faults on, as `faulthandler` does after it printed where they happened, still reaches it.

use ergodict::data::{cover_cut_off, watch_maps};
use libc::{SIG_DFL, SIG_IGN, SIGBUS, c_int, c_void, sigaction, siginfo_t};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

/// What handled the signal before; never freed.
static BEFORE: AtomicPtr<sigaction> = AtomicPtr::new(null_mut());

/// Handles faults of mapped files from the first of them on.
pub(crate) fn start() {
    watch_maps(listen);
}

/// Puts the handler where it is not, or nothing else is.
fn listen() {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: a `sigaction` of zeros is one; the calls read and write what they are given. The handler does what a handler may.
    unsafe {
        let mut now: sigaction = std::mem::zeroed();
        let first = BEFORE.load(Ordering::SeqCst).is_null();
        // What someone put there later may hand faults on to us, and must not be handed them in turn.
        if libc::sigaction(SIGBUS, null(), &raw mut now) != 0 || !first && now.sa_sigaction != SIG_DFL {
            return;
        }
        BEFORE.store(Box::into_raw(Box::new(now)), Ordering::SeqCst);
        let mut ours: sigaction = std::mem::zeroed();
        ours.sa_sigaction = handle as *const () as usize;
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigemptyset(&raw mut ours.sa_mask);
        libc::sigaction(SIGBUS, &raw const ours, null_mut());
    }
}

/// What a fault says of itself where there is nothing to read: no such address, as where a file is cut off or its disk fails, or broken memory.
/// These are their numbers on every system that has them.
const BUS_ADRERR: c_int = 2;
const BUS_MCEERR_AR: c_int = 4;

/// The handler: it takes no lock and allocates nothing.
extern "C" fn handle(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the system gives a valid `info`, and what was stored before the handler was is never freed.
    unsafe {
        // Below are signals that a process sent: this one too, as `faulthandler` does to hand a fault on.
        let fault = (*info).si_code > 0;
        let address = if fault { (*info).si_addr().addr() } else { 0 };
        let ours = !fault || matches!((*info).si_code, BUS_ADRERR | BUS_MCEERR_AR);
        if ours && cover_cut_off(address) {
            return;
        }
        let before = BEFORE.load(Ordering::SeqCst);
        match (*before).sa_sigaction {
            SIG_DFL | SIG_IGN => {
                // A fault happens again, and finds what was there before.
                libc::sigaction(signal, before, null_mut());
                if !fault {
                    libc::raise(signal);
                }
            }
            function if (*before).sa_flags & libc::SA_SIGINFO != 0 => {
                let call: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = std::mem::transmute(function);
                call(signal, info, context);
            }
            function => {
                let call: extern "C" fn(c_int) = std::mem::transmute(function);
                call(signal);
            }
        }
    }
}
