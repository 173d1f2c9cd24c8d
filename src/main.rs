//! The latch: hands the arguments to the room `cli`.

/// Observations are read by one thread and written by another: the allocator of the C library makes each wait for the other.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    git_docket::cli::main()
}
