//! Private keys in logs: whatever stands before the lines, and whether or not the key has an end.

use super::{clean, spent};

/// A line of a key, another for each number.
fn line(number: usize) -> String {
    (0..64)
        .map(|at| {
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[(number * 7 + at * 29) % 64] as char
        })
        .collect()
}

const BEGIN: &str = "-----BEGIN RSA PRIVATE KEY-----";
const END: &str = "-----END RSA PRIVATE KEY-----";
const TIME: &str = "2026-03-02T00:00:00.0000000Z ";

/// Checks that a log shows no line of its key, and what has to stay; returns how many findings there are.
fn gone(log: &str, stays: &[&str], name: &str) -> u64 {
    let filtered = clean(log, None);
    for number in 0..8 {
        let part = &line(number)[8..40];
        assert!(!filtered.text.contains(part), "{name}: line {number} in {}", filtered.text);
    }
    for text in stays {
        assert!(filtered.text.contains(text), "{name}: no {text:?} in {}", filtered.text);
    }
    filtered.findings.get("private-key").copied().unwrap_or_default()
}

#[test]
fn a_key_that_was_cut_off_is_found_behind_every_prefix() {
    let job = format!("build\tstep\t{TIME}");
    for prefix in
        ["", TIME, "web_1  | ", "[build] ", "    7: ", "+ ", "    \"", &job, "2026-03-02T00:00:00Z \u{1b}[36;1m"]
    {
        let close = if prefix.ends_with('m') { "\u{1b}[0m" } else { "" };
        let rows: Vec<_> =
            [BEGIN.to_owned()].into_iter().chain((0..8).map(line)).chain(["Zm9vYg==".to_owned()]).collect();
        let mut log: String = rows.iter().map(|row| format!("{prefix}{row}{close}\n")).collect();
        log += &format!("{prefix}The operation was canceled.\n");
        assert_eq!(gone(&log, &["The operation was canceled."], prefix), 1, "{prefix}");
        assert!(!clean(&log, None).text.contains("Zm9v"), "{prefix}: the last line");
    }
}

#[test]
fn headers_and_other_output_do_not_hide_the_rest_of_a_key() {
    let key = |from: usize, to: usize| (from..to).map(|number| format!("{TIME}{}\n", line(number))).collect::<String>();
    let begin = format!("{TIME}{BEGIN}\n");
    let headers =
        format!("{TIME}Proc-Type: 4,ENCRYPTED\n{TIME}DEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF\n{TIME}\n");
    assert_eq!(gone(&format!("{begin}{headers}{}", key(0, 8)), &[], "headers"), 1);
    let bare = format!("{BEGIN}\nProc-Type: 4,ENCRYPTED\n\n{}", (0..8).map(|n| line(n) + "\n").collect::<String>());
    assert_eq!(gone(&bare, &[], "headers without a prefix"), 1);

    let dashes = format!("{begin}{}{TIME}----- progress\n{}{TIME}{END}\nafter it\n", key(0, 3), key(3, 8));
    assert_eq!(gone(&dashes, &["after it"], "dashes in a whole key"), 1);
    let dashes = format!("{begin}{}{TIME}----- progress\n{}after it\n", key(0, 3), key(3, 8));
    assert_eq!(gone(&dashes, &["----- progress", "after it"], "dashes in a cut key"), 2);

    let noise = format!("{TIME}noise and more of it, word by word, as tests write it\n").repeat(1500);
    let far = format!("{begin}{}{noise}{}{TIME}{END}\nafter it\n", key(0, 3), key(3, 8));
    assert_eq!(gone(&far, &["noise and more", "after it"], "an end that is far away"), 2);
    let late = format!("{begin}{noise}{}{TIME}{END}\nafter it\n", key(0, 8));
    assert_eq!(gone(&late, &["noise and more", "after it"], "a beginning that is far away"), 1);
}

#[test]
fn other_secrets_between_the_lines_of_a_key_are_found() {
    let token = "glpat-aB3dE6gH9jK2mN5pQ8sT";
    let log = format!("{BEGIN}\n{}\n(login) with {token} now\n{}\n{}\nthe end.\n", line(0), line(1), line(2));
    let filtered = clean(&log, None);
    assert!(!filtered.text.contains(token), "{}", filtered.text);
    assert!(filtered.text.contains("(login) with ") && filtered.text.contains(" now\n"), "{}", filtered.text);
    assert_eq!(filtered.findings.get("private-key"), Some(&2));
}

/// A key without an end is what follows its first line; a word further on is somebody else's.
#[test]
fn a_long_word_behind_a_key_without_an_end_stays() {
    let word = "q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k=";
    let full = line(5);
    for prefix in ["", TIME, "> ", ">> ", "+", "-", " ", "  | ", "    7: ", "build\tstep\t2026-03-02T00:00:00.1Z "] {
        for other in [
            format!("the checksum is\n{prefix}{word}"),
            format!("The operation was canceled.\n{prefix}\n{prefix}{word}"),
            format!("integrity sha512-{full}{full}"),
            format!("\"integrity\": \"sha384-{full}\","),
            format!("etag {full}\n{prefix}etag {full}"),
            // One line of the width of the key, and a certificate, which is public.
            format!("seed:\n{prefix}{full}\n{prefix}is what it began with"),
            format!("-----BEGIN CERTIFICATE-----\n{prefix}{full}\n{prefix}{full}\n{prefix}-----END CERTIFICATE-----"),
        ] {
            for key in [String::new(), format!("{prefix}{}\n{prefix}{}\n", line(0), line(1))] {
                let log = format!("{prefix}{BEGIN}\n{key}{prefix}{other}\n{prefix}the end.\n");
                let filtered = clean(&log, None);
                let found = filtered.findings.get("private-key").copied().unwrap_or_default();
                assert_eq!(found, u64::from(!key.is_empty()), "{log}: {}", filtered.text);
                assert!(filtered.text.ends_with(&format!("{other}\n{prefix}the end.\n")), "{log}: {}", filtered.text);
            }
        }
    }
}

/// What differs from line to line is no other output: times, numbers, levels; and a string may go on line by line.
#[test]
fn lines_of_a_key_need_not_begin_alike() {
    type Style = fn(usize, &str) -> String;
    let styles: [Style; 5] = [
        |at, line| format!("{}: {line}", ["INFO", "WARN", "DEBUG"][at % 3]),
        |at, line| format!("[{:8.3}] {line}", at as f64 * 1.7),
        |at, line| format!("{}{line}", if at == 0 { "+ echo '" } else { "" }),
        |_, line| format!("  '{line}' +"),
        |at, line| format!("{}{line}", if at % 2 == 0 { "+" } else { "-" }),
    ];
    for style in styles {
        let rows = [BEGIN.to_owned()].into_iter().chain((0..8).map(line)).enumerate();
        let log: String = rows.map(|(at, row)| style(at, &row) + "\n").collect();
        let log = format!("{log}The operation was canceled.\n");
        assert_eq!(gone(&log, &["\nThe operation was canceled."], &style(0, "")), 1);
    }
}

#[test]
fn a_key_that_a_diff_takes_out_ends_where_it_says() {
    for mark in ["-", "+", " "] {
        let log = format!("{mark}{BEGIN}\n{mark}{}\n{mark}{}\n{mark}{END}\n{mark}the end\n", line(0), line(1));
        let filtered = clean(&log, None);
        assert_eq!(filtered.text, format!("{mark}[redacted:private-key]\n{mark}the end\n"), "{mark}");
    }
}

#[test]
fn a_key_goes_on_behind_empty_lines_and_other_output() {
    for prefix in ["", TIME, "> ", "+ ", "  | "] {
        let row = |number| format!("{prefix}{}\n", line(number));
        let begin = format!("{prefix}{BEGIN}\n");
        let gaps = format!("{begin}{prefix}\n{}{}{prefix}\n{}{prefix}the end.\n", row(0), row(1), row(2));
        assert_eq!(gone(&gaps, &["the end."], "empty lines"), 1, "{prefix}");
        let other = format!("{prefix}progress: 50%\n");
        let cut = format!("{begin}{}{other}{}{}{prefix}the end.\n", row(0), row(1), row(2));
        assert_eq!(gone(&cut, &["progress", "the end."], "other output"), 2, "{prefix}");
        let one = format!("{begin}{other}{}{other}{}{prefix}{END}\n{prefix}the end.\n", row(1), row(2));
        assert_eq!(gone(&one, &["the end."], "other output in a frame"), 1, "{prefix}");
    }
}

#[test]
fn who_speaks_of_a_key_is_shown_whole() {
    for text in [
        format!(
            "grep found {BEGIN}\n{TIME}checked out 0123456789abcdef0123456789abcdef01234567\n/home/runner/build/Web/src/Components/Button2/Index\n"
        ),
        format!("A key begins with\n{BEGIN}\n\nand then comes the text, and\n\n-----\n\nends with\n{END}\n"),
        format!("{BEGIN}\n").repeat(3),
        // None is written so, and each would be read up to the end.
        format!("{}\n", BEGIN.replace("BEGIN", "begin")).repeat(20_000),
        // On one line, of which not all is read again for each.
        BEGIN.repeat(100_000),
    ] {
        assert_eq!(clean(&text, None).text.trim_end(), text.trim_end());
    }
}

/// Frames that follow each other so that each is read anew: every length of label, in one line and in many, with and without a content,
/// with dashes that two share, and with others between.
#[test]
fn however_many_frames_a_text_has_it_is_read_once() {
    let of = |kind: &str, length: usize| format!("{}{kind}", "A".repeat(length - kind.len()));
    let private = |length: usize| of(" PRIVATE KEY", length);
    let mut pieces: Vec<String> =
        [12, 40, 55, 58, 59, 60, 63, 64, 65].iter().map(|n| format!("-----BEGIN {}-----\n", private(*n))).collect();
    let (short, long) = (private(30), private(64));
    pieces.extend([
        format!("-----BEGIN {long}-----"),
        format!("-----BEGIN {long}"),
        format!("-----BEGIN {long}-----\\n"),
        format!("{TIME}-----BEGIN {long}-----\n{TIME}{}\n{TIME}short\n", line(1)),
        format!("-----BEGIN {long}-----\n{}\nother output\n{}\n", line(1), &line(2)[..40]),
        format!("-----BEGIN {short}-----\n-----BEGIN {}-----\n", of("X", 64)),
        format!("-----BEGIN {short}-----\n-----END {long}-----\n"),
        format!("-----BEGIN {short}-----\n-----\n-----END {short}-----\n"),
        format!("-----BEGIN {short}-------BEGIN {short}-----\n\n"),
        format!("-----END {long}-----\n"),
    ]);
    for piece in pieces {
        let cost = |length: usize| {
            let text = piece.repeat(length / piece.len());
            (0..3).map(|_| spent(|| drop(clean(&text, Some(1000))))).min()
        };
        // Eight times the text: linear is eight times the work, and what grows with the square 64 times.
        let (small, large) = (cost(8_000), cost(64_000));
        assert!(cfg!(not(unix)) || large < small.map(|small| small * 24), "{small:?} and {large:?} for {piece:?}");
    }
}
