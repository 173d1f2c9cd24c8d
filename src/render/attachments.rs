//! Links to files and images in a text: what a reader of the page sees, and nobody fetched.
//!
//! No parser of Markdown: one pass that looks for the three forms in which forges and people write them. What stands in code or in a comment is no link.

use std::collections::BTreeSet;

use crate::forge::prose::prose;

/// Places of files that people upload to a forge.
const PLACES: [&str; 3] =
    ["://user-images.githubusercontent.com/", "://private-user-images.githubusercontent.com/", "/user-attachments/"];

/// A folder of uploads, what the next segment is made of, and how long that is at least.
type Folder = (&'static str, fn(u8) -> bool, usize);

const FOLDERS: [Folder; 4] =
    [("/assets/", digit, 1), ("/files/", digit, 5), ("/uploads/", hex, 32), ("/attachments/", hex, 36)];

/// The longest link that is looked at.
const LONGEST: usize = 2048;

fn digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

/// Of a hexadecimal number or a UUID.
fn hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit() || byte == b'-'
}

/// The attachments and images that a text links to, each once, without query and fragment, in which a forge puts passes for a time.
pub(super) fn links(text: &str) -> BTreeSet<String> {
    let text = prose(text);
    let mut found = BTreeSet::new();
    text.split('\n').for_each(|line| in_line(line, &mut found));
    found.into_iter().map(str::to_owned).collect()
}

fn in_line<'t>(line: &'t str, found: &mut BTreeSet<&'t str>) {
    let bytes = line.as_bytes();
    // For each open bracket, whether an image begins with it.
    let mut brackets = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &line.as_bytes()[at..];
        match bytes[at] {
            b'\\' => at += 1,
            b'[' => brackets.push(at > 0 && bytes[at - 1] == b'!'),
            b']' => {
                let is_image = brackets.pop().unwrap_or(false);
                if rest.get(1) == Some(&b'(') && line.is_char_boundary(at + 2) {
                    take(destination(&line[at + 2..]), is_image, found);
                }
            }
            b'<' if starts_tag(rest) => {
                if let Some(source) = source(line, at) {
                    take(source, true, found);
                }
            }
            b'h' if rest.starts_with(b"https://") || rest.starts_with(b"http://") => {
                let url = up_to(&line[at..], &[' ', '\t', '<', '>', '"', '\'', ')', ']', '|']);
                take(url.trim_end_matches(['.', ',', ';', ':', '!']), false, found);
                at += url.len();
                continue;
            }
            _ => {}
        }
        at += 1;
    }
}

fn take<'t>(url: &'t str, is_image: bool, found: &mut BTreeSet<&'t str>) {
    let url = up_to(url, &['?', '#']);
    if !url.is_empty() && (is_image && !is_embedded(url) || is_upload(url)) {
        found.insert(url);
    }
}

/// An image whose bytes stand in the link.
fn is_embedded(url: &str) -> bool {
    url.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

fn is_upload(url: &str) -> bool {
    let url = clipped(url, LONGEST);
    PLACES.iter().any(|place| url.contains(place))
        || FOLDERS.iter().any(|(folder, is_part, least)| {
            let after = url.find(folder).map(|at| &url.as_bytes()[at + folder.len()..]);
            after.is_some_and(|name| name.iter().take_while(|byte| is_part(**byte)).count() >= *least)
        })
}

/// Where a link in Markdown leads: up to a space or the parenthesis that closes it. No address has more than a few in it.
fn destination(text: &str) -> &str {
    let text = text.trim_start_matches(' ');
    if let Some(text) = text.strip_prefix('<') {
        return up_to(text, &['>']);
    }
    let mut open = 0usize;
    let end = clipped(text, LONGEST).bytes().position(|byte| match byte {
        b'(' => {
            open += 1;
            open > 8
        }
        b')' if open == 0 => true,
        b')' => {
            open -= 1;
            false
        }
        _ => byte == b' ' || byte == b'\t',
    });
    end.filter(|_| open <= 8).map_or("", |end| &text[..end])
}

fn starts_tag(text: &[u8]) -> bool {
    let is = |name: &[u8]| text.get(1..=name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name));
    [&b"img"[..], b"video", b"audio", b"source"].into_iter().any(is)
}

/// The `src` of an element of HTML on one line.
fn source(line: &str, at: usize) -> Option<&str> {
    let tag = up_to(&line[at + 1..], &['<', '>']);
    let name = tag.as_bytes().windows(4).position(|name| name.eq_ignore_ascii_case(b"src="))?;
    let value = &tag[name + 4..];
    match value.chars().next()? {
        quote @ ('"' | '\'') => Some(up_to(&value[1..], &[quote])),
        _ => Some(up_to(value, &[' ', '\t'])),
    }
}

fn up_to<'t>(text: &'t str, ends: &[char]) -> &'t str {
    let text = clipped(text, 2 * LONGEST);
    text.find(ends).map_or(text, |end| &text[..end])
}

/// The beginning of a text: nothing here looks further than it must, whatever stands there.
fn clipped(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}
