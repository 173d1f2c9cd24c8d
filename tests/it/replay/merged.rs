//! Two stores that recorded the same stage, from other facts, merge by plain git, and either's facts give it.

use super::*;

#[test]
fn two_stores_with_the_same_stage_of_other_observations_merge_without_conflict() {
    let dir = scratch();
    let payloads = [payload("pull.json"), payload("comments.json")];
    let mut digests = Vec::new();
    for (store, at) in [("store", "2026-03-05T00:00:00Z"), ("other", "2026-03-06T00:00:00Z")] {
        done(dir.path(), &["init", store]);
        let mut args = vec!["--store", store, "stage", "--record", "--replace", "--out", "out", "--observed-at", at];
        args.push("--from");
        args.extend(payloads.iter().map(String::as_str));
        digests.push(done(dir.path(), &args)["indexDigest"].clone());
        let root = dir.path().join(store);
        // The next commit of facts takes records along.
        let committed = done(&root, &["observe", "--commit", "--observed-at", at, &payloads[0]]);
        assert!(committed["commit"].is_string(), "{committed}");
        let status = git(&root, &["status", "--porcelain"]);
        assert_eq!(String::from_utf8_lossy(&status.stdout), "");
    }
    assert_eq!(digests[0], digests[1]);
    let store = dir.path().join("store");
    checked(git(&store, &["fetch", "--quiet", "../other", "HEAD"]), "git fetch");
    checked(git(&store, &["merge", "--quiet", "--no-edit", "FETCH_HEAD"]), "git merge");
    let digest = digests[0].as_str().expect("a digest");
    let lists = fs::read_dir(store.join("stages").join(&digest[7..])).expect("the lists").count();
    assert_eq!(lists, 2);
    assert_eq!(done(dir.path(), &["verify", "store"])["verified"], true);
    same(dir.path(), digest, &[]);
    // The facts of one machine are enough.
    for path in observations(dir.path()).iter().filter(|path| arg(path).contains("/20260305T000000Z-")) {
        fs::remove_file(path).expect("removed");
    }
    same(dir.path(), digest, &[]);
    for path in observations(dir.path()) {
        fs::remove_file(path).expect("removed");
    }
    fs::remove_dir_all(dir.path().join("again")).expect("removed");
    refused(dir.path(), digest, "fact-missing");
}
