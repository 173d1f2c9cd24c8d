//! `docs/cli.md`, generated from the same definitions that parse the arguments.

use std::fmt::Write;

use super::args::command;

/// The text before the verbs.
const INTRODUCTION: &str = "\
# The command line

This page is generated from the program; `DOCKET_BLESS=1 cargo test --test it cli::` writes it anew. stdout is the answer,
stderr the story. Exit status: **0** yes or done, **1** no (findings, differences when asked for, a requirement that is not
met), **2** trouble. With `--json` there is exactly one object on stdout, also on trouble:
`{\"error\":{\"code\":…,\"message\":…,\"hint\":…}}`; what is bytes in any case is said below. Field names are lowerCamelCase.
`git docket schema report` is the schema of all reports.

Of git's configuration the user's and the system's (and `GIT_CONFIG_*`) tell the committer and `safe.directory`, and a repository's own tells where its work tree
and its alternates are, as with git. Variables that say so of a repository (`GIT_DIR`, `GIT_WORK_TREE`, `GIT_INDEX_FILE`, `GIT_OBJECT_DIRECTORY` …) are not
followed: in a hook they are about another one. Nothing that is configured is run, and `refs/replace` replaces nothing.

";

/// What each verb reports with `--json`.
const REPORTS: &[(&str, &str)] = &[
    ("init", "`{\"store\",\"branch\",\"created\",\"commit\"}`; `commit` is the root commit when one was made."),
    (
        "observe",
        "`{\"observed\",\"unchanged\",\"inputs\":[{\"input\",\"digest\",\"observations\"}],\"unrecognised\":[{\"input\",\"reason\",\"digest\"?}],\
         \"entities\",\"elements\",\"bytes\",\"findings\":[{\"code\",\"input\",\"count\"}],\"commit\"}`. `observed` are new observation files, and inputs that \
         --keep-unrecognised files, `unchanged` looks that were there already or equal the present winner; `elements` and `bytes` count what was newly \
         written; `digest` is what `show --raw` takes, null for the lack of a facet, \
         and where `observations` is 0: the present winner equals all that the input shows; in `unrecognised` it is there \
         with --keep-unrecognised, of an input that is kept.",
    ),
    (
        "snapshot",
        "`{\"snapshot\",\"previous\",\"entities\",\"changed\",\"removed\",\"commit\"}`; `commit` is null when nothing changed.",
    ),
    (
        "stage",
        "`{\"contextDir\",\"entities\",\"indexDigest\",\"files\",\"bytes\",\"tokens\",\"complete\",\"gaps\":[{\"scope\",\"code\",\"usability\",\"count\"}],\
         \"findings\":[{\"code\",\"count\"}],\"sources\":[{\"entity\",\"references\",\"diagnostics\"}]}`. `complete`: the source set of every requested facet \
         is complete; bounds and filtering do not count against it, nor does what is there only because it is linked, which `linked` names. Where a \
         stage has several entities each gap has the member `entity`, the id of the one that it is of. Gap codes: docs/format.md. `sources` is there with --sources, `repository` \
         (`[{\"entity\",\"state\":\"same|differs|unknown\",\"reason\",\"differences\":[{\"path\",\"code\"}]}]`) with --repo, `unrecognised` \
         (`[{\"input\",\"reason\"}]`) with --from or --event, `record` (the path of the record in the store) with --record, `replay` \
         (`{\"expected\",\"same\"}`, exit 1 unless same) with --replay, `command` \
         (`{\"exit\",\"signal\",\"removedVariables\"}`) with a command: null when something required is missing and it was not run; the stage is \
         removed either way. `tokens` is an estimate (docs/format.md).",
    ),
    (
        "verify",
        "`{\"verified\",\"anchor\":\"digest|commit|none\",\"files\",\"bytes\",\"findings\":[{\"code\",\"path\",\"expected\",\"actual\",\"cause\"}],\
         \"notes\":[{\"code\",\"count\",\"text\"}]}`; exit 1 when there are findings; `command` as of stage, with a command. Codes and causes: docs/format.md, Findings.",
    ),
    (
        "diff",
        "`{\"equal\",\"changes\":[{\"change\",\"entity\",\"facet\",\"id\",\"path\",\"before\",\"after\"}],\"counts\"}`; with `--ndjson` a change a line.",
    ),
    (
        "show",
        "An entity: `{\"id\",\"entity\",\"coverage\",\"gaps\",\"tombstones\"}`, `entity` as in entity.json. `--raw` and `--element` print \
         bytes in any case.",
    ),
    (
        "sources",
        "`collect`: `{\"card\",\"block\",\"context\",\"disclosure\"?,\"decision\"?}`. `check`: `{\"same\",\"at\",\"counts\",\"references\":[{\"path\",\"line\",\"base\",\"status\",\"now\",\"occurrences\",\"source\",\"reason\"}]}`; \
         exit 1 unless all are same. docs/sources.md explains both.",
    ),
    ("clean", "`{\"dir\",\"removed\"}`; `removed` is false when nothing was there."),
    ("scavenge", "`{\"root\",\"removed\",\"inUse\"}`."),
    ("sums", "`{\"text\"}`, the same manifest."),
    ("canon", "Always bytes."),
    ("digest", "`{\"digests\":[{\"input\",\"digest\"}]}`."),
    ("schema", "Without a name `{\"schemas\":[…]}`; with one the schema, as the bytes of its file."),
];

/// The whole page.
pub fn reference() -> String {
    let mut command = command().term_width(100);
    command.build();
    let mut page = INTRODUCTION.to_owned();
    let _ = write!(page, "```text\n{}```\n", plain(&command.clone().render_help().to_string()));
    for verb in command.get_subcommands_mut().filter(|verb| verb.get_name() != "help") {
        let name = verb.get_name().to_owned();
        let help = verb.clone().mut_args(hide_global).render_help().to_string();
        let _ = write!(page, "\n## {name}\n\n```text\n{}```\n", plain(&help));
        for below in verb.get_subcommands().filter(|below| below.get_name() != "help") {
            let help = below.clone().mut_args(hide_global).render_help().to_string();
            let _ = write!(page, "\n### {name} {}\n\n```text\n{}```\n", below.get_name(), plain(&help));
        }
        if let Some((_, report)) = REPORTS.iter().find(|(verb, _)| *verb == name) {
            let _ = write!(page, "\nReport: {report}\n");
        }
    }
    page + include_str!("../../docs/codes.md")
}

/// Options of every command are explained once, at the top.
fn hide_global(arg: clap::Arg) -> clap::Arg {
    let global = arg.is_global_set();
    arg.hide(global)
}

/// Without trailing spaces, which editors remove.
fn plain(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}
