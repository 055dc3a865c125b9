//! `ctrc`: the contract compiler's command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    ctrc::run()
}
