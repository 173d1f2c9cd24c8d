//! The latch: hands the arguments to the room `cli`.

/// Reading payloads is making and letting go of small pieces on all cores (docs/decisions/0012-allocator.md).
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    git_docket::cli::main()
}
