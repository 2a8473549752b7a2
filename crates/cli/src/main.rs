//! The entry of the `plimsoll` binary; everything else is in the library beside it.

fn main() -> std::process::ExitCode {
    plimsoll_cli::run(std::env::args_os())
}
