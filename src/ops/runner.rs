//! The files that CI runners read after a step, and their words for messages.

use std::path::Path;

use super::stage::Report;
use super::{Error, target};
use crate::format::digest::Digest;
use crate::format::steps::Steps;
use crate::store::write::append;

/// What GitHub keeps of a summary: one of more is dropped as a whole.
const MAX_SUMMARY: u64 = 1 << 20;
/// The largest dotenv report that GitLab takes unless configured otherwise.
const MAX_DOTENV: u64 = 5 << 10;

/// Refuses a file in the stage, of which it would be a file that nothing lists, or in what is replaced by it, and what is no regular
/// file: a pipe would hold us until somebody reads it.
///
/// # Errors
/// `runner-inside-stage`, `runner-not-a-file`, `io`.
pub fn check(file: &Path, stage: &Path) -> Result<(), Error> {
    if std::fs::metadata(file).is_ok_and(|found| !found.is_file()) {
        return Err(not_a_file(file));
    }
    if !target::lies_in(file, stage, true)? {
        return Ok(());
    }
    let message = format!("{}: the file for the runner would lie in the stage", file.display());
    Err(Error::new("runner-inside-stage", message).hint("choose a file beside the stage"))
}

fn not_a_file(file: &Path) -> Error {
    let message = format!("{}: the file for the runner is no regular file", file.display());
    Error::new("runner-not-a-file", message).hint("give the path of a file; it need not be there")
}

/// Appends, unless what stands there by now is no file.
fn add(path: &Path, text: &str, limit: Option<u64>, steps: &dyn Steps) -> Result<bool, Error> {
    append(path, text.as_bytes(), limit, steps)?.ok_or_else(|| not_a_file(path))
}

/// Appends the outputs of a step to the file that GitHub names: `context-dir index-digest complete gaps findings`, the last two
/// as JSON.
///
/// # Errors
/// `runner-not-a-file`, and those of the file system.
pub fn github_output(path: &Path, report: &Report, steps: &dyn Steps) -> Result<(), Error> {
    let text: String = outputs(report)?.into_iter().map(|(name, value)| github_line(name, &value)).collect();
    add(path, &text, None, steps)?;
    Ok(())
}

/// Appends the outputs to a dotenv report of GitLab: `DOCKET_CONTEXT_DIR DOCKET_INDEX_DIGEST DOCKET_COMPLETE`, how many gaps
/// the report has as `DOCKET_GAPS`, and how many findings there are as `DOCKET_FINDINGS`, since the report is small and has no quotes.
///
/// # Errors
/// `dotenv-invalid` for a directory with a line break in its name or a report beyond 5 KiB, `runner-not-a-file`, and those of the file system.
pub fn dotenv(path: &Path, report: &Report, steps: &dyn Steps) -> Result<(), Error> {
    let dir = absolute(report)?;
    if dir.contains(['\n', '\r']) {
        return Err(Error::new("dotenv-invalid", format!("{dir:?} cannot stand in a dotenv report")));
    }
    let text = format!(
        "DOCKET_CONTEXT_DIR={dir}\nDOCKET_INDEX_DIGEST={}\nDOCKET_COMPLETE={}\nDOCKET_GAPS={}\nDOCKET_FINDINGS={}\n",
        report.index_digest,
        report.complete,
        report.gaps.len(),
        report.findings.iter().map(|finding| finding.count).sum::<u64>(),
    );
    if add(path, &text, Some(MAX_DOTENV), steps)? {
        return Ok(());
    }
    Err(Error::new("dotenv-invalid", format!("{}: a dotenv report has at most 5 KiB", path.display())))
}

/// Appends what was staged, what is missing and what was removed as Markdown. False when the summary would be too large, and
/// is left as it is.
///
/// # Errors
/// `runner-not-a-file`, and those of the file system.
pub fn step_summary(path: &Path, report: &Report, steps: &dyn Steps) -> Result<bool, Error> {
    // A file of exactly the limit is dropped too.
    add(path, &markdown(report), Some(MAX_SUMMARY - 1), steps)
}

/// One line a message in the words of GitHub: what is required and missing, what is unusable, what was found.
pub fn annotations(report: &Report) -> Vec<String> {
    let unmet = report.unmet.iter().map(|what| command("error", &format!("required: {what}")));
    let left = report.unrecognised.iter().flatten();
    let left = left.map(|row| command("warning", &format!("not recognised: {} ({})", row.input, row.reason)));
    let gaps = report.gaps.iter().map(|gap| {
        let level = if gap.usability == "unusable" { "warning" } else { "notice" };
        command(level, &format!("gap: {}{} {} ({})", gap.of(), gap.scope, gap.code, gap.count))
    });
    let findings = report
        .findings
        .iter()
        .map(|finding| command("warning", &format!("found in the text: {} ({})", finding.code, finding.count)));
    unmet.chain(left).chain(gaps).chain(findings).collect()
}

/// The directory of the stage for later steps and jobs, which may begin in another one.
fn absolute(report: &Report) -> Result<String, Error> {
    let found = std::path::absolute(&report.context_dir).map_err(|error| Error::new("io", error.to_string()))?;
    Ok(found.display().to_string())
}

fn outputs(report: &Report) -> Result<[(&'static str, String); 5], Error> {
    let unwritable = |error: serde_json::Error| Error::new("output-failed", error.to_string());
    Ok([
        ("context-dir", absolute(report)?),
        ("index-digest", report.index_digest.clone()),
        ("complete", report.complete.to_string()),
        ("gaps", serde_json::to_string(&report.gaps).map_err(unwritable)?),
        ("findings", serde_json::to_string(&report.findings).map_err(unwritable)?),
    ])
}

/// A value of several lines stands between marks that nobody can have put into it: they are its digest.
fn github_line(name: &str, value: &str) -> String {
    if value.contains(['\n', '\r']) {
        let mark = Digest::of(value.as_bytes()).hex();
        return format!("{name}<<{mark}\n{value}\n{mark}\n");
    }
    format!("{name}={value}\n")
}

/// A workflow command. What would end its line, or begin another, is escaped as the runner reads it back.
fn command(level: &str, message: &str) -> String {
    let message = message.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    format!("::{level} title=git-docket::{message}")
}

fn markdown(report: &Report) -> String {
    let mut text = String::from("### git-docket\n\n| | |\n|---|---|\n");
    let mut row = |name: &str, value: &str| text.push_str(&format!("| {name} | {} |\n", code_span(value)));
    for entity in &report.entities {
        row("entity", entity);
    }
    row("directory", &report.context_dir.display().to_string());
    row("index", &report.index_digest);
    row("files", &format!("{} ({} bytes)", report.files, report.bytes));
    row("complete", if report.complete { "yes" } else { "no" });
    for unmet in &report.unmet {
        row("required", unmet);
    }
    if let Some(left) = report.unrecognised.as_ref().filter(|left| !left.is_empty()) {
        text.push_str(&format!("\n{} inputs were not recognised.\n", left.len()));
    }
    if !report.gaps.is_empty() {
        text.push_str("\n| gap | code | usability | count |\n|---|---|---|---|\n");
        for gap in &report.gaps {
            let of = gap.entity.as_deref().map_or_else(String::new, |entity| format!("{} ", code_span(entity)));
            text.push_str(&format!("| {of}{} | {} | {} | {} |\n", gap.scope, gap.code, gap.usability, gap.count));
        }
    }
    if !report.findings.is_empty() {
        text.push_str("\n| found in the text | count |\n|---|---|\n");
        for finding in &report.findings {
            text.push_str(&format!("| {} | {} |\n", finding.code, finding.count));
        }
    }
    text.push('\n');
    text
}

/// A text as code in a cell of a table: nothing in it is markup, and the cell does not end.
fn code_span(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() || c == '`' { '\u{fffd}' } else { c }).collect();
    format!("`{}`", plain.replace('|', "\\|"))
}
