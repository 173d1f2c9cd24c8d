//! `docs/cli.md`, generated from the same definitions that parse the arguments.

use std::fmt::Write;

use clap::CommandFactory;

use super::args::Cli;

/// The text before the verbs.
const INTRODUCTION: &str = "\
# The command line

This page is generated; `tests/it/cli.rs` says how. stdout is the answer, stderr the story. Exit status: **0** yes or done, **1** no (findings,
differences when asked for, a requirement that is not met), **2** trouble. With `--json` there is exactly one object on stdout, also on trouble:
`{\"error\":{\"code\":…,\"message\":…,\"hint\":…}}`. Field names are lowerCamelCase.

";

/// What each verb reports with `--json`.
const REPORTS: [(&str, &str); 8] = [
    ("init", "`{\"store\",\"branch\",\"created\",\"commit\"}`; `commit` is the root commit when one was made."),
    (
        "observe",
        "`{\"observed\",\"unchanged\",\"inputs\":[{\"input\",\"digest\",\"observations\"}],\"unrecognised\":[{\"input\",\"reason\"}],\
         \"entities\",\"elements\",\"bytes\",\"findings\":[{\"code\",\"input\",\"count\"}],\"commit\"}`. `observed` are new observation files, \
         `unchanged` looks that were there already or equal the present winner; `elements` and `bytes` count what was newly written.",
    ),
    (
        "snapshot",
        "`{\"snapshot\",\"previous\",\"entities\",\"changed\",\"removed\",\"commit\"}`; `commit` is null when nothing changed.",
    ),
    (
        "stage",
        "`{\"contextDir\",\"entities\",\"indexDigest\",\"files\",\"bytes\",\"complete\",\"gaps\":[{\"scope\",\"code\",\"usability\",\"count\"}],\
         \"findings\":[{\"code\",\"count\"}]}`. `complete`: the source set of every requested facet is complete; bounds and filtering do not count against it.",
    ),
    (
        "verify",
        "`{\"verified\",\"anchor\":\"digest|commit|none\",\"files\",\"bytes\",\"findings\":[{\"code\",\"path\",\"expected\",\"actual\",\"cause\"}],\"notes\"}`. \
         Codes and causes: docs/format.md, Findings.",
    ),
    (
        "diff",
        "`{\"equal\",\"changes\":[{\"change\",\"entity\",\"facet\",\"id\",\"path\",\"before\",\"after\"}],\"counts\"}`; with `--ndjson` a change a line.",
    ),
    (
        "show",
        "An entity: its `entity.json`, `coverage`, `gaps` and `tombstones`. `--raw` and `--element` print bytes in any case.",
    ),
    ("digest", "Always text."),
];

/// The whole page.
pub fn reference() -> String {
    let mut command = Cli::command().term_width(100);
    command.build();
    let mut page = INTRODUCTION.to_owned();
    let _ = write!(page, "```text\n{}```\n", plain(&command.clone().render_long_help().to_string()));
    for verb in command.get_subcommands_mut().filter(|verb| verb.get_name() != "help") {
        let name = verb.get_name().to_owned();
        let help = verb.clone().mut_args(hide_global).render_long_help().to_string();
        let _ = write!(page, "\n## {name}\n\n```text\n{}```\n", plain(&help));
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
