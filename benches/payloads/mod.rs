//! Seeded JSON in the shape of what GitHub's REST interface answers: comments, users, labels, long bodies.

use std::fmt::Write as _;

/// A small random sequence (SplitMix64): the same seed gives the same bytes on every machine.
pub struct Random(u64);

impl Random {
    /// A sequence that the seed fixes.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn pick<'t>(&mut self, words: &[&'t str]) -> &'t str {
        words[self.below(words.len() as u64) as usize]
    }
}

const WORDS: &[&str] = &[
    "the",
    "a",
    "of",
    "when",
    "merge",
    "build",
    "fails",
    "with",
    "on",
    "windows",
    "config",
    "request",
    "review",
    "panic",
    "please",
    "see",
    "commit",
    "patch",
    "test",
    "CI",
    "cache",
    "token",
    "path",
    "`Vec<u8>`",
    "src/lib.rs",
    "\\\"quoted\\\"",
    "https://example.com/a/b?c=d",
    "don't",
    "naïve",
    "größer",
    "日本語",
    "тест",
    "🎉",
    "\\t",
    "- [ ]",
    "**bold**",
    "@reviewer",
];
const LINE_ENDS: &[&str] = &[" ", " ", " ", " ", " ", " ", " ", "\\n", "\\r\\n", ". "];
const LOGINS: &[&str] = &["octocat", "dependabot[bot]", "maintainer-one", "a-contributor", "reviewer7", "someone-else"];
const LINKS: &[&str] =
    &["followers", "following{/other_user}", "gists{/gist_id}", "starred{/owner}{/repo}", "subscriptions"];
const MORE_LINKS: &[&str] = &["orgs", "repos", "events{/privacy}", "received_events"];

/// One array of comments of about so many bytes, members in the order in which the forge sends them.
pub fn comments(seed: u64, bytes: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut out = String::with_capacity(bytes + (1 << 16));
    out.push('[');
    while out.len() < bytes {
        if out.len() > 1 {
            out.push(',');
        }
        comment(&mut random, &mut out);
    }
    out.push(']');
    out.into_bytes()
}

fn comment(random: &mut Random, out: &mut String) {
    let id = 1_000_000_000 + random.below(2_000_000_000);
    let api = "https://api.github.com/repos/acme/web";
    add(out, format_args!(r#"{{"url":"{api}/pulls/comments/{id}","pull_request_review_id":{},"#, id - 7));
    add(out, format_args!(r#""id":{id},"node_id":"PRRC_kw{:x}","diff_hunk":"@@ -1,3 +1,4 @@\n"#, random.next()));
    text(random, out, 40);
    add(
        out,
        format_args!(r#"","path":"src/part{}/mod.rs","commit_id":"{:040x}","user":"#, random.below(40), random.next()),
    );
    user(random, out);
    out.push_str(r#","body":""#);
    // Most bodies are a sentence or two; one in two hundred is a pasted log.
    let words = if random.below(200) == 0 { 6000 } else { 8 + random.below(90) };
    text(random, out, words);
    let (month, day, second) = (1 + random.below(12), 1 + random.below(28), random.below(60));
    add(out, format_args!(r#"","created_at":"2026-{month:02}-{day:02}T10:20:{second:02}Z","#));
    add(out, format_args!(r#""updated_at":"2026-{month:02}-{day:02}T11:20:{second:02}Z","#));
    add(out, format_args!(r#""html_url":"https://github.com/acme/web/pull/{}#discussion_r{id}","#, random.below(5000)));
    add(
        out,
        format_args!(
            r#""author_association":"CONTRIBUTOR","_links":{{"self":{{"href":"{api}/pulls/comments/{id}"}}}},"#
        ),
    );
    add(
        out,
        format_args!(r#""reactions":{{"url":"{api}/pulls/comments/{id}/reactions","total_count":{},"#, random.below(9)),
    );
    out.push_str(
        r#""+1":0,"-1":0,"laugh":0,"hooray":0,"confused":0,"heart":0,"rocket":0,"eyes":0},"start_line":null,"#,
    );
    add(out, format_args!(r#""score":{}.{},"line":{},"#, random.below(2), random.below(1000), random.below(900)));
    out.push_str(r#""side":"RIGHT","in_reply_to_id":null,"original_position":1,"subject_type":"line"}"#);
}

fn user(random: &mut Random, out: &mut String) {
    let (login, id) = (random.pick(LOGINS), random.below(90_000_000));
    let api = format!("https://api.github.com/users/{login}");
    add(
        out,
        format_args!(r#"{{"login":"{login}","id":{id},"node_id":"MDQ6VXNlcg{id}==","gravatar_id":"","url":"{api}","#),
    );
    add(out, format_args!(r#""avatar_url":"https://avatars.githubusercontent.com/u/{id}?v=4","#));
    add(out, format_args!(r#""html_url":"https://github.com/{login}","#));
    for link in LINKS.iter().chain(MORE_LINKS) {
        let name = link.split('{').next().unwrap_or(link);
        add(out, format_args!(r#""{name}_url":"{api}/{link}","#));
    }
    out.push_str(r#""type":"User","user_view_type":"public","site_admin":false}"#);
}

fn text(random: &mut Random, out: &mut String, words: u64) {
    for _ in 0..words {
        out.push_str(random.pick(WORDS));
        out.push_str(random.pick(LINE_ENDS));
    }
}

fn add(out: &mut String, piece: std::fmt::Arguments<'_>) {
    out.write_fmt(piece).expect("writing to a String cannot fail");
}
