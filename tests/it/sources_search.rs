//! The search in process against the real `git grep`: equal on many repositories, within the same limits.

use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use git_docket::git::search::{Folding, Hits, Search, search};
use git_docket::git::worktree::Worktree;
use git_docket::ops::sources::{CollectOptions as Options, How, collect};
use git_docket::sources::{MAX_CAPTURE, Rules};

use crate::sources_support::{Repo, git_engine, patient, patiently};

/// A small generator with a seed: repositories must be the same on every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.roll(from.len() as u64) as usize]
    }
}

const PIECES: [&[u8]; 30] = [
    b"needle",
    b"NEEDLE",
    b"NeeDle",
    b"need",
    b"le",
    b"kelvin",
    "\u{212a}elvin".as_bytes(),
    b"KELVIN",
    b"long",
    b"sword",
    "\u{17f}word".as_bytes(),
    "grüsse".as_bytes(),
    "GRÜSSE".as_bytes(),
    "Grüße".as_bytes(),
    "GRU\u{308}SSE".as_bytes(),
    "οδος".as_bytes(),
    "ΟΔΟΣ".as_bytes(),
    b"x-y_z",
    b"X-Y_Z",
    b"\0",
    b"\xff\xfe",
    b"\xc3",
    b"\xe2\x84",
    b"\r\n",
    b"\n",
    b"\n",
    b" ",
    b"\t",
    "日本語".as_bytes(),
    "😀".as_bytes(),
];

const TERMS: [&str; 9] = ["needle", "Kelvin", "longsword", "GRÜSSE", "grüße", "οδοσ", "x-y_z", "日本語", "absent"];

fn content(dice: &mut Dice) -> Vec<u8> {
    let count = dice.roll(12);
    (0..count).flat_map(|_| dice.pick(&PIECES).to_vec()).collect()
}

/// A repository with files in every state that git tells apart.
fn repository(seed: u64) -> Repo {
    let mut dice = Dice(seed * 0x9e37_79b9 + 1);
    let repo = Repo::new();
    let names = [
        "a",
        "b.txt",
        "b.lock",
        "c/Cargo.lock",
        "c/d/e",
        "-dash",
        "sp ace",
        "new\nline",
        "ü",
        "c.d",
        "c-d",
        "x.lock/in",
        "z/z/z/z",
    ];
    for name in names {
        repo.write(name, content(&mut dice));
    }
    for at in 0..dice.roll(30) {
        repo.write(&format!("many/{at:02}"), content(&mut dice));
    }
    let raw = repo.path().join(std::ffi::OsStr::from_bytes(b"raw-\xff\xfe"));
    std::fs::write(raw, content(&mut dice)).expect("a file");
    std::os::unix::fs::symlink("a", repo.path().join("link")).expect("a link");
    repo.commit();
    repo.git(&["update-index", "--add", "--cacheinfo", "160000,1111111111111111111111111111111111111111,module"]);
    for name in ["a", "b.txt", "c/d/e", "many/00", "many/01"] {
        if !repo.path().join(name).exists() {
            continue;
        }
        match dice.roll(8) {
            0 => drop(std::fs::remove_file(repo.path().join(name))),
            1 => drop(repo.git(&["update-index", "--skip-worktree", name])),
            2 => drop(repo.git(&["update-index", "--assume-unchanged", name])),
            3 => drop(repo.git(&["rm", "-q", "--cached", name])),
            4 => {
                std::fs::remove_file(repo.path().join(name)).expect("removed");
                std::os::unix::fs::symlink("../z/z/z/z", repo.path().join(name)).expect("a link");
                continue;
            }
            5 => {
                std::fs::remove_file(repo.path().join(name)).expect("removed");
                std::fs::create_dir(repo.path().join(name)).expect("a directory");
                continue;
            }
            _ => {}
        }
        if repo.path().join(name).is_file() {
            repo.write(name, content(&mut dice));
        }
    }
    repo.write("untracked", b"needle kelvin");
    repo.write("intended", content(&mut dice));
    repo.git(&["add", "-N", "intended"]);
    if dice.roll(2) == 0 {
        for (key, value) in [
            ("color.ui", "always"),
            ("color.grep", "always"),
            ("core.quotePath", "true"),
            ("grep.lineNumber", "true"),
            ("grep.patternType", "perl"),
            ("core.pager", "false"),
            ("core.ignoreCase", "true"),
        ] {
            repo.git(&["config", key, value]);
        }
    }
    if dice.roll(3) == 0 {
        conflict(&repo, &mut dice);
    }
    repo
}

/// Puts a path into the index three times, in the stages of a conflict.
fn conflict(repo: &Repo, dice: &mut Dice) {
    repo.write("conflicted", content(dice));
    let blob = repo.git(&["hash-object", "-w", "conflicted"]);
    let mode = dice.pick(&["100644", "120000"]);
    let lines = format!("{mode} {blob} 1\tconflicted\n100644 {blob} 2\tconflicted\n100644 {blob} 3\tconflicted\n");
    let path = repo.outside("index-info");
    std::fs::write(&path, lines).expect("a file");
    let input = std::fs::File::open(path).expect("the file");
    let status =
        Command::new("git").arg("-C").arg(repo.path()).args(["update-index", "--index-info"]).stdin(input).status();
    assert!(status.expect("git runs").success());
}

/// The specified command, in the specified locale; colour alone is switched off, since it makes every path unreadable.
fn git_grep(repo: &Repo, term: &str, locale: &str) -> Vec<Vec<u8>> {
    let mut command = Command::new("git");
    command.args(["-c", "color.ui=false", "-c", "color.grep=false", "-C"]).arg(repo.path());
    command.args(["grep", "-l", "-z", "-i", "--max-count", "1", "-e", term, "--", ":!*.lock"]);
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").env("LC_ALL", locale);
    let output = command.output().expect("git runs");
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout.split(|b| *b == 0).filter(|path| !path.is_empty()).map(<[u8]>::to_vec).collect()
}

fn in_process(repo: &Repo, terms: &[String], folding: Folding, follow_links: bool) -> Hits {
    let worktree = Worktree::open(&repo.path()).expect("a work tree");
    let stop = AtomicBool::new(false);
    search(&worktree, &Search { terms, folding, follow_links, capture: MAX_CAPTURE, stop: &stop }).expect("a search")
}

#[test]
fn finds_what_git_grep_finds() {
    let terms: Vec<String> = TERMS.iter().map(|term| (*term).to_owned()).collect();
    let mut found = 0;
    for seed in 0..16 {
        let repo = repository(seed);
        for (folding, locale) in [(Folding::Unicode, "C.UTF-8"), (Folding::Ascii, "C")] {
            let hits = in_process(&repo, &terms, folding, seed % 2 == 0);
            for (term, paths) in terms.iter().zip(hits.terms) {
                let paths = paths.expect("an available search");
                found += paths.len();
                let shown = |paths: &[Vec<u8>]| {
                    paths.iter().map(|p| String::from_utf8_lossy(p).into_owned()).collect::<Vec<_>>()
                };
                assert_eq!(
                    shown(&git_grep(&repo, term, locale)),
                    shown(&paths),
                    "seed {seed}, term {term}, locale {locale}"
                );
            }
        }
    }
    assert!(found > 200, "the repositories hold too little to tell anything: {found}");
}

#[test]
fn collects_the_same_through_git() {
    for seed in 0..8 {
        let repo = repository(seed + 100);
        for rules in [Rules::Safe, Rules::OpenAgents] {
            for draft in ["needle kelvin longsword grüsse", "οδοσ x-y_z 日本語 absent"] {
                let one = Options { rules, ..patient(repo.path(), draft) };
                let how = How { engine: git_engine(), ..patiently() };
                let other = Options { how, ..one.clone() };
                let (one, other) = (collect(&one).expect("in process"), collect(&other).expect("by git"));
                assert!(one == other, "seed {seed} {rules:?} {draft}:\n{}\n{}", one.block, other.block);
            }
        }
    }
}

/// Letters that differ between versions of Unicode, so that git's library and ours may know different pairs.
const NEWER: [char; 6] = ['\u{390}', '\u{1fd3}', '\u{3b0}', '\u{1fe3}', '\u{fb05}', '\u{fb06}'];

#[test]
fn folds_letters_as_git_does() {
    let cased = |c: &char| c.to_lowercase().ne([*c]) || c.to_uppercase().ne([*c]);
    let letters: Vec<char> = ('\u{80}'..='\u{ffff}').filter(cased).filter(|c| !NEWER.contains(c)).collect();
    let repo = Repo::new();
    for (at, letter) in letters.iter().enumerate() {
        if at % 9 == 0 {
            repo.write(&format!("{:04}", at / 9), format!("x{letter}x {0}x", letter.to_lowercase()));
        }
    }
    repo.git(&["add", "."]);
    let terms: Vec<String> = letters.iter().step_by(61).map(|letter| format!("x{letter}x")).collect();
    for terms in terms.chunks(4) {
        let hits = in_process(&repo, terms, Folding::Unicode, false);
        for (term, paths) in terms.iter().zip(hits.terms) {
            assert_eq!(git_grep(&repo, term, "C.UTF-8"), paths.expect("available"), "{term}");
        }
    }
}

#[test]
fn a_match_across_two_pieces_of_a_large_file_is_found() {
    let repo = Repo::new();
    for (name, at) in [("a", (1 << 20) - 3), ("b", (1 << 20) - 24), ("c", (2 << 20) - 27), ("d", 0), ("e", 5 << 20)] {
        let mut bytes = vec![b'.'; at];
        bytes.extend_from_slice("\u{212a}elvin".as_bytes());
        bytes.resize(at + (1 << 20), b'.');
        repo.write(name, bytes);
    }
    repo.write("none", vec![b'k'; 3 << 20]);
    repo.git(&["add", "."]);
    let hits = in_process(&repo, &["kelvin".to_owned()], Folding::Unicode, false);
    let names = hits.terms[0].clone().expect("available");
    assert_eq!(names, [b"a", b"b", b"c", b"d", b"e"]);
}

#[test]
fn a_search_that_names_too_much_is_unavailable_as_a_whole() {
    let repo = Repo::new();
    let long = "n".repeat(199);
    // 327 names of 200 bytes, each with its NUL: one more than 64 KiB hold.
    for at in 0..327 {
        repo.write(
            &format!("{}/{}{at:03}", &long[..100], &long[..96]),
            if at == 0 { "needle other" } else { "needle" },
        );
    }
    repo.git(&["add", "."]);
    for engine in [Default::default(), git_engine()] {
        let how = How { engine, ..patiently() };
        let options = Options { how, ..patient(repo.path(), "other needle") };
        let report = collect(&options).expect("a collection");
        assert_eq!(report.context.references.len(), 1, "the other term still counts");
        assert!(report.context.diagnostics.contains(&"search unavailable or exceeded its capture bound".to_owned()));
    }
    // One file less is exactly within the bound.
    repo.git(&["rm", "-q", "--cached", &format!("{}/{}326", &long[..100], &long[..96])]);
    let report = repo.collect("needle");
    assert_eq!(report.context.diagnostics, ["path limit omitted candidates"]);
    let manifest = report.context.candidates.expect("a manifest");
    assert_eq!((manifest.omitted.len() as u64) + manifest.omitted_beyond, 326 - 8, "every path left out is counted");
}

#[test]
fn a_search_out_of_time_is_unavailable_and_says_nothing_else() {
    let repo = Repo::new();
    repo.write("a", "needle").commit();
    for engine in [Default::default(), git_engine()] {
        let how = How { engine, time: Duration::ZERO, ..patiently() };
        let options = Options { how, ..patient(repo.path(), "needle") };
        let report = collect(&options).expect("a collection");
        assert_eq!(report.context.diagnostics, ["search unavailable or exceeded its capture bound"]);
        assert_eq!(report.context.references, []);
        assert_eq!(report.block, "evidence coverage: search unavailable or exceeded its capture bound\n");
    }
}

#[test]
fn reads_every_kind_of_index() {
    let repo = Repo::new();
    repo.write("a", "needle").write("b", "other").commit();
    repo.git(&["update-index", "--split-index"]);
    repo.write("c", "needle").git(&["add", "c"]);
    assert_eq!(repo.collect("needle").context.references.len(), 2);
    repo.git(&["update-index", "--no-split-index", "--index-version", "4"]);
    assert_eq!(repo.collect("needle").context.references.len(), 2);
    let sha256 = Repo::named("sha256");
    let dir = sha256.outside("repo");
    std::fs::create_dir(&dir).expect("a directory");
    sha256.git(&["init", "-q", "-b", "main", "--object-format=sha256"]);
    sha256.write("a", "needle");
    let base = sha256.commit();
    assert_eq!(base.len(), 64);
    let report = sha256.collect("needle");
    assert_eq!(report.context.references[0].base, Some(base));
}
