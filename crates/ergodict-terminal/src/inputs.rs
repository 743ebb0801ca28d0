//! Files that change while they are read: one line and exit code 2, whatever the program makes of their contents.
//!
//! Contents that contradict themselves may make it panic, and a mapped file that is cut off makes the system send SIGBUS. Both end here.

use crate::BAD_INPUT;
use crate::progress::say;
use ergodict::data::{check_inputs, remove_partials_and_exit, watch_inputs};

/// Watches the inputs of this process from now on.
pub(crate) fn watch(program: &str) {
    watch_inputs();
    let (name, before) = (program.to_owned(), std::panic::take_hook());
    std::panic::set_hook(Box::new(move |panic| {
        if let Err(error) = check_inputs() {
            say(&format!("{name}: error: {error}"));
            remove_partials_and_exit(i32::from(BAD_INPUT));
        }
        before(panic);
    }));
    #[cfg(unix)]
    bus::listen(program);
}

#[cfg(unix)]
mod bus {
    use crate::BAD_INPUT;
    use ergodict::data::{cut_off_input, unlink_partials};
    use std::fs::File;
    use std::io::Write;
    use std::mem::ManuallyDrop;
    use std::os::fd::FromRawFd;

    /// Ends the process in order when a mapped file is cut off; other faults are left to who handled them before.
    pub(super) fn listen(program: &str) {
        let head = format!("{program}: error: ");
        let handle = move || {
            let Some(path) = cut_off_input() else { return };
            // SAFETY: standard error is not closed by it, and a write to it neither locks nor allocates.
            let mut out = ManuallyDrop::new(unsafe { File::from_raw_fd(2) });
            let tail = b": was cut off while it was read: start again when nothing writes to it\n";
            for part in [head.as_bytes(), path.to_bytes(), tail] {
                let _ = out.write_all(part);
            }
            unlink_partials();
            signal_hook::low_level::exit(i32::from(BAD_INPUT));
        };
        // SAFETY: the handler looks at atomics, writes to a descriptor, deletes files and exits: all may be done in a handler.
        let _ = unsafe { signal_hook::low_level::register(signal_hook::consts::SIGBUS, handle) };
    }
}
