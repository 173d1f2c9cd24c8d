//! Text safety: what is taken out, what stays, and where a text is cut.

mod keys;
mod laws;
mod recorded;
mod vectors;

use std::sync::LazyLock;

use git_docket::filter::{Filter, Filtered, Status, is_plain_line, is_structural};
use git_docket::format::profile::OnFinding;
use proptest::prelude::*;

/// The filter that most tests use.
static FILTER: LazyLock<Filter> = LazyLock::new(|| Filter::new(OnFinding::Withhold).expect("the tables are sound"));

pub fn clean(text: &str, bound: Option<usize>) -> Filtered<'_> {
    FILTER.clean(text, bound).expect("no detector fails")
}

/// The work of this thread alone, whatever else the machine does; no time where the system does not count it.
fn spent(work: impl FnOnce()) -> std::time::Duration {
    #[cfg(unix)]
    let now = || {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        std::time::Duration::try_from(now).expect("a time behind zero")
    };
    #[cfg(not(unix))]
    let now = || std::time::Duration::ZERO;
    let before = now();
    work();
    now() - before
}

fn display(text: &str, bound: Option<usize>) -> Filtered<'_> {
    FILTER.display(text, bound).expect("no detector fails")
}

/// A row of a table: the input, the text that comes out (without the final line end), the findings.
type Row = (&'static str, &'static str, &'static [(&'static str, u64)]);

fn check(rows: &[Row]) {
    for (input, expected, findings) in rows {
        let Filtered { text, status, findings: found, dropped_bytes, .. } = clean(input, None);
        assert_eq!(text.trim_end_matches('\n'), *expected, "{input:?}");
        assert_eq!(found.into_iter().collect::<Vec<_>>(), *findings, "{input:?}");
        let expected = if findings.is_empty() { Status::Unchanged } else { Status::Modified };
        assert_eq!((status, dropped_bytes), (expected, 0), "{input:?}");
    }
}

#[test]
fn line_ends_become_lf_and_are_no_finding() {
    for (input, expected) in [
        ("", ""),
        ("\n", ""),
        ("\r\n\r\n", ""),
        ("a", "a\n"),
        ("a\n", "a\n"),
        ("a\n\n\n", "a\n"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("a\rb", "a\nb\n"),
        ("a\r\r\nb", "a\n\nb\n"),
        ("a\u{85}b\u{2028}c\u{2029}d", "a\nb\nc\nd\n"),
        ("\n\n a \n", "\n\n a \n"),
        ("tab\there", "tab\there\n"),
    ] {
        let filtered = clean(input, None);
        assert_eq!((&*filtered.text, filtered.status), (expected, Status::Unchanged), "{input:?}");
    }
}

#[test]
fn what_nobody_sees_is_taken_out_and_counted() {
    check(&[
        ("a\0b\0", "ab", &[("null-byte", 2)]),
        ("ig\u{200b}nore\u{feff} \u{2060}\u{ad}\u{34f}\u{180e}\u{3164}", "ignore ", &[("zero-width", 7)]),
        ("if (a\u{202e}\u{2066}) {\u{2069}}", "if (a) {}", &[("bidi-override", 3)]),
        ("hi\u{e0049}\u{e0047}\u{e007f}", "hi", &[("tag-char", 3)]),
        ("x\u{fe00}\u{e0100}\u{e01ef}", "x", &[("variation-selector", 3)]),
        ("\u{fff9}a\u{fffa}b\u{fffb}", "ab", &[("interlinear", 3)]),
        ("a\u{7}\u{8}\u{c}\u{7f}\u{84}\u{ffff}\u{1fffe}\u{206a}", "a", &[("other-control", 8)]),
        ("\u{200b}", "", &[("zero-width", 1)]),
    ]);
}

#[test]
fn escape_sequences_go_whole() {
    check(&[
        ("\u{1b}[31mred\u{1b}[0m", "red", &[("terminal-escape", 2)]),
        ("\u{1b}[38;5;1;48:2mx", "x", &[("terminal-escape", 1)]),
        ("\u{1b}]0;title\u{7}after", "after", &[("terminal-escape", 1)]),
        ("\u{1b}]8;;https://evil\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link", &[("terminal-escape", 2)]),
        ("\u{9b}2Jx\u{9d}0;t\u{9c}y", "xy", &[("terminal-escape", 2)]),
        ("\u{1b}(Bx\u{1b}7y\u{1b}cz", "xyz", &[("terminal-escape", 3)]),
        ("\u{1b}P1$r0m\u{1b}\\x\u{1b}_a\u{1b}\\", "x", &[("terminal-escape", 2)]),
        // What is not terminated hides nothing: only the introducer goes.
        ("\u{1b}]0;not ended\nnext", "0;not ended\nnext", &[("terminal-escape", 1)]),
        ("\u{1b}[31", "", &[("terminal-escape", 1)]),
        ("\u{1b}[1\u{1b}[2mx", "x", &[("terminal-escape", 2)]),
        ("a\u{1b}", "a", &[("terminal-escape", 1)]),
        ("a\u{1b}é", "aé", &[("terminal-escape", 1)]),
    ]);
}

#[test]
fn emoji_stay_whole() {
    check(&[
        ("👩\u{200d}💻", "👩\u{200d}💻", &[]),
        ("👩🏽\u{200d}🚀", "👩🏽\u{200d}🚀", &[]),
        ("❤\u{fe0f}\u{200d}🔥", "❤\u{fe0f}\u{200d}🔥", &[]),
        ("🏳\u{fe0f}\u{200d}🌈 🏴\u{200d}☠\u{fe0f}", "🏳\u{fe0f}\u{200d}🌈 🏴\u{200d}☠\u{fe0f}", &[]),
        ("1\u{fe0f}\u{20e3} #\u{fe0f}\u{20e3} ©\u{fe0f}", "1\u{fe0f}\u{20e3} #\u{fe0f}\u{20e3} ©\u{fe0f}", &[]),
        ("☎\u{fe0e}", "☎\u{fe0e}", &[]),
        // The same characters where no emoji is.
        ("a\u{200d}b", "ab", &[("zero-width", 1)]),
        ("👩\u{200d}x", "👩x", &[("zero-width", 1)]),
        ("👩\u{200d}\u{200d}💻", "👩\u{200d}💻", &[("zero-width", 1)]),
        ("1\u{fe0f}2", "12", &[("variation-selector", 1)]),
        ("👍\u{fe0f}\u{fe0f}", "👍\u{fe0f}", &[("variation-selector", 1)]),
        ("👩\u{200b}\u{200d}💻", "👩\u{200d}💻", &[("zero-width", 1)]),
        // Three flags of subdivisions are spelled with tags; of any other the black flag stays.
        (
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}!",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}!",
            &[],
        ),
        ("🏴\u{e0067}\u{e0062}\u{e007f}", "🏴", &[("tag-char", 3)]),
    ]);
}

#[test]
fn scripts_keep_the_joiners_and_marks_of_their_spelling() {
    check(&[
        ("می\u{200c}خواهم", "می\u{200c}خواهم", &[]),
        ("क्\u{200d}ष", "क्\u{200d}ष", &[]),
        ("שלום\u{200f}, world", "שלום\u{200f}, world", &[]),
        ("abc \u{200e}שלום", "abc \u{200e}שלום", &[]),
        ("ᠮᠣᠩ\u{180b}", "ᠮᠣᠩ\u{180b}", &[]),
        ("مرحبا بالعالم", "مرحبا بالعالم", &[]),
        ("ad\u{200c}min", "admin", &[("zero-width", 1)]),
        ("ad\u{200e}min\u{200f}\u{61c}", "admin", &[("zero-width", 3)]),
        ("x\u{180b}", "x", &[("variation-selector", 1)]),
    ]);
}

#[test]
fn a_bound_keeps_the_longest_prefix_that_fits_with_its_line_end() {
    for (input, bound, expected, dropped) in [
        ("abcdef", 7, "abcdef\n", 0),
        ("abcdef", 6, "abcde\n", 1),
        ("abcdef\n", 7, "abcdef\n", 0),
        ("éé", 4, "é\n", 2),
        ("ab\n\ncd", 5, "ab\n", 4),
        ("abc", 1, "", 3),
        ("abc", 0, "", 3),
        ("", 0, "", 0),
        ("👩\u{200d}💻", 9, "👩\n", 7),
        ("1\u{fe0f}\u{20e3}", 5, "1\n", 6),
        ("🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}", 27, "🏴\n", 24),
    ] {
        let filtered = clean(input, Some(bound));
        assert_eq!((&*filtered.text, filtered.dropped_bytes), (expected, dropped), "{input:?} {bound}");
        let status = if dropped > 0 { Status::Truncated } else { Status::Unchanged };
        assert_eq!(filtered.status, status, "{input:?} {bound}");
    }
    let both = clean("a\u{200b}bcdef", Some(4));
    assert_eq!((&*both.text, both.status, both.findings["zero-width"]), ("abc\n", Status::Truncated, 1));
    // Findings are those of the whole text, also of what was cut off.
    assert_eq!(clean("abcdef\u{200b}", Some(4)).findings["zero-width"], 1);
}

#[test]
fn a_display_text_stands_on_one_line() {
    for (input, bound, expected) in [
        ("a title", None, "a title"),
        ("a\r\nb\tc\u{2028}d", None, "a b c d"),
        ("  a \n", None, "a"),
        ("\n\n", None, ""),
        ("abc def", Some(4), "abc"),
        ("éé", Some(3), "é"),
    ] {
        assert_eq!(display(input, bound).text, expected, "{input:?}");
    }
    assert_eq!(display("a\u{202e}b", None).status, Status::Modified);
    assert_eq!(display("abc", Some(2)).status, Status::Truncated);
}

#[test]
fn structural_texts_are_judged_and_never_changed() {
    for (text, fits) in [
        ("https://github.com/acme/web/pull/42#issuecomment-1", true),
        ("MDEyOklzc3VlQ29tbWVudDE=", true),
        ("", false),
        ("a b", false),
        ("a\nb", false),
        ("a\u{200b}b", false),
        ("a\u{202e}b", false),
        ("a\u{3000}b", false),
    ] {
        assert_eq!(is_structural(text), fits, "{text:?}");
    }
    assert!(is_plain_line("src/my file é.rs"));
    for text in ["a\nb", "a\tb", "a\u{2028}b", "a\u{202e}b"] {
        assert!(!is_plain_line(text), "{text:?}");
    }
}

#[test]
fn hostile_texts_take_linear_time() {
    // Each makes a scanner that looks ahead look at the same text again and again: quadratic would be minutes.
    let long = 200_000;
    for piece in [
        "\u{1b}]",
        "\u{1b}]8;",
        "\u{9d}a",
        "\u{1b}[",
        "\u{200d}",
        "👩\u{200d}",
        "1\u{fe0f}",
        "\r",
        "\u{200b}a",
        "א\u{200e}",
    ] {
        let text = piece.repeat(long);
        let once = clean(&text, Some(1000));
        assert!(once.text.len() <= 1000, "{piece:?}");
    }
}

/// The time that this thread had a processor, in nanoseconds; none where the system does not tell it.
fn on_a_processor() -> Option<u64> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split(' ').next()?.parse().ok()
}

#[test]
#[allow(clippy::print_stderr, reason = "a skipped test says why")]
fn eight_times_the_text_is_some_eight_times_the_work() {
    // Each would have a rule read the rest of the text at every word: 64 times the work.
    for piece in
        ["authorization:", "token:", "sk-\u{200b}", "pypi-\u{200b}", "eyJ\u{200b}", "eyJa\u{200b}eyJ.", "sk-\\n"]
    {
        let work = |bytes: usize| {
            let text = piece.repeat(bytes / piece.len());
            let once = || {
                let before = on_a_processor()?;
                clean(&text, None);
                Some(on_a_processor()? - before)
            };
            (0..3).filter_map(|_| once()).min()
        };
        let (Some(small), Some(large)) = (work(16 << 10), work(128 << 10)) else {
            return eprintln!("skipped: the system does not tell how long a thread had a processor");
        };
        // The system counts in ticks of some milliseconds.
        assert!(large < 24 * small.max(5_000_000), "{piece:?}: {small} and {large} ns");
    }
}

/// Texts made of what matters to the filter.
fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => "[ -~]{0,4}".prop_map(|text| text),
        4 => proptest::sample::select(vec![
            "\n", "\r", "\r\n", "\t", "\0", "\u{1b}", "\u{1b}[", "\u{1b}]", "\u{7}", "\u{1b}\\", "\u{9b}", "\u{9c}", "\u{85}",
            "\u{2028}", "\u{200b}", "\u{200c}", "\u{200d}", "\u{200e}", "\u{200f}", "\u{61c}", "\u{fe0e}", "\u{fe0f}", "\u{20e3}",
            "\u{180b}", "ᠮ", "👩", "🏽", "💻", "❤", "א", "م", "क", "1", "\u{202e}", "\u{e0041}", "\u{fff9}", "\u{feff}", "é",
        ]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn filtering_twice_is_filtering_once(text in any_text(), bound in proptest::option::of(0usize..40)) {
        let once = clean(&text, bound);
        let twice = clean(&once.text, bound);
        prop_assert_eq!(&twice.text, &once.text);
        prop_assert_eq!(twice.status, Status::Unchanged);
        let once = display(&text, bound);
        let twice = display(&once.text, bound);
        prop_assert_eq!(&twice.text, &once.text);
        prop_assert_eq!(twice.status, Status::Unchanged);
    }

    #[test]
    fn the_result_keeps_its_promises(text in any_text(), bound in proptest::option::of(0usize..40)) {
        let lines = clean(&text, bound);
        prop_assert!(lines.text.is_empty() || (lines.text.ends_with('\n') && !lines.text.ends_with("\n\n")));
        prop_assert!(bound.is_none_or(|bound| lines.text.len() <= bound));
        let hidden = |c: char| c != '\n' && c != '\t' && (c.is_control() || matches!(c, '\u{200b}' | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{2028}' | '\u{2029}' | '\u{e0000}'..='\u{e01ef}' | '\u{fff9}'..='\u{fffb}'));
        prop_assert!(!lines.text.contains(hidden), "{:?}", lines.text);
        prop_assert_eq!(lines.status == Status::Truncated, lines.dropped_bytes > 0);
        let line = display(&text, bound);
        prop_assert!(!line.text.contains(['\n', '\t']) && !line.text.contains(hidden));
        prop_assert!(bound.is_none_or(|bound| line.text.len() <= bound));
    }

    #[test]
    fn plain_text_is_borrowed_as_it_is(text in "[ -~\n]{0,60}[!-~]\n") {
        let filtered = clean(&text, None);
        prop_assert!(matches!(filtered.text, std::borrow::Cow::Borrowed(_)));
        prop_assert_eq!(&filtered.text, &text);
    }
}
