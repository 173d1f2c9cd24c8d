//! The recipes of the cookbook and the action, run step by step as a runner runs them: real bash, real git, the built program,
//! and a `gh` that answers from the recorded thread.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{arg, checked, files, git, project, scratch, testdata};

/// A step as its YAML has it. Only what the recipes use is read: `run`, `env`, `id`, `working-directory`, `if`.
#[derive(Debug, Default)]
struct Step {
    id: String,
    dir: String,
    run: String,
    env: Vec<(String, String)>,
}

/// The steps of a job: items of the list at the indentation of its first one.
fn steps(yaml: &str) -> Vec<Step> {
    let lines: Vec<&str> = yaml.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let start = lines.iter().position(|line| line.trim() == "steps:").map_or(0, |at| at + 1);
    let at = indent(lines[start]);
    let mut found: Vec<Step> = Vec::new();
    let mut rest = lines[start..].iter().peekable();
    while let Some(line) = rest.next() {
        if indent(line) == at && line.trim().starts_with("- ") {
            found.push(Step::default());
        }
        let Some(step) = found.last_mut() else { continue };
        let Some((name, value)) = line.trim().trim_start_matches("- ").split_once(':') else { continue };
        let mut below = Vec::new();
        if matches!(value.trim(), "" | "|") {
            while rest.peek().is_some_and(|next| next.trim().is_empty() || indent(next) > at + 2) {
                below.extend(rest.next());
            }
        }
        match name {
            "id" => step.id = value.trim().to_owned(),
            "working-directory" => step.dir = value.trim().to_owned(),
            "run" if value.trim() == "|" => {
                let depth = indent(below[0]);
                let lines: Vec<_> = below.iter().map(|line| line.get(depth..).unwrap_or("")).collect();
                step.run = lines.join("\n");
            }
            "run" => step.run = value.trim().to_owned(),
            "env" => {
                let pair =
                    |line: &&&str| line.trim().split_once(": ").map(|(n, v)| (n.to_owned(), v.trim().to_owned()));
                step.env = below.iter().filter_map(|line| pair(&line)).collect();
            }
            _ => {}
        }
    }
    found.retain(|step| !step.run.is_empty());
    found
}

/// The fenced blocks of a language below a heading of the cookbook.
fn blocks(heading: &str, language: &str) -> Vec<String> {
    let text = fs::read_to_string(project("docs/cookbook.md")).expect("the cookbook");
    let section = text.split("\n## ").find(|section| section.starts_with(heading)).expect("the section");
    let fence = format!("```{language}\n");
    section.split(&fence).skip(1).filter_map(|block| block.split("\n```").next()).map(str::to_owned).collect()
}

/// A runner with its files.
struct Runner {
    home: tempfile::TempDir,
    /// What `${{ … }}` stands for.
    context: BTreeMap<String, String>,
    /// Which lists the forge answers with nothing: that of a night's changes (`nights`), or those of an entity (`lists`).
    empty: &'static str,
}

/// The commands of a list of a GitLab job: a plain scalar goes on in lines that are indented further.
fn script(yaml: &str, list: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let lines = yaml.lines().skip_while(|line| line.trim() != format!("{list}:")).skip(1);
    for line in lines.take_while(|line| line.starts_with("    ")) {
        match line.trim().strip_prefix("- ") {
            Some(command) if line.starts_with("    - ") => found.push(command.to_owned()),
            _ => found.last_mut().expect("a command before").push_str(&format!(" {}", line.trim())),
        }
    }
    found
}

const GLAB: &str = r#"#!/bin/bash
set -eu
path="${!#}"
case "$EMPTY:$path" in
  nights:*'merge_requests?'* | lists:*/[a-z_]*'?per_page='*) echo '[]' ;;
  *'merge_requests?'*) jq '[.]' "$THREAD/merge_request.json" ;;
  */discussions*) cat "$THREAD/discussions.json" ;;
  */commits*) cat "$THREAD/commits.json" ;;
  */pipelines*) cat "$THREAD/pipelines.json" ;;
  */resource_state_events*) cat "$THREAD/state_events.json" ;;
  */resource_label_events*) cat "$THREAD/label_events.json" ;;
  */changes) cat "$THREAD/changes.json" ;;
  */approvals) cat "$THREAD/approvals.json" ;;
  */merge_requests/7) cat "$THREAD/merge_request.json" ;;
  *) echo "no answer for $path" >&2; exit 1 ;;
esac
"#;

const GH: &str = r#"#!/bin/bash
set -eu -o pipefail
slurp= path=
shift
for word; do
  case "$word" in --slurp) slurp=1 ;; --paginate) ;; *) path="$word" ;; esac
done
path="${path#repos/acme/web/}"
path="${path#projects/acme%2Fweb/}"
case "$EMPTY:$path" in
  nights:issues\?* | lists:*/*per_page=*) echo '[]'; path=- ;;
esac
case "$path" in
  -) ;;
  pulls/42) cat "$THREAD/pull.json" ;;
  issues\?*) jq '[{id, node_id, number, title, body, state, user, labels, created_at, updated_at, html_url, url: .issue_url, pull_request: {url}}]' "$THREAD/pull.json" ;;
  issues/42/comments*) cat "$THREAD/comments.json" ;;
  issues/42/timeline*) cat "$THREAD/timeline.json" ;;
  issues/42/labels*) jq .labels "$THREAD/pull.json" ;;
  issues/42/reactions*) cat "$THREAD/reactions.json" ;;
  pulls/42/reviews*) cat "$THREAD/reviews.json" ;;
  pulls/42/comments*) cat "$THREAD/review-comments.json" ;;
  pulls/42/files*) cat "$THREAD/files.json" ;;
  pulls/42/commits*) cat "$THREAD/commits.json" ;;
  commits/*/check-runs*) cat "$THREAD/check-runs.json" ;;
  collaborators/mira/permission) echo '{"permission":"write","role_name":"write","user":{"login":"mira","id":4101,"type":"User"}}' ;;
  collaborators/*) echo '{"message":"Not Found","status":"404","documentation_url":"https://docs.github.com/rest"}'; exit 1 ;;
  *) echo "no answer for $path" >&2; exit 1 ;;
esac | if [ -n "$slurp" ]; then jq -c '[.]'; else cat; fi
"#;

impl Runner {
    fn new() -> Self {
        let home = scratch();
        let at = |name: &str| home.path().join(name);
        for name in ["bin", "temp", "work"] {
            fs::create_dir(at(name)).expect("made");
        }
        let program = |name: &str, text: &str| {
            fs::write(at("bin").join(name), text).expect("written");
            fs::set_permissions(at("bin").join(name), fs::Permissions::from_mode(0o755)).expect("executable");
        };
        program("gh", GH);
        program("glab", GLAB);
        let built = assert_cmd::cargo::cargo_bin!("git-docket");
        program("git-docket", &format!("#!/bin/sh\nexec '{}' \"$@\"\n", built.display()));
        let pull: serde_json::Value =
            serde_json::from_slice(&fs::read(testdata("threads/acme-web-42/pull.json")).expect("read")).expect("JSON");
        let delivery = serde_json::json!({"action": "synchronize", "number": 42, "pull_request": pull,
            "repository": pull["base"]["repo"], "sender": pull["user"]});
        fs::write(at("event.json"), delivery.to_string()).expect("written");
        let temp = at("temp");
        let context = [
            ("github.token", "ghs_0123456789abcdef0123456789abcdef0123"),
            ("github.repository", "acme/web"),
            ("github.event.pull_request.number", "42"),
            ("github.event.pull_request.head.sha", pull["head"]["sha"].as_str().expect("a sha")),
            ("github.event.pull_request.user.login", "mira"),
            ("github.event.issue.number", "42"),
            ("runner.temp", arg(&temp)),
        ];
        let context = context.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Self { home, context, empty: "" }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn filled(&self, text: &str) -> String {
        let mut text = text.to_owned();
        while let Some((before, rest)) = text.split_once("${{") {
            let (name, after) = rest.split_once("}}").expect("a whole expression");
            let value = self.context.get(name.trim()).cloned().unwrap_or_default();
            text = format!("{before}{value}{after}");
        }
        text
    }

    /// Runs the commands of a GitLab job in one shell, as its runner does, and those behind it in another.
    fn job(&self, yaml: &str) -> Output {
        let variables = yaml.lines().skip_while(|line| line.trim() != "variables:").skip(1);
        let variables =
            variables.take_while(|line| line.starts_with("    ")).filter_map(|line| line.trim().split_once(": "));
        let exports: String = variables.map(|(name, value)| format!("export {name}={value}\n")).collect();
        let run = |list: &str| {
            let mut command = Command::new("bash");
            command.args(["-eo", "pipefail", "-c", &format!("{exports}{}", script(yaml, list).join("\n"))]);
            let path = format!("{}:{}", self.at("bin").display(), std::env::var("PATH").expect("a path"));
            command.current_dir(self.at("work")).env_clear().env("PATH", path).env("HOME", self.home.path());
            command
                .env("THREAD", testdata("threads/gitlab-mr-7"))
                .env("EMPTY", self.empty)
                .env("CI_PROJECT_DIR", self.at("work"));
            command
                .env("CI_PROJECT_ID", "321")
                .env("CI_MERGE_REQUEST_IID", "7")
                .env("CI_PROJECT_PATH", "acme/tools/web");
            command
                .env("CI_SERVER_FQDN", "gitlab.example.org:8443")
                .env("CI_COMMIT_SHA", "a".repeat(40))
                .env("WATCHED", "321")
                .env("WATCHED_PATH", "acme/tools/web");
            command.output().expect("bash can be started")
        };
        let done = run("script");
        checked(run("after_script"), "after_script");
        done
    }

    /// Runs a step and takes its outputs into the context.
    fn step(&mut self, step: &Step) -> Output {
        let output = self.at("github-output");
        fs::write(&output, "").expect("written");
        let mut command = Command::new("bash");
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &self.filled(&step.run)]);
        let dir = if step.dir.is_empty() { self.at("work") } else { self.filled(&step.dir).into() };
        command.current_dir(dir).env_clear();
        let path = format!("{}:{}", self.at("bin").display(), std::env::var("PATH").expect("a path"));
        command.env("PATH", path).env("HOME", self.home.path()).env("GITHUB_ACTIONS", "true");
        command.env("RUNNER_TEMP", self.at("temp")).env("GITHUB_OUTPUT", &output);
        command
            .env("GITHUB_STEP_SUMMARY", self.at("summary"))
            .env("GITHUB_EVENT_PATH", self.at("event.json"))
            .env("THREAD", testdata("threads/acme-web-42"))
            .env("EMPTY", self.empty);
        command.envs(step.env.iter().map(|(name, value)| (name, self.filled(value))));
        let done = command.output().expect("bash can be started");
        for line in fs::read_to_string(&output).expect("the outputs").lines() {
            let (name, value) = line.split_once('=').expect("outputs on one line");
            self.context.insert(format!("steps.{}.outputs.{name}", step.id), value.to_owned());
        }
        done
    }
}

#[test]
fn the_context_of_a_pull_request() {
    let blocks = blocks("The context of a pull request", "yaml");
    let mut runner = Runner::new();
    let steps = steps(&blocks[0]);
    assert_eq!(steps.len(), 5, "{steps:?}");
    let mut told = Vec::new();
    for step in &steps {
        told = [told, checked(runner.step(step), &step.run).stdout].concat();
    }
    let told = String::from_utf8_lossy(&told);
    assert!(told.contains("verified: ") && told.contains("# "), "{told}");
    let summary = fs::read_to_string(runner.at("summary")).expect("the summary");
    assert!(
        summary.contains("github:github.com/acme/web/pull/42") && summary.contains("| complete | `yes` |"),
        "{summary}"
    );
    assert_eq!(fs::read_dir(runner.at("temp")).expect("listed").count(), 0, "nothing private is left");
}

/// What the delivery decides, and whose texts are shown: all that comes later or is a stranger's leaves its row.
#[test]
fn the_agent_reads_what_was_there_and_whom_the_recipe_admits() {
    let blocks = blocks("The context of a pull request", "yaml");
    let mut runner = Runner::new();
    let steps = steps(&blocks[0]);
    checked(runner.step(&steps[0]), "the payloads");
    let path = runner.at("temp/payloads/comments.json");
    let mut comments: serde_json::Value = serde_json::from_slice(&fs::read(&path).expect("read")).expect("JSON");
    let mut of = |number: usize, association: &str, login: &str, at: &str| {
        let mut comment = comments[0].clone();
        (comment["id"], comment["body"]) = (number.into(), format!("text of {number}").into());
        (comment["author_association"], comment["user"]["login"], comment["user"]["id"]) =
            (association.into(), login.into(), number.into());
        (comment["created_at"], comment["updated_at"]) = (at.into(), at.into());
        comment["url"] = format!("https://api.github.com/repos/acme/web/issues/comments/{number}").into();
        comment["html_url"] = format!("https://github.com/acme/web/pull/42#issuecomment-{number}").into();
        comments.as_array_mut().expect("comments").push(comment);
    };
    of(9001, "NONE", "stranger", "2026-03-03T00:00:00Z");
    of(9002, "MEMBER", "member", "2026-03-03T00:00:00Z");
    of(9003, "MEMBER", "member", "2027-01-01T00:00:00Z");
    of(9004, "CONTRIBUTOR", "mira", "2026-03-03T00:00:00Z");
    fs::write(&path, comments.to_string()).expect("written");
    checked(runner.step(&steps[1]), "the stage");
    let tree = files(&runner.at("temp/docket"));
    let shown = |number: u32| {
        let text = format!("text of {number}\n").into_bytes();
        tree.values().any(|bytes| *bytes == text)
    };
    assert_eq!([9001, 9002, 9003, 9004].map(shown), [false, true, false, true]);
    let index = String::from_utf8_lossy(&tree["index.json"]).into_owned();
    for word in ["not-admitted", "after-as-of", "\"maxTokens\":60000", "\"event\":"] {
        assert!(index.contains(word), "{word}: {index}");
    }
}

/// Each account is asked about, the author of the pull request too; one without an answer ends nothing and is not heard.
#[test]
fn the_agent_hears_those_who_may_write() {
    let mut runner = Runner::new();
    checked(runner.step(&steps(&blocks("The context of a pull request", "yaml")[0])[0]), "the payloads");
    let path = runner.at("temp/payloads");
    for name in ["reviews.json", "review-comments.json"] {
        fs::write(path.join(name), "[]").expect("only the record names the author");
    }
    let ask = &blocks("The context of a pull request", "sh")[1];
    let env =
        [("REPO", "acme/web"), ("ENTITY", "acme/web#42")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let ask = Step { run: ask.clone(), dir: "${{ runner.temp }}/payloads".into(), env: env.into(), ..Step::default() };
    checked(runner.step(&ask), &ask.run);
    let answers = fs::read_to_string(path.join("permissions.json")).expect("the answers");
    assert_eq!((answers.matches("write").count() > 0, answers.matches("Not Found").count()), (true, 2), "{answers}");
    let tree = files(&runner.at("temp/docket"));
    let header: serde_json::Value =
        serde_json::from_slice(&fs::read(path.join("header.json")).expect("read")).expect("JSON");
    let title = header["title"].as_str().expect("a title");
    assert!(String::from_utf8_lossy(&tree["summary.md"]).contains(title), "the author is heard");
    let index = String::from_utf8_lossy(&tree["index.json"]).into_owned();
    assert!(index.contains("\"withheld\""), "nobody else is: {index}");
}

#[test]
fn an_agent_answers_the_comment_that_it_was_called_with() {
    let yaml = &blocks("An agent that answers", "yaml")[0];
    let mut runner = Runner::new();
    fs::copy(testdata("deliveries/comment-created.json"), runner.at("event.json")).expect("copied");
    let answer = "#!/bin/sh\ngrep -q '\"trigger\":' \"$DOCKET_CONTEXT_DIR/index.json\" && grep 'set off by' \"$DOCKET_CONTEXT_DIR/summary.md\"\n";
    fs::write(runner.at("work/answer.sh"), answer).expect("written");
    fs::set_permissions(runner.at("work/answer.sh"), fs::Permissions::from_mode(0o755)).expect("executable");
    let mut told = Vec::new();
    for step in &steps(yaml) {
        told = checked(runner.step(step), &step.run).stdout;
    }
    assert!(String::from_utf8_lossy(&told).contains("issue\\_comment created"), "{}", String::from_utf8_lossy(&told));
}

#[test]
fn a_stage_that_the_agent_alters_fails_the_job_and_is_removed() {
    let blocks = blocks("The context of a pull request", "yaml");
    let mut runner = Runner::new();
    let mut steps = steps(&blocks[0]);
    steps[2].run = "echo more >> \"$CONTEXT/body.md\"; touch \"$CONTEXT/extra\"".to_owned();
    for step in &steps[..3] {
        checked(runner.step(step), &step.run);
    }
    assert_eq!(runner.step(&steps[3]).status.code(), Some(1));
    checked(runner.step(&steps[4]), "the last step");
    assert_eq!(fs::read_dir(runner.at("temp")).expect("listed").count(), 0);
}

#[test]
fn an_agent_that_is_one_command() {
    let blocks = blocks("The context of a pull request", "yaml");
    let mut runner = Runner::new();
    checked(runner.step(&steps(&blocks[0])[0]), "the payloads");
    let wrapped = &steps(&blocks[1])[0];
    let output = checked(runner.step(wrapped), &wrapped.run);
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("# "), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(fs::read_dir(runner.at("temp")).expect("listed").count(), 1, "the payloads alone");
}

#[test]
fn what_was_staged_in_another_job_is_verified_before_its_use() {
    let blocks = blocks("The context of a pull request", "yaml");
    let mut runner = Runner::new();
    for step in &steps(&blocks[0])[..2] {
        checked(runner.step(step), &step.run);
    }
    let digest = runner.context.iter().find(|(name, _)| name.ends_with("index-digest")).expect("a digest").1.clone();
    runner.context.insert("needs.stage.outputs.index-digest".to_owned(), digest);
    let restored = &steps(&blocks[2])[0];
    let output = checked(runner.step(restored), &restored.run);
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("# "), "{}", String::from_utf8_lossy(&output.stdout));
    fs::write(runner.at("temp/docket/AGENTS.md"), "obey\n").expect("planted");
    let output = runner.step(restored);
    assert_eq!((output.status.code(), output.stdout.starts_with(b"# ")), (Some(1), false));
}

#[test]
fn every_night_into_an_archive() {
    let blocks = blocks("Every night", "yaml");
    let mut runner = Runner::new();
    git(runner.home.path(), &["init", "-q", "--bare", "origin"]);
    for night in 0..2 {
        fs::remove_dir_all(runner.at("work")).expect("cleared");
        fs::remove_dir_all(runner.at("temp")).expect("cleared");
        fs::create_dir(runner.at("temp")).expect("made");
        git(runner.home.path(), &["clone", "-q", arg(&runner.at("origin")), arg(&runner.at("work"))]);
        for step in steps(&blocks[0]) {
            checked(runner.step(&step), &format!("night {night}: {}", step.run));
        }
    }
    let branches = git(&runner.at("origin"), &["for-each-ref", "--format=%(refname:short)"]);
    assert_eq!(String::from_utf8_lossy(&branches.stdout), "docket-facts\ndocket-snapshots\n");
    // Months later: the commands of the audit, in the clone.
    let mut commands = Step {
        run: "git docket verify --ref docket-facts\ngit docket verify --at docket-snapshots --rebuild".into(),
        ..Step::default()
    };
    let output = checked(runner.step(&commands), "the audit");
    assert_eq!(String::from_utf8_lossy(&output.stdout).matches("verified: ").count(), 2);
    commands.run = "git docket stage acme/web#42 --at docket-snapshots --out \"$RUNNER_TEMP/then\"; git docket sums \"$RUNNER_TEMP/then\" | (cd \"$RUNNER_TEMP/then\" && sha256sum --quiet -c)".into();
    checked(runner.step(&commands), "the stage of then");
}

#[test]
fn the_context_of_a_merge_request() {
    let runner = Runner::new();
    let output = checked(runner.job(&blocks("The same three jobs", "yaml")[0]), "the job");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("verified: ") && told.contains("gitlab:gitlab.example.org:8443/acme/tools/web"), "{told}");
    let env = fs::read_to_string(runner.at("work/docket.env")).expect("the report");
    assert!(env.contains("DOCKET_INDEX_DIGEST=sha256:"), "{env}");
    assert!(!runner.at("work.context").exists() && !runner.at("work.payloads").exists());
}

#[test]
fn every_night_into_an_archive_of_a_project() {
    let mut runner = Runner::new();
    git(runner.home.path(), &["init", "-q", "--bare", "origin"]);
    // The first night nothing changed yet, on the second a merge request nobody spoke of, then it is spoken of.
    for (night, empty) in ["nights", "lists", "", "nights"].into_iter().enumerate() {
        fs::remove_dir_all(runner.at("work")).expect("cleared");
        git(runner.home.path(), &["clone", "-q", arg(&runner.at("origin")), arg(&runner.at("work"))]);
        runner.empty = empty;
        checked(runner.job(&blocks("The same three jobs", "yaml")[1]), &format!("night {night}"));
        let facts = git(&runner.at("origin"), &["ls-tree", "-r", "--name-only", "docket-facts", "observations/"]);
        let seen = String::from_utf8_lossy(&facts.stdout).lines().filter(|path| path.contains("/comments/")).count();
        assert_eq!(seen, [0, 1, 2, 2][night], "night {night}: {}", String::from_utf8_lossy(&facts.stdout));
    }
    let branches = git(&runner.at("origin"), &["for-each-ref", "--format=%(refname:short)"]);
    assert_eq!(String::from_utf8_lossy(&branches.stdout), "docket-facts\ndocket-snapshots\n");
}

#[test]
fn an_empty_list_is_a_look() {
    let mut runner = Runner::new();
    runner.empty = "lists";
    let output = checked(runner.job(&blocks("The same three jobs", "yaml")[0]), "the job");
    let told = String::from_utf8_lossy(&output.stdout);
    // A list without commits shows no head, and the recipe pins that of the pipeline.
    for (facet, state) in [("comments", "complete"), ("commits", "partial")] {
        let row = told.lines().find(|line| line.starts_with(&format!("| {facet} |")));
        assert!(row.is_some_and(|row| row.contains(state)), "{facet}: {told}");
    }
    for mut step in steps(&blocks("The context of a pull request", "yaml")[0]) {
        // A list without files or commits shows no head either, so that the delivery would pin it to none.
        step.run = step.run.replace("--event ", "--entity acme/web#42 ");
        checked(runner.step(&step), &step.run);
    }
    let summary = fs::read_to_string(runner.at("summary")).expect("the summary");
    assert!(summary.contains("| complete | `yes` |"), "{summary}");
}

/// The commands of "Months later" as they are printed, but for the digest, the age and the places.
#[test]
fn months_later() {
    let yaml = blocks("Every night", "yaml");
    let mut runner = Runner::new();
    git(runner.home.path(), &["init", "-q", "--bare", "origin"]);
    for empty in ["nights", ""] {
        fs::remove_dir_all(runner.at("work")).expect("cleared");
        fs::remove_dir_all(runner.at("temp")).expect("cleared");
        fs::create_dir(runner.at("temp")).expect("made");
        git(runner.home.path(), &["clone", "-q", arg(&runner.at("origin")), arg(&runner.at("work"))]);
        runner.empty = empty;
        for step in steps(&yaml[0]) {
            checked(runner.step(&step), &step.run);
        }
    }
    // A clone of somebody who has only what the remote has.
    fs::remove_dir_all(runner.at("work")).expect("cleared");
    git(runner.home.path(), &["clone", "-q", arg(&runner.at("origin")), arg(&runner.at("work"))]);
    let console = blocks("Months later", "console");
    let temp = runner.at("temp");
    let mut run = |command: &str| {
        let run =
            command.replace("/tmp/", &format!("{}/", arg(&temp))).replace("docket-snapshots~30", "docket-snapshots");
        checked(runner.step(&Step { run, ..Step::default() }), command)
    };
    let commands =
        |block: &str| block.lines().filter_map(|line| line.strip_prefix("$ ")).map(str::to_owned).collect::<Vec<_>>();
    let recorded = commands(&console[1]);
    let told = run(&recorded[0]);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let digest = told.split_whitespace().find(|word| word.starts_with("sha256:")).expect("the digest of the index");
    for command in [&recorded[1..], &commands(&console[0]), &commands(&console[2])].concat() {
        run(&command.replace("sha256:…", digest));
    }
    let changes = run("git docket diff docket-snapshots~1 docket-snapshots");
    assert!(String::from_utf8_lossy(&changes.stdout).contains("pull/42"), "{changes:?}");
}

#[test]
fn the_action_stages_with_a_program_that_is_there() {
    let action = fs::read_to_string(project("action.yml")).expect("the action");
    let mut runner = Runner::new();
    let thread = testdata("threads/acme-web-42");
    let inputs = [
        ("binary", "git-docket".to_owned()),
        ("from", format!("{}\n", arg(&thread))),
        ("complete", "false".to_owned()),
        ("profile", "default".to_owned()),
        ("require", "header,comments".to_owned()),
    ];
    runner.context.extend(inputs.map(|(name, value)| (format!("inputs.{name}"), value)));
    let steps = steps(&action);
    assert_eq!(steps.iter().map(|step| step.id.as_str()).collect::<Vec<_>>(), ["program", "stage"]);
    for step in &steps {
        checked(runner.step(step), &step.run);
    }
    let dir = &runner.context["steps.stage.outputs.context-dir"];
    assert!(Path::new(dir).join("index.json").exists());
    // Each output that the action names is one that its step has.
    let outputs = action.split("outputs:\n").nth(1).expect("outputs").split("runs:").next().expect("their end");
    for name in outputs.split("${{ ").skip(1).filter_map(|rest| rest.split(" }}").next()) {
        assert!(runner.context.contains_key(name), "{name}");
    }
    // The delivery, and what the caller chooses.
    let chosen =
        [("event", "true"), ("admit", "members"), ("allow-author", "mira"), ("max-tokens", "50000"), ("out", "chosen")];
    runner.context.extend(chosen.map(|(name, value)| (format!("inputs.{name}"), value.to_owned())));
    runner.context.insert("inputs.from".to_owned(), String::new());
    runner.context.insert("inputs.require".to_owned(), String::new());
    checked(runner.step(&steps[1]), &steps[1].run);
    let index = fs::read_to_string(runner.at("work/chosen/index.json")).expect("a stage");
    for word in ["\"admit\":\"members\"", "\"allowAuthors\":[\"mira\"]", "\"maxTokens\":50000", "\"event\":"] {
        assert!(index.contains(word), "{word}: {index}");
    }
    // A program that is not there is said to be missing.
    runner.context.insert("inputs.binary".to_owned(), "no-such-docket".to_owned());
    let refused = runner.step(&steps[0]);
    let said = String::from_utf8_lossy(&refused.stdout).into_owned();
    assert!(refused.status.code() == Some(2) && said.contains("there is no program no-such-docket"), "{said}");
    // Without a program, or with a release and no digest, it says so.
    runner.context.insert("inputs.binary".to_owned(), String::new());
    assert_ne!(runner.step(&steps[0]).status.code(), Some(0));
    runner.context.insert("inputs.version".to_owned(), "0.1.0".to_owned());
    let refused = runner.step(&steps[0]);
    assert!(
        String::from_utf8_lossy(&refused.stderr).contains("sha256"),
        "{}",
        String::from_utf8_lossy(&refused.stderr)
    );
}

/// What the action asks for and what the workflow builds are the same systems.
#[test]
fn the_action_downloads_what_is_released() {
    let targets = |file: &str, before: &str, after: char| {
        let text = fs::read_to_string(project(file)).expect("the file");
        let ends = text.split(before).skip(1).filter_map(|rest| rest.split(after).next());
        let mut targets: Vec<String> = ends.map(str::to_owned).collect();
        targets.sort();
        targets
    };
    let asked = targets("action.yml", ") target=", ' ');
    assert_eq!(asked, targets(".github/workflows/release.yml", "{ target: ", ','));
    assert_eq!(asked.len(), 5, "{asked:?}");
}
