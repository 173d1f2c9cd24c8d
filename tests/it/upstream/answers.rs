//! Known answers: the bytes that the text of the layout works out by hand.

use std::collections::{BTreeMap, BTreeSet};

use git_docket::format::digest::Digest;
use git_docket::format::upstream::{
    AccountKind, Actor, Actors, Bounds, Collection, Document, Entity, File, FileRole, Filtering, Forge, Gap, GapCode,
    Index, Kind, LogSelection, Permission, Record, RecordKind, Reviews, Runs, Scope, Selection, Source, SourceKind,
    Stamp, State, Status, Subject, ThreadStates, is_forge_id, is_git_oid, is_host, is_repository, is_repository_path,
    record_file, record_path, views,
};

fn source() -> Source {
    Source {
        forge: Forge::GitHub,
        host: "github.com".to_owned(),
        repository_id: "R_kgDOExample".to_owned(),
        repository: "acme/widget".to_owned(),
    }
}

fn stamp(text: &str) -> Stamp {
    Stamp::read(text).expect("a time")
}

fn collection() -> Collection {
    Collection {
        entity_kind: Kind::WorkItem,
        sources: BTreeSet::from([SourceKind::AgentRuns, SourceKind::Comments, SourceKind::Entity]),
        record_selection: Selection::Newest,
        log_selection: LogSelection::None,
        bounds: Bounds {
            records_per_source: 200,
            source_bytes: 1_048_576,
            record_bytes: 65_536,
            log_bytes: 262_144,
            string_bytes: 1024,
            labels: 50,
        },
    }
}

fn entity() -> Entity {
    Entity {
        kind: Kind::WorkItem,
        id: "I_kwDOExample".to_owned(),
        number: 42,
        title: "Crash on start".to_owned(),
        state: State::Open,
        author_id: Some("U_kgDOAlice".to_owned()),
        author: Some("alice".to_owned()),
        created_at: stamp("2026-09-08T10:00:00.000000000Z"),
        updated_at: stamp("2026-09-08T10:15:30.000000000Z"),
        labels: vec!["bug".to_owned()],
    }
}

fn actors() -> Actors {
    let human = |id: &str, login: &str, role| Actor {
        id: id.to_owned(),
        kind: AccountKind::Human,
        login: Some(login.to_owned()),
        role: Some(role),
        role_verified: true,
    };
    Actors(vec![human("U_kgDOAlice", "alice", Permission::None), human("U_kgDOBob", "bob", Permission::Write)])
}

fn record(kind: RecordKind, id: &str, at: &Stamp, author: (&str, &str)) -> Record {
    Record {
        kind,
        id: id.to_owned(),
        key: source().record_key(kind, id),
        created_at: at.clone(),
        updated_at: None,
        author: Some((Some(author.0.to_owned()), Some(author.1.to_owned()))),
        filter: Filtering::default(),
        has_log: false,
    }
}

#[test]
fn the_worked_example_has_its_bytes() {
    let (entity_at, comment_at) = (entity().created_at, stamp("2026-09-08T10:15:30.000000000Z"));
    let records = vec![
        record(RecordKind::Entity, "I_kwDOExample", &entity_at, ("U_kgDOAlice", "alice")),
        record(RecordKind::Comment, "IC_kwDOExample", &comment_at, ("U_kgDOBob", "bob")),
    ];
    let (reviews, threads) = (Reviews::default(), ThreadStates::default());
    let body = |record: &Record, text: &str| {
        let author = record.author.as_ref().and_then(|(id, _)| id.as_deref());
        record_file(record.kind, &record.id, author, &record.created_at, text.as_bytes())
    };
    let path = |record: &Record| record_path(record.kind, &record.created_at, &record.key);
    let mut files: BTreeMap<String, (FileRole, Vec<u8>)> = BTreeMap::from([
        ("collection.json".to_owned(), (FileRole::Collection, collection().to_bytes())),
        ("entity/metadata.json".to_owned(), (FileRole::EntityMetadata, entity().to_bytes())),
        ("history/agent-runs.json".to_owned(), (FileRole::AgentRuns, Runs::default().to_bytes())),
        (path(&records[0]), (FileRole::EntityRecord, body(&records[0], "It crashes.\n"))),
        (path(&records[1]), (FileRole::CommentRecord, body(&records[1], "Confirmed on main.\n"))),
        ("relations/reviews.json".to_owned(), (FileRole::Reviews, reviews.to_bytes())),
        ("state/actors.json".to_owned(), (FileRole::ActorState, actors().to_bytes())),
        ("state/threads.json".to_owned(), (FileRole::ThreadState, threads.to_bytes())),
    ]);
    files.extend(views(&records, &reviews, &threads));
    let row = |(path, (role, bytes)): (&String, &(FileRole, Vec<u8>))| File {
        path: path.clone(),
        role: *role,
        media_type: role.media_type().to_owned(),
        bytes: bytes.len() as u64,
        sha256: Digest::of(bytes),
        filter: role.is_filtered().then(Filtering::default),
    };
    let index = Index {
        filter_version: "example-1".to_owned(),
        collection_profile: Digest::of(&collection().to_bytes()),
        filter: Filtering::default(),
        source: source(),
        entity: Subject { kind: Kind::WorkItem, id: "I_kwDOExample".to_owned(), updated_at: Some(comment_at) },
        files: files.iter().map(row).collect(),
        records,
        gaps: vec![Gap { scope: Scope::Comments, code: GapCode::AuthorizationFailed, count: 1 }],
    };
    let mut found: Vec<_> =
        files.iter().map(|(path, (_, bytes))| (path.as_str(), bytes.len(), Digest::of(bytes).hex())).collect();
    let bytes = index.to_bytes();
    found.push(("index.json", bytes.len(), Digest::of(&bytes).hex()));
    let expected = [
        ("collection.json", 302, "fc7b7b0421ad83a78296ae0ec6b2ac1dbf37de02a6e5a3ec37000aea57d7650e"),
        ("entity/metadata.json", 245, "a6eb66fbe45b12750d31a016fa002f335d01927b4785a8dde943e01e396b4321"),
        ("history/agent-runs.json", 11, "6f23bb10da82b8a196d50cdfbe0a86f583cc4df842d62052e624fb9b14bd5c90"),
        (
            "records/00000000T000000000000000Z-4b7ddc2842e1feca8011349db3c9f81080b3479faf9ffa1cdc3b7182c78f6bce.md",
            136,
            "72033270e79f2f3539d2c816a9b88d59fb0bbeecba58177457c373b7f9e29ff8",
        ),
        (
            "records/20260908T101530000000000Z-c73645a72a9c5de28d71e3e1efe235b9a5d02ee6dfe7dc0ef06cf3d0e5ee3421.md",
            143,
            "1f308c45363e449a4ce390da0c4a462deb191efe337d639ce9ac6bfc2e527d50",
        ),
        ("relations/reviews.json", 27, "7af873f074f9f31448b8a1c114dc58e20975617647aa16f478db9544daf35c10"),
        ("state/actors.json", 183, "1c5323e100bf2e61e2739061906ddeb9095cffbfceae5d8c93f4aa7f6267f6c4"),
        ("state/threads.json", 14, "fb07c9eca1ff0193819d488f8afca383cf21538be80c39f28276d3f387c0d81b"),
        ("views/timeline.order", 204, "d4520508a0aa7577f8192ea3e2fec5a71912d33432d69ab0ce1a2abee6a7657d"),
        ("views/unresolved-review.order", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("index.json", 3320, "5263bfdcf1210b5261968a2a13fb011f4c232c5d8713bfde344a35b8c483854f"),
    ];
    let found: Vec<_> = found.iter().map(|(path, size, digest)| (*path, *size, digest.as_str())).collect();
    assert_eq!(found, expected);
    let again = Index::from_json(&git_docket::format::json::parse(&bytes).expect("JSON")).expect("an index");
    assert_eq!(again, index);
    // The whole of it is what the verifier calls sound, but for the filter that it does not know.
    let mut tree: BTreeMap<_, _> = files.into_iter().map(|(path, (_, bytes))| (path, bytes)).collect();
    tree.insert("index.json".to_owned(), bytes);
    let tree: git_docket::store::mem::MemTree = tree.into_iter().collect();
    let report = git_docket::ops::verify::verify(&tree, &Default::default()).expect("checked");
    assert!(report.verified, "{:?}", report.findings);
    assert!(report.notes.iter().any(|note| note.code.as_str() == "filter-unknown"), "{:?}", report.notes);
}

#[test]
fn times_have_nine_digits_and_their_keys_sort() {
    let of = |text: &str| text.parse().ok().and_then(Stamp::of).map(|stamp| stamp.as_str().to_owned());
    assert_eq!(of("2026-01-02T03:04:05Z").as_deref(), Some("2026-01-02T03:04:05.000000000Z"));
    assert_eq!(of("2026-01-02T03:04:05.1+01:00").as_deref(), Some("2026-01-02T02:04:05.100000000Z"));
    assert_eq!(of("0000-01-01T00:00:00Z").as_deref(), Some("0000-01-01T00:00:00.000000000Z"));
    assert_eq!(stamp("2026-09-08T10:15:30.000000000Z").order_key(), "20260908T101530000000000Z");
    for refused in ["2026-02-30T00:00:00.000000000Z", "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.00000000Z", "x"] {
        assert!(Stamp::read(refused).is_none(), "{refused}");
    }
    assert!(stamp("2026-01-02T03:04:05.999999999Z").order_key() < stamp("2026-01-02T03:04:06.000000000Z").order_key());
}

#[test]
fn alphabets_are_those_of_the_text() {
    let yes_no = |fits: fn(&str) -> bool, yes: &[&str], no: &[&str]| {
        yes.iter().for_each(|text| assert!(fits(text), "{text}"));
        no.iter().for_each(|text| assert!(!fits(text), "{text}"));
    };
    yes_no(
        is_host,
        &["github.com", "localhost", "git.example.org:8443", "127.0.0.1:3000", "a.b:65535"],
        &[
            "",
            "GitHub.com",
            "a..b",
            "-a.org",
            "a-.org",
            "a.org:443",
            "a.org:0",
            "a.org:65536",
            "a.org:08",
            "https://a",
            "a/b",
        ],
    );
    yes_no(
        is_repository_path,
        &["src/a.rs", "a b", "app/[id]/page.tsx", "x,y;z=1"],
        &["", "/a", "a/", "a//b", "a/../b", "./a", "ä.rs", "it's", "a%20b", "a\\b", "a\nb"],
    );
    yes_no(|id| is_forge_id(Forge::GitHub, id, false), &["R_kgDO-a=", "MDQ6VXNlcjE="], &["", "_a", "a.b", "a b", "é"]);
    yes_no(|id| is_forge_id(Forge::GitLab, id, false), &["1", "9007199254740993"], &["", "0", "01", "-1", "1.0", "a"]);
    yes_no(|id| is_forge_id(Forge::GitLab, id, true), &["6a9c1750b37d", "a.b:c-d_e"], &["", ".a", "a=b"]);
    yes_no(|id| is_forge_id(Forge::Forgejo, id, true), &["1"], &["0", "a1"]);
    yes_no(|name| is_repository(Forge::GitHub, name), &["acme/web.x_y-z"], &["acme", "Acme/web", "a/b/c", "/a", "a/"]);
    yes_no(
        |name| is_repository(Forge::GitLab, name),
        &["Acme/sub/Web", "a/ö"],
        &["acme", "a//b", "a/b%20", "a/b\u{200b}", "a/b\n"],
    );
    yes_no(is_git_oid, &[&"a".repeat(40), &"0".repeat(64)], &[&"A".repeat(40), &"a".repeat(41), ""]);
}

#[test]
fn what_never_started_and_what_a_profile_contradicts_are_no_documents() {
    let mut odd = collection();
    odd.sources.insert(SourceKind::Checks);
    assert!(odd.contradiction().is_some(), "a work item has no checks");
    odd.entity_kind = Kind::ChangeProposal;
    assert_eq!(odd.contradiction(), None);
    odd.log_selection = LogSelection::Failed;
    assert!(odd.contradiction().is_some(), "logs are not included");
    odd.sources.insert(SourceKind::CheckLogs);
    assert_eq!(odd.contradiction(), None);
    odd.sources.remove(&SourceKind::Checks);
    assert!(odd.contradiction().is_some(), "logs without checks");
    assert_eq!(Status::ALL.len(), 4);
}
