//! Logs of every encoding and shape, and whose they are.

use super::{Bench, checks, entry, gaps, header};
use crate::support::{arg, done, files};

#[test]
fn any_bytes_come_back_and_are_shown_safely() {
    let bench = Bench::new();
    let utf16 = |order: fn(u16) -> [u8; 2], mark: [u8; 2]| {
        let units = "caf\u{e9} \u{1f600}\r\nend".encode_utf16().flat_map(order);
        mark.into_iter().chain(units).collect::<Vec<u8>>()
    };
    let long = [vec![b'x'; 429_000], b"\nlast\n".to_vec()].concat();
    let cases: Vec<(&str, Vec<u8>, &[u8])> = vec![
        (
            "a mark",
            b"\xef\xbb\xbf2026-01-02T03:04:05.0000000Z ##[group]Run\n".to_vec(),
            b"2026-01-02T03:04:05.0000000Z ##[group]Run\n",
        ),
        ("colours", b"\x1b[31mred\x1b[0m \x1b]0;title\x07x\n".to_vec(), b"red x\n"),
        ("line ends", b"a\r\nb\rc\n".to_vec(), b"a\nb\nc\n"),
        ("no end", b"a".to_vec(), b"a\n"),
        ("Null", b"a\0b\n".to_vec(), b"ab\n"),
        ("little", utf16(u16::to_le_bytes, [0xff, 0xfe]), "caf\u{e9} \u{1f600}\nend\n".as_bytes()),
        ("big", utf16(u16::to_be_bytes, [0xfe, 0xff]), "caf\u{e9} \u{1f600}\nend\n".as_bytes()),
        ("odd", b"\xff\xfea\0b".to_vec(), "a\u{fffd}\n".as_bytes()),
        ("latin", b"caf\xe9\n".to_vec(), "caf\u{fffd}\n".as_bytes()),
        ("json", b"{\"a\": 1}".to_vec(), b"{\"a\": 1}\n"),
        ("empty", Vec::new(), b""),
        ("long", long.clone(), &long),
    ];
    let paths: Vec<_> = cases.iter().map(|(name, bytes, _)| bench.file(&format!("{name}.log"), bytes)).collect();
    let inputs: Vec<_> = paths.iter().map(|path| format!("logs={}", arg(path))).collect();
    let seen = bench.observe(&inputs.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!((&seen["observed"], &seen["findings"]), (&cases.len().into(), &serde_json::json!([])), "{seen}");
    let (snapshot, (out, index)) = (bench.snapshot(), bench.stage(&["--profile", "full"]));
    for ((name, bytes, shown), row) in cases.iter().zip(&paths) {
        let row = seen["inputs"].as_array().expect("inputs").iter().find(|input| input["input"] == arg(row));
        let digest = row.expect("a row")["digest"].as_str().expect("a digest");
        assert_eq!(&bench.raw(digest), bytes, "{name}");
        let path = format!("checks/unattached-{name}/log.txt").replace("unattached-a mark", "unattached-a%20mark");
        let path = path.replace("line ends", "line%20ends").replace("no end", "no%20end");
        let path = if *name == "Null" { find_upper(&snapshot) } else { path };
        assert_eq!(&std::fs::read(snapshot.join(&path)).expect(&path), bytes, "{name}");
        assert_eq!(&std::fs::read(out.join(&path)).expect(&path), shown, "{name}");
        assert_eq!(entry(&index, &path)["job"], *name);
    }
    assert_eq!(entry(&index, "checks/unattached-latin/log.txt")["filter"]["status"], "modified");
    assert_eq!(index["coverage"]["logs"]["items"], cases.len());
}

/// The folder of a name in upper case, which is completed with a digest.
fn find_upper(tree: &std::path::Path) -> String {
    let found = files(tree).into_keys().find(|path| path.starts_with("checks/unattached-null+"));
    found.expect("a folder with a digest")
}

#[test]
fn a_long_log_is_cut_and_the_cut_is_counted() {
    let bench = Bench::new();
    let path = bench.file("job.txt", "line\n".repeat(100_000));
    bench.observe(&[&format!("logs:build={}", arg(&path))]);
    let (out, index) = bench.stage(&[]);
    let shown = std::fs::read(out.join("checks/unattached-build/log.txt")).expect("the log");
    let shown = String::from_utf8(shown).expect("UTF-8");
    assert!(shown.len() <= 256 * 1024 && shown.len() > 255 * 1024, "{}", shown.len());
    let row = entry(&index, "checks/unattached-build/log.txt");
    assert_eq!(row["filter"]["status"], "truncated");
    let (notes, lines): (Vec<_>, Vec<_>) = shown.lines().partition(|line| line.starts_with("[git-docket: "));
    assert!(lines.iter().all(|line| *line == "line"));
    let dropped = 100_000 - lines.len();
    assert_eq!(notes, [format!("[git-docket: {dropped} lines, {} bytes cut out here]", 5 * dropped)]);
    assert_eq!(row["droppedBytes"], 5 * dropped);
    assert_eq!(gaps(&index, "logs"), [("incomplete".to_owned(), 1), ("profile-bound".to_owned(), 1)]);
}

#[test]
fn a_log_is_that_of_the_check_it_names() {
    let bench = Bench::new();
    let early = ("2026-01-02T03:00:00Z", "2026-01-02T03:09:00Z");
    let rows = [
        (11, "build / linux", early.0, early.1),
        (12, "twice", early.0, early.1),
        (13, "twice", early.0, early.1),
        (14, "other attempt", early.0, early.1),
        (15, "by id", early.0, early.1),
    ];
    let checks = bench.file("checks.json", checks(&rows).to_string());
    let header = bench.file("header.json", header(1, 1, 0).to_string());
    let line = |time: &str| format!("2026-01-02T{time}.1234567Z text\n");
    let texts = [
        ("a.txt", "logs:build  linux", line("03:01:00")),
        ("b.txt", "logs:twice", line("03:01:00")),
        ("c.txt", "logs:other attempt", line("09:01:00")),
        ("d.txt", "logs:15", line("23:00:00")),
        ("e.txt", "logs:99", line("03:01:00")),
    ];
    // The logs come before the checks: what is known later settles whose they are.
    let paths: Vec<_> = texts.iter().map(|(file, _, text)| bench.file(file, text)).collect();
    let inputs: Vec<_> = texts.iter().zip(&paths).map(|(text, path)| format!("{}={}", text.1, arg(path))).collect();
    bench.observe(&inputs.iter().map(String::as_str).collect::<Vec<_>>());
    bench.observe(&["--complete", &format!("checks={}", arg(&checks)), &format!("header={}", arg(&header))]);
    let (out, index) = bench.stage(&["--profile", "full"]);
    let logs: Vec<_> = files(&out).into_keys().filter(|path| path.ends_with("log.txt")).collect();
    assert_eq!(
        logs,
        [
            "checks/unattached-other%20attempt/log.txt",
            "checks/unattached-twice/log.txt",
            "checks/undated-11/log.txt",
            "checks/undated-15/log.txt",
            "checks/undated-99/log.txt",
        ]
    );
    assert_eq!(entry(&index, "checks/undated-11/log.txt")["source"]["id"], 11);
    assert_eq!(gaps(&index, "logs"), [("incomplete".to_owned(), 3)], "12, 13 and 14 have none");
    assert!(index["gaps"].as_array().expect("gaps").iter().all(|gap| gap["scope"] != "checks"), "{index}");
}

#[test]
fn a_newer_log_takes_the_place_of_the_older_and_diff_says_so() {
    let bench = Bench::new();
    let (old, new) = (bench.file("old.txt", "one\n"), bench.file("new.txt", "two\n"));
    let at = |time, path| {
        ["--observed-at".to_owned(), format!("2026-01-02T03:0{time}:05Z"), format!("logs:9={}", arg(path))]
    };
    let observe = |inputs: [String; 3]| bench.observe(&inputs.iter().map(String::as_str).collect::<Vec<_>>());
    observe(at(1, &old));
    let first = bench.root().join("first");
    std::fs::rename(bench.snapshot(), &first).expect("the snapshot moves");
    observe(at(2, &new));
    let second = bench.snapshot();
    let said = done(bench.root(), &["diff", arg(&first), arg(&second)]);
    assert_eq!(said["changes"][0]["change"], "log-changed", "{said}");
    assert_eq!((&said["changes"][0]["id"], &said["changes"][0]["facet"]), (&"9".into(), &"logs".into()), "{said}");
    assert_eq!(said["changes"].as_array().map(Vec::len), Some(1), "{said}");
    // An older look changes nothing.
    observe(at(0, &old));
    assert_eq!(std::fs::read(bench.snapshot().join("checks/undated-9/log.txt")).expect("a log"), b"two\n");
}

#[test]
fn raw_gives_the_log_that_is_named() {
    let bench = Bench::new();
    let (one, two) = (bench.file("1_a.txt", "a\n"), bench.file("2_b.txt", "b"));
    bench.observe(&[&format!("logs={}", arg(&one)), &format!("logs:7={}", arg(&two))]);
    let raw = |of: &str| {
        let mut command = crate::support::docket(bench.root());
        command.args(["--store", "store", "show", super::PULL, "--raw", of]).output().expect("the program runs")
    };
    assert_eq!(raw("logs:a").stdout, b"a\n");
    assert_eq!(raw("logs:7").stdout, b"b");
    assert_eq!(raw("logs").status.code(), Some(2));
    assert!(String::from_utf8_lossy(&raw("logs").stderr).contains("logs are filed"));
}

#[test]
fn what_is_no_log_is_told_from_one() {
    let bench = Bench::new();
    let error = bench.file(
        "job.txt",
        r#"{"message": "Not Found", "documentation_url": "https://docs.github.com", "status": "404"}"#,
    );
    assert_eq!(bench.refused(&[&format!("logs={}", arg(&error))]), "forge-error-body");
    let two = [
        r#"{"method":"GET","url":"https://api.github.com/repos/acme/web/actions/jobs/5/logs","status":200,"headers":{},"body_text":"plain text"}"#,
        r#"{"method":"GET","url":"https://api.github.com/repos/acme/web/actions/jobs/6/logs","status":410,"headers":{},"body":{"message":"Gone"}}"#,
    ];
    let recording = bench.file("recording.jsonl", two.join("\n"));
    bench.observe(&[arg(&recording)]);
    let (out, index) = bench.stage(&[]);
    assert_eq!(std::fs::read(out.join("checks/undated-5/log.txt")).expect("a log"), b"plain text\n");
    assert_eq!(gaps(&index, "logs"), [("expired".to_owned(), 1), ("incomplete".to_owned(), 1)]);
}

#[test]
fn a_request_log_says_that_a_file_is_a_log_and_each_answer_is_a_look_of_its_own() {
    let bench = Bench::new();
    let text = "2026-01-02T03:04:05.0000000Z one\n";
    bench.file("recorded/job.txt", text);
    let answer = |date: &str| {
        serde_json::json!({"file": "job.txt", "status": 200, "headers": {"date": date},
            "url": "https://api.github.com/repos/acme/web/actions/jobs/77/logs"})
    };
    let answers = [answer("Fri, 02 Jan 2026 03:05:01 GMT"), answer("Fri, 02 Jan 2026 03:05:05 GMT")];
    let log = bench.file("recorded/_requests.json", serde_json::json!(answers).to_string());
    let seen = bench.observe(&[arg(log.parent().expect("a folder"))]);
    assert_eq!((&seen["observed"], &seen["unrecognised"]), (&2.into(), &serde_json::json!([])), "{seen}");
    let snapshot = bench.snapshot();
    assert_eq!(std::fs::read_to_string(snapshot.join("checks/undated-77/log.txt")).expect("the log"), text);
}
