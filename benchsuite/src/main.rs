//! Benchmarks of ergodict. `step` is our side of `cargo xtask peers`; everything else is `cargo xtask bench`.

mod clock;
mod kernels;
mod step;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("step") => step::run(&arguments[1..]),
        _ => kernels::run(&arguments),
    }
}
