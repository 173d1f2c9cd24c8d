//! The life of a stage: made for a command, checked after it, removed with it, and swept when its run was killed.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::{arg, docket, report, scratch, testdata};

fn payloads() -> String {
    arg(&testdata("threads/acme-web-42")).to_owned()
}

/// `stage --out out … -- sh -c SCRIPT` in a directory.
fn wrapped(dir: &Path, more: &[&str], script: &str) -> Command {
    let mut command = docket(dir);
    command.args(["stage", "--from", &payloads(), "--out", "out"]).args(more).args(["--", "sh", "-c", script]);
    command.stdin(Stdio::null());
    command
}

fn run(dir: &Path, more: &[&str], script: &str) -> Output {
    wrapped(dir, more, script).output().expect("the program can be started")
}

/// Everything in a directory, hidden files too.
fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("listed").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<_> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_command_reads_the_stage_and_its_status_is_passed_on() {
    let dir = scratch();
    let script = r#"test "$DOCKET_CONTEXT_DIR" = "$FULLSEND_CONTEXT_DIR" && cat "$DOCKET_CONTEXT_DIR/index.json" | sha256sum
        echo "$DOCKET_INDEX_DIGEST"; exit 78"#;
    let output = run(dir.path(), &[], script);
    assert_eq!(output.status.code(), Some(78), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    let (sum, digest) = said.split_once('\n').expect("two lines");
    assert_eq!(format!("sha256:{}", sum.split(' ').next().expect("a sum")), digest.trim());
    assert!(names(dir.path()).is_empty(), "{:?}", names(dir.path()));
    for status in [0, 1, 2, 255] {
        assert_eq!(run(dir.path(), &[], &format!("exit {status}")).status.code(), Some(status));
    }
    assert_eq!(run(dir.path(), &["--seal"], "exit 5").status.code(), Some(5));
    assert!(names(dir.path()).is_empty());
}

#[test]
fn a_signal_that_ends_the_command_gives_the_status_that_shells_give() {
    let dir = scratch();
    let output = run(dir.path(), &["--json"], "kill -TERM $$");
    assert_eq!(output.status.code(), Some(143));
    let value: Value = serde_json::from_slice(&output.stdout).expect("one object");
    assert_eq!((&value["command"]["exit"], &value["command"]["signal"]), (&143.into(), &15.into()), "{value}");
    assert!(names(dir.path()).is_empty());
}

#[test]
fn with_json_stdout_is_ours_alone() {
    let dir = scratch();
    let output = run(dir.path(), &["--json"], "echo told");
    let value: Value = serde_json::from_slice(&output.stdout).expect("one object");
    assert_eq!(value["command"]["exit"], 0);
    assert!(text(&output.stderr).contains("told"));
}

#[test]
fn forge_tokens_stay_behind() {
    let dir = scratch();
    let secret = "v1.0123456789abcdef0123456789abcdef01234567";
    let mut command = wrapped(dir.path(), &["--json", "--pass-env", "GITLAB_TOKEN"], "env >&2");
    command.env_clear().env("PATH", std::env::var_os("PATH").expect("a path"));
    command
        .env("GITHUB_TOKEN", secret)
        .env("MINE", format!("Bearer {secret}"))
        .env("GITLAB_TOKEN", "kept-by-name-0123");
    // `x-access-token:ghp_0123456789abcdef` and the token above behind `user:`, as Basic has them; then a text without one.
    command.env("BASIC", "basic eC1hY2Nlc3MtdG9rZW46Z2hwXzAxMjM0NTY3ODlhYmNkZWY=");
    command.env("CODED", "dXNlcjp2MS4wMTIzNDU2Nzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3");
    command.env("PLAIN", "dXNlcjpub3RoaW5nIG9mIHRoZSBraW5k");
    command.env("OTHER", "ghp_0123456789").env("CI_JOB_TOKEN", "x").env("X", "x").env("INPUT_TOKEN", "");
    let output = command.output().expect("started");
    let env = text(&output.stderr);
    assert!(!env.contains(secret) && !env.contains("ghp_") && !env.contains("CI_JOB_TOKEN="), "{env}");
    assert!(
        env.contains("\nX=x\n") && env.contains("\nPLAIN=dXN") && env.contains("GITLAB_TOKEN=kept-by-name-0123"),
        "{env}"
    );
    let value: Value = serde_json::from_slice(&output.stdout).expect("one object");
    let removed: Vec<_> = value["command"]["removedVariables"].as_array().expect("a list").clone();
    assert_eq!(removed, ["BASIC", "CI_JOB_TOKEN", "CODED", "GITHUB_TOKEN", "INPUT_TOKEN", "MINE", "OTHER"]);
}

/// The names that a command was not given, when it was run with these variables.
fn removed(variables: &[&str], more: &[&str]) -> Vec<String> {
    let dir = scratch();
    let mut command = wrapped(dir.path(), &[&["--json"], more].concat(), "env >&2");
    command.env_clear().env("PATH", std::env::var_os("PATH").expect("a path"));
    command.envs(variables.iter().map(|name| (*name, "secret-value")));
    let output = command.output().expect("started");
    let value: Value = serde_json::from_slice(&output.stdout).expect("one object");
    let removed: Vec<String> = serde_json::from_value(value["command"]["removedVariables"].clone()).expect("names");
    let env = text(&output.stderr);
    for name in variables {
        assert_eq!(
            env.contains(&format!("{name}=secret-value\n")),
            !removed.iter().any(|taken| taken == name),
            "{name}: {env}"
        );
    }
    removed
}

#[test]
fn credentials_are_known_by_the_kind_of_their_names() {
    let taken = [
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
        "ACTIONS_ID_TOKEN_REQUEST_URL",
        "ACTIONS_RUNTIME_TOKEN",
        "API_TOKEN_V3",
        "APP_PRIVATE_KEY",
        "APP_PRIVATE_KEY_PATH",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        "CI_BUILD_TOKEN",
        "CI_DEPLOY_PASSWORD",
        "CI_JOB_JWT",
        "CI_JOB_JWT_V1",
        "CI_JOB_JWT_V2",
        "CI_JOB_TOKEN",
        "CI_REGISTRY_PASSWORD",
        "CI_REPOSITORY_URL",
        "CLIENT_SECRET",
        "DB_PASS",
        "DB_PASSWORD_2",
        "DB_PASSWORD_V10",
        "DEPLOY_KEY",
        "DEPLOY_KEY_V3",
        "DOCKER_AUTH_CONFIG",
        "FORGEJO_API_TOKEN",
        "FULLSEND_GCP_OIDC_AUTH_FILE",
        "FULLSEND_GCP_OIDC_URL",
        "GH_ENTERPRISE_TOKEN",
        "GH_PAT",
        "GITEA_PAT",
        "GITEA_SERVER_TOKEN",
        "GITHUB_API_KEY",
        "GITHUB_APP_PRIVATE_KEY_PEM",
        "GITHUB_AUTH",
        "GITHUB_TOKEN",
        "GITLAB_PAT",
        "GITLAB_TOKEN2",
        "GIT_ASKPASS",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GL_TOKEN",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GOOGLE_CREDENTIALS",
        "INPUT_GITHUB-TOKEN",
        "JOB_TOKEN",
        "MODEL_TOKEN",
        "MYSQL_PWD",
        "MY_SECRET2",
        "MY_TOKENS",
        "NETRC",
        "NODE_AUTH_TOKEN",
        "NPM_CONFIG__AUTH",
        "NPM_TOKEN",
        "PGPASSWORD",
        "RELEASE_PAT",
        "SECRET_KEY_BASE",
        "SSH_AGENT_PID",
        "SSH_ASKPASS",
        "SSH_AUTH_SOCK",
        "SSH_KEY",
        "SYSTEM_ACCESSTOKEN",
        "TOKEN",
        "TOKEN1",
        "TOKEN_FILE2",
        "TOKEN_GITHUB",
        "VAULT_PASSPHRASE",
        "github_token",
        "npm_config_//registry.example.org/:_authToken",
    ];
    assert_eq!(removed(&taken, &[]), taken);
    let kept = [
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_API_KEY_2",
        "BUILD_V3",
        "CI_COMMIT_SHA",
        "COMPAT",
        "FILE",
        "GITHUB_EVENT_PATH",
        "GITHUB_PATH",
        "GITHUB_RUN_ID",
        "ID",
        "KEY",
        "KEYBOARD",
        "MAX_TOKENS",
        "OPENAI_API_KEY",
        "PASSWORD_STORE_DIR",
        "PUBLIC_KEY",
        "SECRETS_DIR",
        "SSH_CONNECTION",
    ];
    assert_eq!(removed(&kept, &[]), [""; 0]);
    let passed = ["--pass-env", "MODEL_TOKEN", "--pass-env", "AWS_SESSION_TOKEN"];
    assert_eq!(removed(&["AWS_SESSION_TOKEN", "GH_TOKEN", "MODEL_TOKEN"], &passed), ["GH_TOKEN"]);
}

#[test]
fn what_the_filter_knows_as_a_secret_stays_behind_under_any_name() {
    let dir = scratch();
    let mut command = wrapped(dir.path(), &["--json"], "env >&2");
    command.env_clear().env("PATH", std::env::var_os("PATH").expect("a path"));
    let lines = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n".repeat(4);
    command.env("PLAIN_NAME", format!("-----BEGIN PRIVATE KEY-----\n{lines}-----END PRIVATE KEY-----\n"));
    command.env(
        "NOTIFY",
        format!("https://hooks.slack.com/services/T0{}/B0{}/{}", "1".repeat(8), "2".repeat(8), "a1B2".repeat(6)),
    );
    // With these a command calls its model, and this says how much of it.
    command
        .env("MY_MODEL", format!("sk-ant-{}", "a1B2".repeat(8)))
        .env("ANTHROPIC_API_KEY", format!("sk-ant-{}", "c3D4".repeat(8)));
    command.env("OUTPUT_TOKENS", "32000").env("PWD", arg(dir.path()));
    let output = command.output().expect("started");
    let value: Value = serde_json::from_slice(&output.stdout).expect("one object");
    assert_eq!(value["command"]["removedVariables"], serde_json::json!(["NOTIFY", "PLAIN_NAME"]));
    assert!(text(&output.stderr).contains("ANTHROPIC_API_KEY=sk-ant-"));
}

#[test]
fn what_was_taken_is_said_and_a_path_is_no_secret() {
    let dir = scratch();
    let home = arg(dir.path());
    let mut command = wrapped(dir.path(), &[], "env");
    // Where a secret lies stands in other values too, and those stay.
    command.env("WORK_TOKEN_FILE", home).env("WORK", format!("{home}/sub")).env("GH_TOKEN", "opaque");
    let output = command.output().expect("started");
    let (env, said) = (text(&output.stdout), text(&output.stderr));
    assert!(env.contains(&format!("WORK={home}/sub\n")) && !env.contains("opaque"), "{env}");
    let told = "not in the command's environment: GH_TOKEN, WORK_TOKEN_FILE (--pass-env NAME)";
    assert!(said.lines().any(|line| line.ends_with(told)), "{said}");
}

#[test]
fn an_address_with_a_password_and_a_copy_of_a_short_token_stay_behind() {
    let dir = scratch();
    let mut command = wrapped(dir.path(), &["--json"], "env >&2");
    command.env_clear().env("PATH", std::env::var_os("PATH").expect("a path"));
    command.env("MY_TOKEN", "tok1").env("COPY", "tok1").env("NEAR", "tok12");
    // Words and numbers are those of many.
    command.env("A_SECRET", "true").env("CI", "true").env("A_PASSWORD", "1234").env("YEAR", "1234");
    command
        .env("GOPROXY", "https://user:word@proxy.example,direct")
        .env("PLAIN", "https://user@proxy.example:80/a:b@c");
    let output = command.output().expect("started");
    let env = text(&output.stderr);
    for kept in ["NEAR=tok12", "CI=true", "YEAR=1234", "PLAIN=https://user@proxy.example:80/a:b@c"] {
        assert!(env.contains(&format!("{kept}\n")), "{kept}: {env}");
    }
    let value: Value = serde_json::from_slice(&output.stdout).expect("one object");
    let removed = ["A_PASSWORD", "A_SECRET", "COPY", "GOPROXY", "MY_TOKEN"];
    assert_eq!(value["command"]["removedVariables"], serde_json::json!(removed));
}

#[test]
fn a_header_of_git_stays_behind_and_its_configuration_holds() {
    let dir = scratch();
    let mut command = wrapped(dir.path(), &["--json"], "git config --get a.b >&2; git config --get c.d >&2; env >&2");
    command.env("GIT_CONFIG_COUNT", "3").env("GIT_CONFIG_KEY_0", "a.b").env("GIT_CONFIG_VALUE_0", "first-stays");
    command.env("GIT_CONFIG_KEY_1", "http.https://github.com/.extraheader");
    command.env("GIT_CONFIG_VALUE_1", "AUTHORIZATION: basic b3BhcXVl");
    command.env("GIT_CONFIG_KEY_2", "c.d").env("GIT_CONFIG_VALUE_2", "last-stays");
    let output = command.output().expect("started");
    let env = text(&output.stderr);
    assert!(env.contains("first-stays\nlast-stays\n") && !env.contains("b3BhcXVl"), "{env}");
}

#[test]
fn what_makes_git_act_as_its_caller_stays_behind() {
    let run = |pairs: &[(&str, &str)]| {
        let dir = scratch();
        let mut command = wrapped(dir.path(), &[], "git config --get stays.here; env");
        let all = [&[("stays.here", "it-stays")], pairs].concat();
        command.env("GIT_CONFIG_COUNT", all.len().to_string());
        for (at, (key, value)) in all.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{at}"), key).env(format!("GIT_CONFIG_VALUE_{at}"), value);
        }
        let output = command.output().expect("started");
        let env = text(&output.stdout);
        assert!(env.starts_with("it-stays\n"), "{pairs:?}: {env}{}", text(&output.stderr));
        env
    };
    for (key, value) in [
        ("http.https://gitlab.example.org/.extraHeader", "opaque-value"),
        ("http.extraheader", "opaque-value"),
        ("credential.helper", "!opaque-value"),
        ("credential.https://example.org.username", "opaque-value"),
        ("core.askPass", "/opaque-value"),
        ("core.sshCommand", "ssh -i /opaque-value"),
        ("url.https://oauth2:opaque-value@example.org/.insteadOf", "https://example.org/"),
        ("remote.origin.url", "https://oauth2:opaque-value@example.org/a/b"),
    ] {
        assert!(!run(&[(key, value)]).contains("opaque-value"), "{key}");
    }
    assert!(run(&[("user.name", "opaque-value")]).contains("opaque-value"));
    let dir = scratch();
    let mut command = wrapped(dir.path(), &[], "env");
    command.env("GIT_CONFIG_PARAMETERS", "'http.extraheader=AUTHORIZATION: basic opaque'");
    assert!(!text(&command.output().expect("started").stdout).contains("opaque"));
}

#[test]
fn a_stage_that_the_command_altered_is_told_and_gone() {
    let alter = [
        ("echo more >> \"$DOCKET_CONTEXT_DIR/body.md\"", "size-differs"),
        ("touch \"$DOCKET_CONTEXT_DIR/extra\"", "file-extra"),
        ("rm \"$DOCKET_CONTEXT_DIR/body.md\"", "file-missing"),
        ("echo {} > \"$DOCKET_CONTEXT_DIR/index.json\"", "index-"),
        ("ln -s / \"$DOCKET_CONTEXT_DIR/link\"", "file-extra"),
        ("chmod 0500 \"$DOCKET_CONTEXT_DIR\"; touch \"$DOCKET_CONTEXT_DIR/../x\"", ""),
    ];
    for (script, finding) in alter {
        let dir = scratch();
        let output = run(dir.path(), &["--json"], script);
        let value: Value = serde_json::from_slice(&output.stdout).expect("one object");
        if finding.is_empty() {
            assert_eq!(
                (output.status.code(), names(dir.path())),
                (Some(0), vec!["x".to_owned()]),
                "modes are no findings"
            );
            continue;
        }
        assert_eq!((output.status.code(), &value["error"]["code"]), (Some(2), &"stage-altered".into()), "{value}");
        assert!(
            value["error"]["message"].as_str().is_some_and(|message| message.contains(finding)),
            "{script}: {value}"
        );
        assert!(names(dir.path()).is_empty(), "{script}: {:?}", names(dir.path()));
    }
}

/// Root may read and enter everything, so that what a directory bars its owner from is tried as another user where that is possible.
fn as_a_plain_user(dir: &Path, mut command: Command) -> Command {
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(dir, Some(12345), Some(12345)).expect("given away");
        command.uid(12345).gid(12345);
    }
    command
}

#[test]
fn what_the_command_barred_itself_from_is_gone() {
    let bar = [
        "mkdir -p $DOCKET_CONTEXT_DIR/a/b/c; touch $DOCKET_CONTEXT_DIR/a/b/c/x; chmod 000 $DOCKET_CONTEXT_DIR/a/b/c $DOCKET_CONTEXT_DIR/a/b",
        "chmod 000 $DOCKET_CONTEXT_DIR",
        "mkdir $DOCKET_CONTEXT_DIR/a; ln -s ../../other $DOCKET_CONTEXT_DIR/a/link; chmod 500 $DOCKET_CONTEXT_DIR/a $DOCKET_CONTEXT_DIR",
    ];
    for script in bar {
        let dir = scratch();
        fs::create_dir(dir.path().join("other")).expect("made");
        fs::set_permissions(dir.path().join("other"), fs::Permissions::from_mode(0o500)).expect("set");
        let output = as_a_plain_user(dir.path(), wrapped(dir.path(), &["--json"], script)).output().expect("started");
        let value: Value = serde_json::from_slice(&output.stdout).expect("one object");
        assert_eq!((output.status.code(), &value["error"]["code"]), (Some(2), &"stage-altered".into()), "{value}");
        assert_eq!(names(dir.path()), ["other"], "{script}");
        let mode = fs::metadata(dir.path().join("other")).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o500, "what a link leads to is left alone");
    }
}

#[test]
fn directories_deeper_than_any_path_are_gone() {
    let dir = scratch();
    // Three times 1,980 bytes, one in the other, beside names that the removal would choose itself.
    let deep = r#"cd "$DOCKET_CONTEXT_DIR" && p=nine-char; for i in 1 2 3; do p=$p/$p/$p/$p/$p/$p; done
        p=$(printf %.1979s "$p") && mkdir $(seq -f deep-%g 0 300) && mkdir -p "a/$p" "b/$p" "c/$p" && touch "a/$p/x" && mv a "b/$p/a" && mv b "c/$p/b""#;
    let output = run(dir.path(), &["--json"], deep);
    let value: Value = serde_json::from_slice(&output.stdout).expect("one object");
    assert_eq!((output.status.code(), &value["error"]["code"]), (Some(2), &"stage-altered".into()), "{value}");
    assert!(names(dir.path()).is_empty(), "{:?}", names(dir.path()));
}

#[test]
fn another_directory_in_the_place_of_the_stage_is_not_removed() {
    let dir = scratch();
    let output = run(
        dir.path(),
        &["--json"],
        "mv \"$DOCKET_CONTEXT_DIR\" moved; mkdir \"$DOCKET_CONTEXT_DIR\"; \
        touch \"$DOCKET_CONTEXT_DIR/mine\"",
    );
    let value: Value = serde_json::from_slice(&output.stdout).expect("one object");
    assert_eq!((output.status.code(), &value["error"]["code"]), (Some(2), &"stage-altered".into()), "{value}");
    assert!(dir.path().join("out/mine").exists());
}

#[test]
fn time_runs_out() {
    let dir = scratch();
    let output = run(dir.path(), &["--json", "--timeout", "300ms"], "echo started >&2; exec sleep 1000");
    let value: Value = serde_json::from_slice(&output.stdout).expect("one object");
    assert_eq!((output.status.code(), &value["error"]["code"]), (Some(2), &"command-timeout".into()), "{value}");
    assert!(names(dir.path()).is_empty());
}

#[test]
fn what_cannot_be_started_leaves_nothing() {
    let dir = scratch();
    let (status, value) =
        report(dir.path(), &["stage", "--from", &payloads(), "--out", "out", "--", "./no-such-program"]);
    assert_eq!((status, &value["error"]["code"]), (2, &"command-not-started".into()), "{value}");
    assert!(names(dir.path()).is_empty());
}

#[test]
fn a_stage_that_lacks_what_is_required_is_not_run() {
    let dir = scratch();
    let output = run(dir.path(), &["--partial", "--require", "comments"], "touch ran");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(names(dir.path()).is_empty(), "{:?}", names(dir.path()));
    let told = text(&output.stderr);
    assert!(told.contains("the command was not run") && !told.contains("sha256:"), "what is gone is not named: {told}");
    assert!(output.stdout.is_empty());
}

#[test]
fn scavenge_says_that_there_is_nothing_to_look_in() {
    let dir = scratch();
    let (status, value) = report(dir.path(), &["scavenge", "--root", "not-there"]);
    assert_eq!((status, &value["error"]["code"]), (2, &"input-unreadable".into()), "{value}");
}

#[test]
fn a_target_of_somebody_else_is_neither_used_nor_removed() {
    let dir = scratch();
    fs::create_dir(dir.path().join("out")).expect("made");
    fs::write(dir.path().join("out/mine"), "mine").expect("written");
    for more in [&[][..], &["--replace"][..]] {
        assert_eq!(run(dir.path(), more, "touch ran").status.code(), Some(2));
        assert_eq!(names(dir.path()), ["out"]);
        assert_eq!(names(&dir.path().join("out")), ["mine"]);
    }
}

/// Starts a run whose command says that it is there and then waits for the end of its input.
fn waiting(dir: &Path, script: &str) -> Child {
    let mut child = wrapped(dir, &[], script);
    child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = child.spawn().expect("started");
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    stdout.read_line(&mut line).expect("the command says that it runs");
    assert_eq!(line, "here\n");
    child.stdout = Some(stdout.into_inner());
    child
}

fn send(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).expect("a pid")).expect("not zero");
    kill_process(pid, signal).expect("sent");
}

#[test]
fn signals_reach_the_command_and_the_stage_is_removed() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let dir = scratch();
        let mut child = waiting(dir.path(), "trap 'exit 9' INT TERM HUP; echo here; while :; do sleep 0.05; done");
        send(&child, signal);
        assert_eq!(child.wait().expect("ended").code(), Some(9), "{signal:?}");
        assert!(names(dir.path()).is_empty(), "{signal:?}: {:?}", names(dir.path()));
    }
}

/// From the signal on the command has its grace, whatever the deadline says.
#[test]
fn a_deadline_after_a_signal_takes_no_grace_away() {
    let dir = scratch();
    let script = "trap 'sleep 0.6; exit 9' HUP; echo here; while :; do sleep 0.05; done";
    let mut child = wrapped(dir.path(), &["--timeout", "400ms"], script);
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("started");
    let mut line = [0; 5];
    child.stdout.as_mut().expect("piped").read_exact(&mut line).expect("the command says that it runs");
    send(&child, Signal::HUP);
    assert_eq!(child.wait().expect("ended").code(), Some(9));
    assert!(names(dir.path()).is_empty(), "{:?}", names(dir.path()));
}

/// What the lease of a dead run removes is removed: by `clean` as by anybody else who takes the target.
#[test]
fn what_a_dead_run_left_is_cleaned() {
    let dir = scratch();
    let mut child = waiting(dir.path(), "echo here; exec cat");
    let (mut stdin, mut stdout) = (child.stdin.take(), child.stdout.take().expect("piped"));
    send(&child, Signal::KILL);
    assert_eq!(child.wait().expect("ended").signal(), Some(9));
    drop(stdin.take());
    stdout.read_to_end(&mut Vec::new()).expect("it ends with its input");
    // Its end is seen before the system has closed its files.
    let said = loop {
        let (status, said) = report(dir.path(), &["clean", "out"]);
        if said["error"]["code"] != "stage-in-use" {
            break (status, said);
        }
    };
    assert_eq!(said, (0, serde_json::json!({"dir": "out", "removed": true})));
    assert!(names(dir.path()).is_empty(), "{:?}", names(dir.path()));
    assert_eq!(report(dir.path(), &["clean", "out"]), (0, serde_json::json!({"dir": "out", "removed": false})));
}

#[test]
fn a_killed_run_is_swept_once_its_command_is_gone_too() {
    let dir = scratch();
    let mut child = waiting(dir.path(), "echo here; exec cat");
    let there = names(dir.path());
    assert_eq!(there.len(), 2, "a stage and its lease: {there:?}");
    let mode = fs::metadata(dir.path().join(&there[0])).expect("the lease").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let in_use = |dir: &Path| report(dir, &["scavenge", "--root", "."]).1["inUse"].clone();
    assert_eq!(in_use(dir.path()), 1);
    let (status, value) = report(dir.path(), &["clean", "out"]);
    assert_eq!((status, &value["error"]["code"]), (2, &"stage-in-use".into()));
    let other = run(dir.path(), &["--replace", "--json"], "true");
    assert!(text(&other.stdout).contains("stage-in-use"), "{}", text(&other.stdout));
    let (mut stdin, mut stdout) = (child.stdin.take(), child.stdout.take().expect("piped"));
    send(&child, Signal::KILL);
    assert_eq!(child.wait().expect("ended").signal(), Some(9));
    // The command lives on and still reads the stage.
    assert_eq!(in_use(dir.path()), 1);
    drop(stdin.take());
    stdout.read_to_end(&mut Vec::new()).expect("it ends with its input");
    // Its end is seen before the system has closed its files.
    while in_use(dir.path()) != 0 {}
    assert!(names(dir.path()).is_empty(), "{:?}", names(dir.path()));
}

#[test]
fn the_next_run_takes_over_from_a_dead_one() {
    let dir = scratch();
    let mut child = waiting(dir.path(), "echo here; exec sleep 0.2");
    send(&child, Signal::KILL);
    child.wait().expect("ended");
    let mut rest = Vec::new();
    child.stdout.take().expect("piped").read_to_end(&mut rest).expect("its command ends");
    let again = || run(dir.path(), &[], "exit 3").status.code();
    let mut last = again();
    while last == Some(2) {
        last = again();
    }
    assert_eq!(last, Some(3), "without --replace: what the dead run left was its own");
    assert!(names(dir.path()).is_empty());
}

#[test]
fn clean_removes_stages_and_nothing_else() {
    let dir = scratch();
    let at = |name: &str| dir.path().join(name);
    let stage = |more: &[&str]| {
        let from = payloads();
        let args = [&["stage", "--from", &from, "--out", "out"], more].concat();
        assert_eq!(report(dir.path(), &args).0, 0);
    };
    for more in [&[][..], &["--seal"][..]] {
        stage(more);
        let (status, value) = report(dir.path(), &["clean", "out/"]);
        assert_eq!((status, &value["removed"]), (0, &true.into()));
        assert_eq!(report(dir.path(), &["clean", "out"]).1["removed"], false, "it is gone already");
    }
    stage(&[]);
    fs::write(at("out/extra"), "x").expect("written");
    let refused = |name: &str| {
        let (status, value) = report(dir.path(), &["clean", name]);
        assert_eq!((status, &value["error"]["code"]), (2, &"target-not-a-stage".into()), "{name}: {value}");
    };
    refused("out");
    fs::create_dir(at("other")).expect("made");
    fs::write(at("file"), "x").expect("written");
    symlink("out", at("link")).expect("linked");
    ["other", "file", "link", "link/"].into_iter().for_each(refused);
    assert_eq!(report(dir.path(), &["clean", "--altered", "other"]).0, 2);
    assert_eq!(report(dir.path(), &["clean", "--altered", "out"]).0, 0);
    assert_eq!(names(dir.path()), ["file", "link", "other"]);
}

#[test]
fn scavenge_keeps_what_is_not_ours() {
    let dir = scratch();
    let at = |name: &str| dir.path().join(name);
    for name in
        [".docket-notes", ".docket-12-x", "put-1-1", ".docket-new-7-7", ".docket-new-7-8-old", ".docket-2026-11"]
    {
        fs::create_dir(at(name)).expect("made");
        fs::write(at(name).join("file"), "x").expect("written");
    }
    symlink(".docket-notes", at(".docket-new-9-9")).expect("linked");
    let lease = |name: &str| at(&format!(".docket-lease-{name}"));
    fs::write(lease("00000000000000000000000000000000"), r#"{"dir":".docket-notes","is":null}"#).expect("written");
    fs::write(lease("short"), "{}").expect("written");
    assert_eq!(report(dir.path(), &["stage", "--from", &payloads(), "--out", "kept"]).0, 0);
    let (status, value) = report(dir.path(), &["scavenge", "--root", "."]);
    assert_eq!((status, value["removed"].clone()), (0, serde_json::json!([".docket-new-7-7", ".docket-new-7-8-old"])));
    let kept = names(dir.path());
    assert_eq!(kept.len(), 8, "{kept:?}");
    assert!(kept.contains(&"kept".to_owned()));
}

/// A file system gives the number of a directory that is gone to the next one.
#[test]
fn a_stale_lease_means_its_own_directory_alone() {
    let dir = scratch();
    let mut child = waiting(dir.path(), "echo here; exec sleep 0.1");
    send(&child, Signal::KILL);
    child.wait().expect("ended");
    child.stdout.take().expect("piped").read_to_end(&mut Vec::new()).expect("its command ends");
    let out = dir.path().join("out");
    fs::remove_dir_all(&out).expect("removed");
    fs::create_dir(&out).expect("made");
    fs::write(out.join("precious"), "mine").expect("written");
    let (status, value) = report(dir.path(), &["clean", "out"]);
    assert_eq!(status, 2, "{value}");
    assert_eq!(run(dir.path(), &[], "true").status.code(), Some(2));
    assert_eq!(report(dir.path(), &["scavenge", "--root", "."]).1["removed"], serde_json::json!([]));
    assert!(out.join("precious").exists());
}
