//! The filter on prose, logs and hostile text, in MB per second of processor time of this thread.
//!
//! `cargo bench --bench filter` prints a row for each kind of text; the budget is 100 MB/s on prose.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]

use std::error::Error;
use std::hint::black_box;

use git_docket::filter::Filter;
use git_docket::format::profile::OnFinding;

const SIZE: usize = 8_000_000;
const ROUNDS: usize = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let filter = Filter::new(OnFinding::Withhold)?;
    println!("{:<28} {:>10}", "text", "MB/s");
    for (name, piece) in KINDS {
        let text = piece.repeat(SIZE / piece.len());
        let mut speeds = Vec::new();
        for _ in 0..ROUNDS {
            let start = processor_time();
            black_box(filter.clean(black_box(&text), None)?);
            let seconds = processor_time() - start;
            speeds.push(text.len() as f64 / 1e6 / seconds.max(1e-9));
        }
        speeds.sort_by(f64::total_cmp);
        println!("{name:<28} {:>10.0}", speeds[ROUNDS / 2]);
    }
    Ok(())
}

/// The processor time of this thread in seconds: other processes do not count.
fn processor_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Kinds of text, each repeated.
const KINDS: &[(&str, &str)] = &[
    ("prose", include_str!("payloads/prose.txt")),
    ("prose with CRLF", "A line of ordinary words, as somebody types them into a form.\r\n"),
    ("prose in Japanese", "フィルターは文字列を読み、見えない文字を取り除きます。（例）\n"),
    ("prose in Persian", "این متن را می\u{200c}خوانیم و چیزی از آن کم نمی\u{200c}کنیم.\n"),
    ("log with colours", "2026-01-02T03:04:05.678Z \u{1b}[32mok\u{1b}[0m test store::write::once (12 ms)\n"),
    ("diff", "@@ -1,4 +1,5 @@ fn main() {\n-    let token = read_token(path)?;\n+    let key = cache.key(&request);\n"),
    ("secrets", "DB_PASSWORD=correcthorse42 and ghp_0123456789abcdefghijABCDEFGHIJ012345\n"),
    ("hostile: words of phrases", "ignore system tell reveal override pretend base64 curl x "),
    ("hostile: names of secrets", "key=token=secret=password="),
    ("hostile: open comments", "<!-- "),
];
