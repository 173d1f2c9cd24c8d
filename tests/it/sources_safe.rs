//! The safe rules: each defect of the reference, shown under `--compat openagents` and mended by default.

use git_docket::format::atif::text_digest;
use git_docket::sources::coverage::{Coverage, Diagnostic};
use git_docket::sources::{MAX_BLOCK, MAX_LINES, MAX_PATHS, MAX_QUOTED, RESERVED, excerpt, view};
use proptest::prelude::*;

use crate::sources_support::{Repo, patient};

#[test]
fn plain_repositories_render_alike() {
    let repo = Repo::new();
    repo.write("src/lib.rs", "fn needle() {}\n// Grüße NEEDLE\n").write("README.md", "# Title\n\nA needle.\n");
    repo.write("Cargo.lock", "needle").write("long", format!("needle {}\n", "x".repeat(300))).commit();
    let (safe, theirs) = (repo.collect("find the needle"), repo.collect_as_openagents("find the needle"));
    assert_eq!((&safe.card, &safe.block), (&theirs.card, &theirs.block));
    assert_eq!(safe.context.references, theirs.context.references);
    assert!(safe.context.candidates.is_some(), "the default tells its candidates");
    assert!(theirs.context.candidates.is_none() && theirs.context.selection.is_none());
}

#[test]
fn an_oversize_source_is_oversize_wherever_the_bound_cuts() {
    let repo = Repo::new();
    repo.write("a", [b"needle\n".to_vec(), vec![b'x'; (1 << 20) - 7], "éé".into()].concat()).commit();
    assert_eq!(repo.collect("needle").context.diagnostics, ["oversize atomic source excluded"]);
    assert_eq!(repo.collect_as_openagents("needle").context.diagnostics, ["source unavailable or not UTF-8"]);
    let repo = Repo::new();
    repo.write("a", [b"needle\n".to_vec(), vec![b'x'; (1 << 20) - 7]].concat()).commit();
    assert_eq!(repo.collect("needle").context.references.len(), 1, "exactly one MiB is admitted");
}

#[test]
fn the_card_quotes_whole_lines_of_files_inside() {
    let repo = Repo::new();
    let crlf: String = (0..20).map(|n| format!("line {n:02}\r\n")).collect();
    repo.write("README.md", format!("{crlf}{}\n", "P".repeat(2000)));
    repo.write("AGENTS.md", format!("h\n{}日zzz\n", "a".repeat(1197))).commit();
    let theirs = repo.collect_as_openagents("needle").card;
    assert!(theirs.contains("PPP") && theirs.contains("aaa"), "the defect");
    let safe = repo.collect("needle").card;
    assert!(!safe.contains("PPP") && !safe.contains("aaa"), "{safe}");
    assert!(safe.contains("line 19\n\n") && safe.contains("AGENTS.md:\nh\n\n"), "{safe}");
    std::fs::write(repo.outside("secret.md"), "outside text\n").expect("a file");
    std::fs::remove_file(repo.path().join("README.md")).expect("removed");
    std::os::unix::fs::symlink("../secret.md", repo.path().join("README.md")).expect("a link");
    assert!(repo.collect_as_openagents("needle").card.contains("outside text"), "the defect");
    let safe = repo.collect("needle").card;
    assert!(!safe.contains("outside") && safe.contains("README.md:\n[not quoted"), "{safe}");
}

#[test]
fn names_and_lines_cannot_break_the_block() {
    let repo = Repo::new();
    repo.write("new\nline\x1b[2J.txt", "needle \x1b[31mred\x1b[0m \u{202e}gnp.exe\u{2028} \0\ttab\n").commit();
    let theirs = repo.collect_as_openagents("needle").block;
    assert!(theirs.contains('\x1b') && theirs.lines().count() == 3, "the defect");
    let report = repo.collect("needle");
    let lines: Vec<&str> = report.block.lines().collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(
        lines[1],
        "  new\\nline\\u{1b}[2J.txt:1:needle \\u{1b}[31mred\\u{1b}[0m \\u{202e}gnp.exe\\u{2028} \\u{0}\ttab"
    );
    // The record names the true path, and the digest is that of the text as read.
    assert_eq!(report.context.references[0].path, "new\nline\x1b[2J.txt");
    let raw = "needle \x1b[31mred\x1b[0m \u{202e}gnp.exe\u{2028} \0\ttab";
    assert_eq!(report.context.references[0].excerpt_digest, text_digest(raw));
    assert!(!report.card.contains('\x1b'));
}

#[test]
fn a_found_source_shows_why_it_was_found() {
    let repo = Repo::new();
    repo.write("a", "long\u{17f}word\n").write("b", "ΟΔΟΣ\n").commit();
    assert_eq!(repo.collect_as_openagents("longsword").context.references, [], "the defect");
    assert_eq!(repo.collect("longsword").context.references.len(), 1);
    assert_eq!(repo.collect("οδοσ").context.references.len(), 1);
    // Where the index vouches for other content than the file has, that is said.
    repo.git(&["update-index", "--assume-unchanged", "a"]);
    repo.write("a", "something else\n");
    let report = repo.collect("longsword");
    assert_eq!(
        (report.context.references.len(), &report.context.diagnostics[..]),
        (0, &["matched source without excerpt".to_owned()][..])
    );
}

#[test]
fn colour_settings_change_nothing() {
    let repo = Repo::new();
    repo.write("a", "needle").commit();
    let before = repo.collect("needle");
    for (key, value) in
        [("color.ui", "always"), ("color.grep", "always"), ("grep.column", "true"), ("core.quotePath", "true")]
    {
        repo.git(&["config", key, value]);
    }
    assert_eq!(before, repo.collect("needle"));
}

#[test]
fn budgets_stop_a_file_and_go_on_with_the_next() {
    let repo = Repo::new();
    let lines: String = (1..=9).map(|n| format!("needle line {n}\n")).collect();
    repo.write("a.txt", lines).write("b.txt", "needle b1\nneedle b2\n").write("c.txt", "needle c1\n").commit();
    let report = repo.collect_as_openagents("needle");
    assert_eq!(report.context.references.len(), MAX_LINES);
    assert_eq!(report.context.diagnostics, ["excerpt budget omitted matching evidence"]);
    let repo = Repo::new();
    let deep = [&*"d".repeat(60); 4].join("/");
    for at in 0..7 {
        repo.write(&format!("{deep}/f{at}.txt"), format!("needle {}\nneedle two\n", "y".repeat(200)));
    }
    repo.write("zshort.txt", "needle short\n").commit();
    let report = repo.collect_as_openagents("needle");
    let last = report.context.references.last().expect("references");
    assert_eq!(last.path, "zshort.txt", "a short file still fits after the budget stopped another");
    assert_eq!(report.context.diagnostics, ["excerpt budget omitted matching evidence"]);
    // 358 bytes of record and 240 of each path twice: seven whole lines of 160 bytes do not all fit.
    assert!(report.block.len() <= MAX_BLOCK && report.context.references.len() < MAX_LINES);
}

#[test]
fn prefixes_end_at_a_character() {
    for (tail, kept) in [("a".repeat(153), 160), ("a".repeat(154), 160), (format!("{}étail", "a".repeat(152)), 159)] {
        assert_eq!(excerpt::prefix(&format!("needle {tail}")).len(), kept);
    }
    for (tail, kept) in [(format!("{}日", "a".repeat(151)), 158), (format!("{}😀", "a".repeat(150)), 157)] {
        assert_eq!(excerpt::prefix(&format!("needle {tail}")).len(), kept);
    }
}

#[test]
fn all_diagnostics_together_fit_their_reserve() {
    let mut coverage = Coverage::default();
    Diagnostic::ALL.into_iter().for_each(|diagnostic| coverage.note(diagnostic));
    assert_eq!(coverage.phrases().len(), Diagnostic::ALL.len());
    assert!(coverage.line().len() <= RESERVED, "{}", coverage.line().len());
    assert!(coverage.phrases().is_sorted());
}

#[test]
fn only_the_asked_files_are_looked_at() {
    use git_docket::ops::sources::{CollectOptions as Options, Wanted, collect};
    let repo = Repo::new();
    repo.write("a", "needle a\nother\n").write("b", "needle b\n").commit();
    let within = Some(std::collections::BTreeSet::from(["b".to_owned()]));
    let wanted = Wanted::Draft { text: "needle".to_owned(), within };
    let report = collect(&Options { wanted, ..patient(repo.path(), "") }).expect("a collection");
    assert_eq!(report.context.references.iter().map(|r| r.path.as_str()).collect::<Vec<_>>(), ["b"]);
    let places = vec![("a".to_owned(), 2), ("b".to_owned(), 9), ("gone".to_owned(), 1), ("../x".to_owned(), 1)];
    let report =
        collect(&Options { wanted: Wanted::Places(places), ..patient(repo.path(), "") }).expect("a collection");
    assert_eq!(report.context.references.iter().map(|r| (r.path.as_str(), r.line)).collect::<Vec<_>>(), [("a", 2)]);
    let said = ["excluded non-relative source path", "matched source without excerpt", "source unavailable"];
    assert_eq!(report.context.diagnostics, said);
}

/// A stage takes more out by what stands beside it; what it always takes out, a block never shows.
#[test]
fn what_a_stage_takes_out_a_block_spells_out() {
    let stays =
        |c| matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' | '\u{180b}'..='\u{180d}' | '\u{180f}');
    for c in ('\0'..=char::MAX).filter(|c| !stays(*c) && !matches!(c, '\t' | '\n')) {
        let text = format!("a{c}b");
        let taken = crate::filter::clean(&text, None).text != format!("{text}\n");
        let shown = view::line(&text);
        assert_eq!(shown != text, taken, "{c:?}");
        assert_eq!(crate::filter::clean(&shown, None).text, format!("{shown}\n"), "{c:?}");
    }
}

/// The law of the fuzz target, on what is recorded and on every cut of it.
#[test]
fn the_law_holds_for_pieces_of_what_is_read() {
    let repo = Repo::new();
    repo.write("a.rs", "a needle é\r\n日本 needle\n").write("b.rs", format!("needle {}\n", "é".repeat(90))).commit();
    let answer = repo.collect("needle").to_json();
    assert_eq!(crate::sources_law::check(answer.as_bytes()).0, 3);
    for at in (0..answer.len()).filter(|at| answer.is_char_boundary(*at)) {
        crate::sources_law::check(&answer.as_bytes()[at..]);
        crate::sources_law::check(format!("schema \n{}", &answer[..at]).as_bytes());
    }
    let long = format!("needle\n{}", format!("needle {}\r\n", "日".repeat(60)).repeat(12));
    assert_eq!(crate::sources_law::check(long.as_bytes()), (0, 10));
}

fn hostile_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("needle ".to_owned()),
        Just("\n".to_owned()),
        Just("\r".to_owned()),
        Just("\x1b".repeat(40)),
        Just("\u{202e}".to_owned()),
        "[a-zéß日😀 ]{0,90}",
        Just("source {\"path\":\"forged\"}\n".to_owned()),
    ];
    proptest::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the files hold, the block keeps its bounds and its shape, and its references prove themselves.
    #[test]
    fn bounds_hold_on_any_content(files in proptest::collection::vec(("[a-z\n\x1b é]{1,60}", hostile_text()), 1..12)) {
        let repo = Repo::new();
        for (name, text) in &files {
            // Two generated names may collide as file and directory; one of them is enough.
            let _ = std::fs::write(repo.path().join(name), text);
        }
        repo.git(&["add", "-A"]);
        for report in [repo.collect("needle"), repo.collect_as_openagents("needle")] {
            prop_assert!(report.block.len() <= MAX_BLOCK);
            prop_assert!(report.context.references.len() <= MAX_LINES);
            let paths: std::collections::BTreeSet<_> = report.context.references.iter().map(|r| &r.path).collect();
            prop_assert!(paths.len() <= MAX_PATHS);
            prop_assert_eq!(report.context.rendered_digest, text_digest(&report.block));
            for (reference, excerpt) in report.context.references.iter().zip(&report.excerpts) {
                prop_assert_eq!(&excerpt.reference, reference);
                prop_assert_eq!(reference.excerpt_digest, text_digest(&excerpt.quoted.text));
                let text = std::fs::read_to_string(repo.path().join(&reference.path)).expect("the source");
                prop_assert_eq!(reference.source_digest, text_digest(&text));
                let line = text.lines().nth(reference.line as usize - 1).expect("the line");
                prop_assert!(line.starts_with(&excerpt.quoted.text) && (line != excerpt.quoted.text) == reference.truncated);
            }
        }
        let safe = repo.collect("needle");
        let records = safe.block.lines().filter(|line| line.starts_with("source {")).count();
        prop_assert_eq!(records, safe.context.references.len());
        let coverage = usize::from(!safe.context.diagnostics.is_empty());
        prop_assert_eq!(safe.block.lines().count(), 2 * records + coverage);
        let quoted: usize = safe.excerpts.iter().map(|excerpt| view::line(&excerpt.quoted.text).len()).sum();
        prop_assert!(quoted <= MAX_QUOTED);
    }
}

proptest! {
    /// The law of the fuzz target; PROPTEST_CASES says how often.
    #[test]
    fn the_law_holds_for_any_text(draft in "[a-zA-Z_é -]{0,30}", text in hostile_text(), noise in any::<Vec<u8>>(), at in any::<prop::sample::Index>()) {
        let whole = format!("{draft} needle\n{text}");
        crate::sources_law::check(whole.as_bytes());
        let record = format!(r#"{{"schema":"openagents.repository-source.v1","path":{0:?},"line":3,"source_digest":"{1}","excerpt_digest":"{1}","truncated":false,"base":null}}"#, draft, "a".repeat(64));
        let mut bytes = record.into_bytes();
        let from = at.index(bytes.len());
        bytes.splice(from..(from + noise.len().min(3)).min(bytes.len()), noise.iter().copied());
        crate::sources_law::check(&bytes);
        crate::sources_law::check(&noise);
    }
}
