//! Developer tasks: `cargo xtask test`, `cargo xtask guide`, `cargo xtask wheel`, `cargo xtask fuzz`, `cargo xtask bench`, `cargo xtask peers`, `cargo xtask time`, `cargo xtask count`, `cargo xtask words`, `cargo xtask generate`.

mod bench;
mod clock;
mod count;
mod debian;
mod fuzz;
mod generate;
mod guide;
mod instructions;
mod mutants;
mod peers;
mod place;
mod python;
mod scale;
mod test;
mod time;
mod wheel;
mod words;

use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  test [STEP…] [--list] [--fail-fast]                everything that must pass, or only the steps named
  test --changed [--base REVISION]                   the steps, tests and pages that uncommitted changes, and those since a
                                                     revision, can affect
  guide [PAGE…] [--pictures] [--book]                the guide: its links, its blocks, the book; some chapters; figures made again;
                                                     the book alone
  fuzz [--quick] [--seconds N] [TARGET…]             the fuzz targets with libFuzzer and the address sanitizer, ten minutes each
                                                     (--quick: one)
  mutants [--sample N] [--seed N] [--minutes N] [--list] [PLACE…]
                                                     whether the tests notice small changes of the library: a sample of each area, or
                                                     of the files under PLACE
  wheel [--quick]                                    the Python wheel and sdist, checked as an index would, the wheel tested in a
                                                     clean environment (--quick: not optimized, only imported)
  bench [FILTER…]                                    the benchmarks (arguments go to benchsuite)
  bench --compare [--update]                         instructions of eight kernels beside those in the repository (needs valgrind)
  bench scale [--most EDGES] [--folder DIR]          the command line on networks of 10⁴ to 10⁸ edges
  peers [--cases a,b,c] [--repeats N] [--quick]      the factorization step beside SPAMS and scikit-learn
  peers --python [the same]                          the Python package beside Rust, SPAMS and scikit-learn
  peers networks [samplers | reconstruct]            networks beside other libraries: samplers and readers; learning
                                                     and reconstruction; both without a word
  peers graphs [--package FOLDER] [--quick]          whole graphs classified, compared with karateclub
  peers images [--package FOLDER] [--quick]          images denoised, beside nonlocal means, BM3D and scikit-learn
  peers missing [--binary PATH] [--seeds 0,1] [--quick]
                                                     missing edges beside stacking, block models and other methods
  time [build | pip | test | all …]                  what building and testing take, beside what they may take; building
                                                     alone without a word
  count [CHECKOUT]                                   lines of code, public items, files that example changes touch
  words [PATH…]                                      wording in docs, help, messages and docstrings that has a plainer
                                                     equivalent; informs, never fails
  generate                                           what Python takes from the settings of the library";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((command, rest)) = arguments.split_first() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let outcome = match command.as_str() {
        "test" => test::run(rest),
        "wheel" => wheel::run(rest),
        "guide" => guide::run(rest),
        "bench" => bench::run(rest),
        "peers" => peers::run(rest),
        "time" => time::run(rest),
        "count" => count::run(rest),
        "words" => words::run(rest),
        "generate" => generate::run(),
        "fuzz" => fuzz::run(rest),
        "mutants" => mutants::run(rest),
        "help" | "-h" | "--help" => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        other => Err(anyhow::anyhow!("no command `{other}`\n\n{USAGE}")),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
