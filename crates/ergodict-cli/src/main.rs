//! The program `ergodict`.

fn main() -> std::process::ExitCode {
    ergodict_cli::main()
}
