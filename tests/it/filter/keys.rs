//! Private keys in logs: whatever stands before the lines, and whether or not the key has an end.

use super::clean;

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
    let log = format!("{BEGIN}\n{}\n(login) with {token} now\n{}\nthe end.\n", line(0), line(1));
    let filtered = clean(&log, None);
    assert!(!filtered.text.contains(token), "{}", filtered.text);
    assert!(filtered.text.contains("(login) with ") && filtered.text.contains(" now\n"), "{}", filtered.text);
    assert_eq!(filtered.findings.get("private-key"), Some(&2));
}

#[test]
fn who_speaks_of_a_key_is_shown_whole() {
    for text in [
        format!(
            "grep found {BEGIN}\n{TIME}checked out 0123456789abcdef0123456789abcdef01234567\n/home/runner/build/Web/src/Components/Button2/Index\n"
        ),
        format!("A key begins with\n{BEGIN}\n\nand then comes the text, and\n\n-----\n\nends with\n{END}\n"),
        format!("{BEGIN}\n").repeat(3),
        // On one line, of which not all is read again for each.
        BEGIN.repeat(100_000),
    ] {
        assert_eq!(clean(&text, None).text.trim_end(), text.trim_end());
    }
}
