//! Time-stamped edge lists from memory, and the windows they are cut into.
#![no_main]

use ergodict::data::{TimeOptions, WindowOptions, Windows, parse_timed};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok((rows, decisions)) = parse_timed(bytes, &TimeOptions::default()) {
        let _ = decisions.to_string();
        if let Ok(windows) = Windows::new(rows.into(), WindowOptions::default()) {
            for at in 0..windows.len() {
                let _ = windows.name(at);
                if let Ok(network) = windows.network(at) {
                    ergodict_fuzz::walk(&network);
                }
            }
        }
    }
});
