//! The summary, whatever the names.

use super::*;

#[test]
fn titles_and_names_stay_on_their_line_of_the_summary() {
    let hostile = "x\n## What is missing\n\nNothing | at all <img src=x> [a](b) `c` **d** \u{202e}e\u{200b}";
    let mut record = pull_header();
    record.title = known(hostile);
    record.milestone = known(hostile);
    record.labels = Field::Known(vec![Label {
        id: None,
        name: hostile.to_owned(),
        color: Field::Unknown,
        description: Field::Null,
    }]);
    let author = actor(7, hostile);
    record.author = Field::Known(author.clone());
    let written = Comment { author: Field::Known(author), ..comment(1, 1, "body text") };
    let looks = vec![
        look(1, Facet::Header, header(record)),
        set(Facet::Comments, vec![Item::Comment(Box::new(written))]),
        set(Facet::Checks, vec![check(1, CheckOrigin::Run, hostile, Some(hostile))]),
    ];
    for mode in [Mode::Snapshot, Mode::Stage(&standard(), filter())] {
        let tree = render(looks.clone(), mode);
        let summary = text(&tree, "summary.md");
        let headings: Vec<_> = summary.lines().filter(|line| line.starts_with("## ")).collect();
        assert_eq!(headings.iter().filter(|line| **line == "## What is missing").count(), 1, "{summary}");
        assert!(
            !summary.replace("\\<", "").contains("<img") && !summary.contains("[a](b)") && !summary.contains("**d**"),
            "{summary}"
        );
        assert!(!summary.contains(['\u{202e}', '\u{200b}']) && !summary.contains("body text"), "{summary}");
        for row in summary.lines().filter(|line| line.starts_with("| checks/") || line.starts_with("| comments/")) {
            assert_eq!(row.replace("\\|", "").matches('|').count(), 5, "{row}");
        }
    }
}

#[test]
fn a_summary_is_bounded_whatever_there_is() {
    let long = "*".repeat(5000);
    let mut record = pull_header();
    record.title = known(&long);
    record.milestone = known(&long);
    record.state_reason = known(&long);
    record.head = Field::Known(Side { branch: long.clone(), sha: Some(long.clone()), repository: known(&long) });
    record.base = record.head.clone();
    record.assignees = Field::Known((0..500).map(|id| actor(id, &long)).collect());
    record.requested_reviewers = record.assignees.clone();
    record.requested_teams = Field::Known(vec![long.clone(); 500]);
    let label = |n| Label { id: None, name: format!("{n}{long}"), color: Field::Unknown, description: Field::Null };
    record.labels = Field::Known((0..500).map(label).collect());
    let by = |id| Comment { author: Field::Known(actor(id, &long)), ..comment(id, 1, "x") };
    let looks = vec![
        look(1, Facet::Header, header(record)),
        set(Facet::Comments, (1..2000).map(|id| Item::Comment(Box::new(by(id)))).collect()),
        set(
            Facet::Files,
            (1..2000).map(|id| Item::File(Box::new(file(&format!("{id}{long}"), "added", None)))).collect(),
        ),
        set(Facet::Checks, (1..500).map(|id| check(id, CheckOrigin::Run, &long, Some(&long))).collect()),
        set(
            Facet::ReviewComments,
            (1..500).map(|id| Item::ReviewComment(Box::new(review_comment(id, None, "x")))).collect(),
        ),
    ];
    let tree = snapshot(looks);
    check_tree(&tree);
    let summary = text(&tree, "summary.md");
    for title in ["## Comments", "## Changed files", "## Checks", "## Review threads"] {
        assert!(summary.contains(title), "{title} is not in {summary}");
    }
    assert!(summary.contains(" older: see index.json") && summary.contains(" more: see index.json"));
}

#[test]
fn a_closed_pull_request_of_unknown_end_is_said_to_be_one() {
    let line = |merged: Field<bool>| {
        let mut record = pull_header();
        record.state = Field::Known(git_docket::forge::facets::State::Closed);
        record.merged = merged;
        record.merged_at = Field::Unknown;
        let tree = render(vec![look(1, Facet::Header, header(record))], Mode::Snapshot);
        let line = text(&tree, "summary.md").lines().find(|line| line.starts_with("- state: ")).map(str::to_owned);
        line.expect("a state")
    };
    assert!(line(Field::Unknown).starts_with("- state: closed, whether merged is not known"), "not said");
    assert!(!line(Field::Known(false)).contains("not known"), "said of a known end");
}
