//! The house rules that a machine can check: rooms, imports, words owned by one room, sizes, and that nothing is forgotten.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What each room may import. A room that is not here does not exist.
const PLAN: &[(&str, &[&str])] = &[
    ("format", &[]),
    ("system", &[]),
    ("filter", &["format"]),
    ("forge", &["format"]),
    ("sources", &["format"]),
    ("git", &["format", "system"]),
    ("store", &["format", "system"]),
    ("corpus", &["format", "forge"]),
    ("render", &["format", "forge", "filter", "corpus"]),
    ("ops", &["format", "system", "filter", "forge", "git", "sources", "store", "corpus", "render"]),
    ("cli", &["format", "system", "ops"]),
];

/// Words that only the named files may use, with the reason.
const OWNED: &[(&str, &[&str], &str)] = &[
    ("println!", &[], "only cli/output prints, through a locked stdout"),
    ("eprintln!", &[], "only cli/output prints"),
    ("io::stdout", &["src/cli/output.rs"], "one file prints"),
    (
        "io::stderr",
        &["src/cli/output.rs", "src/ops/process/attend.rs"],
        "one file prints; a command may be given the descriptor",
    ),
    ("SystemTime::now", &["src/cli/world.rs"], "one file asks the clock"),
    ("Instant::now", &[], "no library code measures time"),
    ("env::var", &["src/cli/world.rs"], "one file asks the environment"),
    ("env::args", &["src/cli/world.rs"], "one file asks for the arguments"),
    (
        "Command::new",
        &["src/ops/process/"],
        "one place starts processes: the door, git and the command that the user names",
    ),
    ("TcpStream", &[], "nothing opens a socket"),
    ("cfg(unix)", &["src/system/mod.rs"], "one room knows what differs between systems"),
    ("cfg(windows)", &["src/system/mod.rs"], "one room knows what differs between systems"),
    ("target_os", &["src/system/", "src/main.rs"], "one room knows what differs between systems"),
    ("std::os::", &["src/system/"], "one room knows what differs between systems"),
    ("rustix::", &["src/system/"], "one room knows what differs between systems"),
    ("gix::", &["src/git/"], "one room knows gix"),
    ("gix_pack::", &["src/git/"], "one room knows gix"),
    ("fs::write", &["src/store/", "src/git/", "src/system/"], "one room writes files"),
    ("File::create", &["src/store/", "src/git/", "src/system/"], "one room writes files"),
    ("fs::remove", &["src/store/", "src/git/", "src/system/"], "one room removes files"),
    ("fs::rename", &["src/store/", "src/git/", "src/system/"], "one room renames files"),
    ("clap::", &["src/cli/"], "no clap type below cli"),
    ("unsafe {", &[], "no unsafe"),
    ("todo!(", &[], "nothing unfinished"),
    ("unimplemented!(", &[], "nothing unfinished"),
    ("dbg!(", &[], "nothing left over"),
];

/// The longest file and function, in lines.
const MAX_FILE: usize = 400;
const MAX_FUNCTION: usize = 70;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(dir: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![root().join(dir)];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).expect("the folder can be listed") {
            let path = entry.expect("the entry can be read").path();
            if path.is_dir() && !path.ends_with("fuzz") {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
                found.insert(name, fs::read_to_string(&path).expect("the file can be read"));
            }
        }
    }
    found
}

fn room(file: &str) -> Option<&str> {
    file.strip_prefix("src/")?.split_once('/').map(|(room, _)| room)
}

#[test]
fn imports_only_go_down() {
    let rooms: Vec<_> = PLAN.iter().map(|(room, _)| *room).collect();
    let mut wrong = Vec::new();
    for (file, text) in rust_files("src") {
        let Some(room) = room(&file) else { continue };
        let Some((_, allowed)) = PLAN.iter().find(|(name, _)| *name == room) else {
            wrong.push(format!("{file}: the room {room} is not in the plan"));
            continue;
        };
        for used in &rooms {
            let mentions = text.contains(&format!("crate::{used}::")) || text.contains(&format!("crate::{used};"));
            if mentions && *used != room && !allowed.contains(used) {
                wrong.push(format!("{file}: {room} may not import {used}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_verb_knows_another() {
    let verbs = verbs();
    let mut wrong = Vec::new();
    for (file, text) in rust_files("src/ops") {
        let own = file.trim_start_matches("src/ops/").split(['/', '.']).next().unwrap_or_default().to_owned();
        // These are no verbs: they put verbs together, or tell others what one did.
        let composes = matches!(own.as_str(), "mod" | "rebuild" | "runner" | "wrap");
        let above = if file.matches('/').count() > 2 { "super::super" } else { "super" };
        for verb in verbs.iter().filter(|verb| **verb != own && !composes) {
            let used = [format!("{above}::{verb}::"), format!("{above}::{verb};"), format!("ops::{verb}::")];
            if used.iter().any(|word| text.contains(&format!(" {word}"))) {
                wrong.push(format!("{file} knows the verb {verb}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn words_belong_to_one_room() {
    let mut wrong = Vec::new();
    for (file, text) in rust_files("src") {
        for (word, owners, why) in OWNED {
            let owned = owners.iter().any(|owner| file.starts_with(owner));
            if !owned && text.lines().any(|line| !line.trim_start().starts_with("//") && line.contains(word)) {
                wrong.push(format!("{file}: {word} ({why})"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_says_what_it_is_and_fits() {
    let mut wrong = Vec::new();
    for (file, text) in rust_files("src").into_iter().chain(rust_files("tests")).chain(rust_files("benches")) {
        if !text.starts_with("//!") {
            wrong.push(format!("{file}: does not begin with a //! line"));
        }
        if file.starts_with("src/") && text.lines().count() > MAX_FILE {
            wrong.push(format!("{file}: {} lines", text.lines().count()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn functions_fit_one_look() {
    let mut wrong = Vec::new();
    for (file, text) in rust_files("src") {
        let mut open: Option<(usize, usize, String)> = None;
        for (number, line) in text.lines().enumerate() {
            let indent = line.len() - line.trim_start().len();
            let starts = line.trim_start().split("fn ").next().is_some_and(|head| {
                line.contains("fn ")
                    && head.split_whitespace().all(|w| w.starts_with("pub") || matches!(w, "in" | "const"))
            });
            if starts && open.is_none() && !line.ends_with(';') {
                open = Some((number, indent, line.trim().to_owned()));
            }
            let closes = |(_, at, _): &(usize, usize, String)| *at == indent && line.trim_start().starts_with('}');
            if open.as_ref().is_some_and(closes) || open.as_ref().is_some_and(|o| o.0 == number && line.ends_with('}'))
            {
                let (start, _, name) = open.take().expect("just looked at");
                if number - start + 1 > MAX_FUNCTION {
                    wrong.push(format!("{file}:{}: {} lines: {name}", start + 1, number - start + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The verbs, read from the enum of commands.
fn verbs() -> Vec<String> {
    let args = fs::read_to_string(root().join("src/cli/args.rs")).expect("args.rs can be read");
    let body =
        args.split("pub enum Command {").nth(1).expect("the enum of commands").split("\n}").next().expect("its end");
    let variant = |line: &str| line.trim().split_once('(').map(|(name, _)| name.to_ascii_lowercase());
    body.lines().filter(|line| !line.trim().starts_with("//")).filter_map(variant).collect()
}

#[test]
fn every_verb_has_its_place_on_every_floor() {
    let verbs = verbs();
    assert!(verbs.len() >= 10, "the enum of commands was not understood: {verbs:?}");
    let docs = fs::read_to_string(root().join("docs/cli.md")).expect("docs/cli.md");
    let mut wrong = Vec::new();
    for verb in &verbs {
        if !root().join(format!("src/cli/{verb}.rs")).exists() {
            wrong.push(format!("src/cli/{verb}.rs is missing"));
        }
        if !docs.contains(&format!("## {verb}")) {
            wrong.push(format!("docs/cli.md has no section on {verb}"));
        }
        let has_op = ["", "/mod"].iter().any(|end| root().join(format!("src/ops/{verb}{end}.rs")).exists());
        if !has_op && verb != "schema" {
            wrong.push(format!("src/ops/{verb} is missing"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The nouns that a program reads back, with the file of `src/format` that does it.
const NOUNS: &[(&str, &str)] = &[
    ("index", "index"),
    ("observation", "observation"),
    ("profile", "profile"),
    ("stage-facts", "stage_facts"),
    ("stage-record", "stage_record"),
    ("store", "header"),
];

#[test]
fn every_noun_has_its_place_on_every_floor() {
    let mut wrong = Vec::new();
    for (noun, file) in NOUNS {
        if !["", "/mod"].iter().any(|end| root().join(format!("src/format/{file}{end}.rs")).exists()) {
            wrong.push(format!("src/format/{file} is missing"));
        }
        if !root().join(format!("schema/v1/{noun}.schema.json")).exists() {
            wrong.push(format!("schema/v1/{noun}.schema.json is missing"));
        }
        for folder in ["valid", "invalid"] {
            let path = format!("testdata/format/v1/{noun}/{folder}");
            if fs::read_dir(root().join(&path)).map_or(0, Iterator::count) == 0 {
                wrong.push(format!("{path} has no vectors"));
            }
        }
    }
    for entry in fs::read_dir(root().join("testdata/format/v1")).expect("the folder of vectors") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        if !NOUNS.iter().any(|(noun, _)| *noun == name) {
            wrong.push(format!("testdata/format/v1/{name} belongs to no noun"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_schema_is_printed() {
    let list = fs::read_to_string(root().join("src/cli/schema.rs")).expect("the list of schemas");
    let folders =
        ["schema/v1", "schema/upstream"].map(|folder| fs::read_dir(root().join(folder)).expect("a folder of schemas"));
    for entry in folders.into_iter().flatten() {
        let file = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        let name = file.strip_suffix(".schema.json").unwrap_or_else(|| panic!("{file} is no schema"));
        assert!(list.contains(&format!("\"{name}\"")), "src/cli/schema.rs does not list {name}");
    }
}

#[test]
fn no_test_file_is_forgotten() {
    let files = rust_files("tests/it");
    for name in files.keys() {
        let below = name.trim_start_matches("tests/it/").trim_end_matches(".rs").trim_end_matches("/mod");
        if below == "main" {
            continue;
        }
        let (parent, module) = below.rsplit_once('/').map_or(("main".to_owned(), below), |(p, m)| (p.to_owned(), m));
        let declared = [format!("tests/it/{parent}.rs"), format!("tests/it/{parent}/mod.rs")]
            .iter()
            .filter_map(|file| files.get(file))
            .any(|text| text.contains(&format!("mod {module};")));
        assert!(declared, "{name} is declared nowhere");
    }
}

#[test]
fn the_top_level_is_fixed() {
    const KNOWN: &[&str] = &[
        "CHANGELOG.md",
        "Cargo.lock",
        "Cargo.toml",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "README.md",
        "action.yml",
        "benches",
        "docs",
        "schema",
        "src",
        "target",
        "testdata",
        "tests",
    ];
    for entry in fs::read_dir(root()).expect("the root can be listed") {
        let name = entry.expect("the entry can be read").file_name().to_string_lossy().into_owned();
        let hidden = name.starts_with('.');
        assert!(hidden || KNOWN.contains(&name.as_str()), "{name} stands at the top level");
    }
}

#[test]
fn nothing_names_a_machine() {
    // Split so that this test does not find itself.
    let words =
        [concat!("/wo", "rk/"), concat!(".lib", "rary"), concat!("crates", ".io/api"), concat!("static.crates", ".io")];
    let mut open = vec![root()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).expect("the folder can be listed") {
            let path = entry.expect("the entry can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // In a linked work tree `.git` is a file that names where the repository lies.
            if matches!(name.as_str(), "target" | ".git") {
                continue;
            }
            if path.is_dir() && !path.is_symlink() {
                open.push(path);
            } else {
                check_words(&path, &words);
            }
        }
    }
}

fn check_words(path: &Path, words: &[&str]) {
    let Ok(text) = fs::read_to_string(path) else { return };
    for word in words {
        assert!(!text.contains(word), "{} names {word}", path.display());
    }
}
