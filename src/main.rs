//! The latch: hands the arguments to the room `cli`.

fn main() -> std::process::ExitCode {
    git_docket::cli::main()
}
