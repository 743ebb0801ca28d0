//! The program `ergodict-paper`.

fn main() -> std::process::ExitCode {
    ergodict_paper::main()
}
