//! Reading a directory or memory as a tree.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::Mutex;

use git_docket::format::tree::{FileKind, Tree, TreeEntry};
use git_docket::store::Error;
use git_docket::store::dir::DirTree;
use git_docket::store::mem::MemTree;
use git_docket::store::write::remove_tree;
use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{scratch, skipped};

const LIMIT: u64 = 1 << 20;

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
    std::fs::write(path, text).expect("written");
}

fn listed(tree: &dyn Tree, dir: &str) -> Vec<(String, FileKind)> {
    tree.list(dir).expect("listed").into_iter().map(|entry| (entry.path, entry.kind)).collect()
}

fn row(path: &str, kind: FileKind) -> (String, FileKind) {
    (path.to_owned(), kind)
}

#[test]
fn a_directory_and_memory_read_alike() {
    let dir = scratch();
    let files = [("a", "1"), ("a-b/x", "22"), ("a.b", "333"), ("b/c/d", "4444"), ("b/c0", "")];
    for (path, text) in &files {
        write(&dir.path().join(path), text);
    }
    let on_disk = DirTree::open(dir.path()).expect("opened");
    let in_memory: MemTree = files.iter().map(|(path, text)| (path.to_string(), text.as_bytes().to_vec())).collect();
    for below in ["", "b", "b/c", "a", "nothing", "b/"] {
        let expected = if below.ends_with('/') { Vec::new() } else { listed(&in_memory, below) };
        assert_eq!(listed(&on_disk, below), expected, "{below:?}");
    }
    assert_eq!(listed(&on_disk, "").len(), files.len());
    for path in ["a", "b/c/d", "b/c0", "b", "b/c/", "nothing", "", "b/c/d/e"] {
        assert_eq!(on_disk.read(path, LIMIT).expect("read"), in_memory.read(path, LIMIT).expect("read"), "{path:?}");
    }
    for tree in [&on_disk as &dyn Tree, &in_memory] {
        assert_eq!(tree.read("b/c/d", 3).expect_err("too large").kind(), ErrorKind::FileTooLarge);
        assert_eq!(tree.read("b/c/d", 4).expect("read"), Some(b"4444".to_vec()));
    }
}

#[test]
fn what_is_no_file_is_listed_and_never_read() {
    let (dir, outside) = (scratch(), scratch());
    write(&outside.path().join("secret/file"), "secret");
    let at = |name: &str| dir.path().join(name);
    write(&at("plain/file"), "text");
    symlink(outside.path().join("secret/file"), at("link")).expect("linked");
    symlink(outside.path().join("secret"), at("linked-dir")).expect("linked");
    symlink("plain", at("inner")).expect("linked");
    symlink("nowhere", at("broken")).expect("linked");
    mknodat(CWD, at("pipe"), FileType::Fifo, Mode::RWXU, 0).expect("a pipe");
    let _socket = UnixListener::bind(at("socket")).expect("a socket");
    let device = mknodat(CWD, at("device"), FileType::CharacterDevice, Mode::RWXU, rustix::fs::makedev(1, 5)).is_ok();
    if !device {
        skipped("only root can make a device");
    }
    let tree = DirTree::open(dir.path()).expect("opened");
    let mut expected = vec![
        row("broken", FileKind::Symlink),
        row("device", FileKind::Special),
        row("inner", FileKind::Symlink),
        row("link", FileKind::Symlink),
        row("linked-dir", FileKind::Symlink),
        row("pipe", FileKind::Special),
        row("plain/file", FileKind::File),
        row("socket", FileKind::Special),
    ];
    expected.retain(|(path, _)| device || path != "device");
    assert_eq!(listed(&tree, ""), expected);
    assert_eq!(listed(&tree, "linked-dir"), []);
    assert_eq!(listed(&tree, "inner"), []);
    let outward = format!("../{}/secret/file", outside.path().file_name().expect("a name").display());
    let refused = ["link", "linked-dir/file", "inner/file", "broken", "pipe", "socket", "device", "plain", &outward];
    for path in refused.into_iter().chain(["plain/../plain/file", "./plain/file", "/etc/passwd", "plain/file\0"]) {
        assert_eq!(tree.read(path, LIMIT).expect("no error"), None, "{path:?}");
    }
    assert_eq!(tree.read("plain/file", LIMIT).expect("read"), Some(b"text".to_vec()));
}

#[test]
fn only_a_true_directory_is_a_root() {
    let dir = scratch();
    let at = |name: &str| dir.path().join(name);
    write(&at("real/file"), "text");
    symlink("real", at("link")).expect("linked");
    let refusal = |path: &Path| DirTree::open(path).expect_err("refused");
    for path in ["link", "link/", "link/.", "link//"] {
        let error = refusal(&at(path));
        assert!(matches!(error, Error::NotADirectory { found: "a symbolic link", .. }), "{path}: {error}");
        assert_eq!(error.code(), "store-invalid");
    }
    assert!(matches!(refusal(&at("real/file")), Error::NotADirectory { found: "a file", .. }));
    assert!(matches!(refusal(&at("nothing")), Error::Nothing { .. }));
    // A link above the root is the caller's own choice of path.
    std::fs::create_dir(at("real/sub")).expect("made");
    assert!(DirTree::open(&at("link/sub")).is_ok());
}

#[test]
fn an_open_root_stays_what_it_was() {
    let dir = scratch();
    let at = |name: &str| dir.path().join(name);
    write(&at("tree/file"), "ours");
    write(&at("other/file"), "theirs");
    let tree = DirTree::open(&at("tree")).expect("opened");
    std::fs::rename(at("tree"), at("moved")).expect("moved");
    symlink("other", at("tree")).expect("linked");
    assert_eq!(tree.read("file", LIMIT).expect("read"), Some(b"ours".to_vec()));
    assert_eq!(listed(&tree, ""), [row("file", FileKind::File)]);
}

#[test]
fn git_is_left_out_only_on_demand_and_odd_names_never() {
    let dir = scratch();
    write(&dir.path().join(".git/config"), "x");
    write(&dir.path().join("deep/.git/config"), "y");
    let odd: [&[u8]; 3] = [b"a\xffb", b"line\nbreak", b"back\\slash"];
    for name in odd {
        write(&dir.path().join(OsStr::from_bytes(name)).join("file"), "z");
    }
    let whole = DirTree::open(dir.path()).expect("opened");
    assert_eq!(listed(&whole, "")[0], row(".git/config", FileKind::File));
    assert_eq!(whole.read(".git/config", LIMIT).expect("read"), Some(b"x".to_vec()));
    let tree = whole.without_git();
    let paths: Vec<_> = listed(&tree, "").into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["a\u{fffd}b/file", "back\\slash/file", "deep/.git/config", "line\nbreak/file"]);
    assert_eq!(listed(&tree, ".git"), []);
    assert_eq!(tree.read(".git/config", LIMIT).expect("no error"), None);
    assert_eq!(tree.read("deep/.git/config", LIMIT).expect("read"), Some(b"y".to_vec()));

    let linked = scratch();
    write(&linked.path().join(".git"), "gitdir: elsewhere");
    assert_eq!(listed(&DirTree::open(linked.path()).expect("opened").without_git(), ""), []);
}

#[test]
fn depth_costs_no_open_files() {
    let dir = scratch();
    let mut handle = std::fs::File::open(dir.path()).expect("opened");
    for _ in 0..1500 {
        rustix::fs::mkdirat(&handle, "d", Mode::RWXU).expect("made");
        let flags = rustix::fs::OFlags::DIRECTORY;
        handle = rustix::fs::openat(&handle, "d", flags, Mode::empty()).expect("opened").into();
    }
    rustix::fs::symlinkat("/", &handle, "end").expect("linked");
    let tree = DirTree::open(dir.path()).expect("opened");
    assert_eq!(listed(&tree, ""), [row(&format!("{}end", "d/".repeat(1500)), FileKind::Symlink)]);
    remove_tree(&dir.path().join("d"), &git_docket::format::steps::Unhindered).expect("removed");
    assert_eq!(listed(&tree, ""), []);
}

/// A tree that is listed, and then read file by file.
struct OneByOne<'t>(&'t DirTree);

impl Tree for OneByOne<'_> {
    fn list(&self, dir: &str) -> io::Result<Vec<TreeEntry>> {
        self.0.list(dir)
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        self.0.read(path, limit)
    }
}

/// A path, what stands there, and its bytes, nothing, or the kind of error.
type Shown = (String, FileKind, Result<Option<Vec<u8>>, ErrorKind>);

/// What a tree shows when it is read whole, in the order of paths.
fn shown(tree: &dyn Tree, dir: &str, limit: u64) -> Vec<Shown> {
    let all = Mutex::new(Vec::new());
    tree.read_all(dir, limit, &|entry, read| {
        let read = read.map(|bytes| bytes.map(<[u8]>::to_vec)).map_err(|error| error.kind());
        all.lock().expect("no panic while it was held").push((entry.path.clone(), entry.kind, read));
    })
    .expect("listed");
    let mut all = all.into_inner().expect("no panic while it was held");
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

#[test]
fn reading_all_at_once_shows_what_reading_one_by_one_does() {
    const LARGE: usize = 300_000;
    let dir = scratch();
    let at = |name: &str| dir.path().join(name);
    for number in 0..40 {
        write(&at(&format!("many/{number}/file-{number}")), &"x".repeat(number * 7));
    }
    write(&at("empty"), "");
    write(&at("large"), &"y".repeat(LARGE));
    write(&at("buffer"), &"z".repeat(64 << 10));
    write(&at(".git/config"), "git's own");
    write(&at("a/.git/config"), "not git's own");
    write(&at(&format!("{}file", "deep/".repeat(40))), "far down");
    symlink("large", at("link")).expect("linked");
    symlink("many", at("linked-dir")).expect("linked");
    mknodat(CWD, at("pipe"), FileType::Fifo, Mode::RWXU, 0).expect("a pipe");
    let tree = DirTree::open(dir.path()).expect("opened").without_git();
    for (below, limit) in [("", LIMIT), ("", LARGE as u64), ("", 100), ("many", LIMIT), ("a", LIMIT), ("large", LIMIT)]
    {
        let expected = shown(&OneByOne(&tree), below, limit);
        assert_eq!(shown(&tree, below, limit), expected, "{below:?} up to {limit}");
        assert_eq!(expected.len(), tree.list(below).expect("listed").len());
    }
    let large = |limit| shown(&tree, "", limit).into_iter().find(|row| row.0 == "large").expect("shown").2;
    assert_eq!(large(LARGE as u64).map(|bytes| bytes.map_or(0, |bytes| bytes.len())), Ok(LARGE));
    assert_eq!(large(LARGE as u64 - 1), Err(ErrorKind::FileTooLarge));
}
