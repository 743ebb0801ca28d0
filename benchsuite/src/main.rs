//! Benchmarks of ergodict. `step` is our side of `cargo xtask peers`, `networks`, `learning` and `reconstruct` of `cargo xtask peers networks`;
//! they, `spins` and everything else are `cargo xtask bench`; `denoise` and `missing` score the denoising methods; `scale` is our side of
//! `cargo xtask bench scale`, `count` of `cargo xtask bench --compare`.

mod clock;
mod count;
mod denoise;
mod inputs;
mod kernels;
mod learning;
mod missing;
mod networks;
mod reconstruct;
mod scale;
mod spins;
mod step;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("count") => count::run(&arguments[1..]),
        Some("denoise") => denoise::run(&arguments[1..]),
        Some("learning") => learning::run(&arguments[1..]),
        Some("missing") => missing::run(&arguments[1..]),
        Some("networks") => networks::run(&arguments[1..]),
        Some("reconstruct") => reconstruct::run(&arguments[1..]),
        Some("scale") => scale::run(&arguments[1..]),
        Some("spins") => spins::run(),
        Some("step") => step::run(&arguments[1..]),
        _ => kernels::run(&arguments),
    }
}
