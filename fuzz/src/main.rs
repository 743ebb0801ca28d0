//! The program that libFuzzer drives, for the target that `ERGODICT_FUZZ_TARGET` names.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("ERGODICT_FUZZ_TARGET").unwrap_or_default();
    let Some(target) = ergodict_fuzz::find(&name) else {
        eprintln!("ERGODICT_FUZZ_TARGET is `{name}`: expected one of {}", ergodict_fuzz::names().join(", "));
        std::process::exit(2);
    };
    // Handing work of a few microseconds to another thread takes longer than the work.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
    target
});

fuzz_target!(|bytes: &[u8]| TARGET(bytes));
