//! What a bound leaves of a log: its beginning, its end, and what stands around failures.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::bound;
use super::failures::MARKS;

/// Lines before and behind one that speaks of a failure.
const AROUND: (usize, usize) = (6, 18);

/// Room that is kept for the line that says what is not there.
const NOTE: usize = 72;

static FAILURES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let marks = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(MARKS);
    marks.expect("a short list of short words")
});

/// At most `most` bytes of a log, and how many bytes of it are not there. A text that fits is as [`bound::lines`] leaves it, and so is one
/// of which no whole lines fit.
pub(super) fn log(text: Cow<'_, str>, most: Option<usize>) -> (Cow<'_, str>, u64) {
    let (text, _) = bound::lines(text, None);
    match most {
        Some(most) if text.len() > most => match excerpt(&text, most) {
            Some((shown, dropped)) => (Cow::Owned(shown), dropped),
            None => bound::lines(text, Some(most)),
        },
        _ => (text, 0),
    }
}

fn excerpt(text: &str, most: usize) -> Option<(String, u64)> {
    let mut starts = vec![0];
    starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
    let mut chosen =
        Chosen { text, is_shown: vec![false; starts.len() - 1], starts, room: most.checked_sub(2 * NOTE)? };
    let (last, quarter) = (chosen.is_shown.len(), most / 4);
    // The ends first, then failures from the first one on, and what room is left goes to the end and the beginning.
    chosen.take_while(0..last, chosen.room.saturating_sub(quarter));
    chosen.take_while((0..last).rev(), chosen.room.saturating_sub(quarter));
    for line in failures(&chosen) {
        let around = line.saturating_sub(AROUND.0)..(line + AROUND.1 + 1).min(last);
        if !chosen.take_window(around) {
            break;
        }
    }
    chosen.take_while((0..last).rev(), 0);
    chosen.take_while(0..last, 0);
    chosen.is_shown.contains(&true).then(|| chosen.write())
}

/// The lines that speak of a failure, each once.
fn failures(chosen: &Chosen<'_>) -> Vec<usize> {
    let mut lines: Vec<usize> = FAILURES
        .find_iter(chosen.text)
        .map(|found| chosen.starts.partition_point(|start| *start <= found.start()) - 1)
        .collect();
    lines.dedup();
    lines
}

/// The lines that are shown so far, and the bytes that there is room for.
struct Chosen<'t> {
    text: &'t str,
    /// Where each line begins, and the end of the text.
    starts: Vec<usize>,
    is_shown: Vec<bool>,
    room: usize,
}

impl Chosen<'_> {
    fn len(&self, line: usize) -> usize {
        self.starts[line + 1] - self.starts[line]
    }

    /// Takes lines one after the other as long as more than so much room is left.
    fn take_while(&mut self, lines: impl Iterator<Item = usize>, rest: usize) {
        for line in lines {
            if self.is_shown[line] {
                continue;
            }
            let len = self.len(line);
            if self.room < rest + len {
                return;
            }
            self.room -= len;
            self.is_shown[line] = true;
        }
    }

    /// Takes all lines of a window, and the note that it may need; false when there is no room.
    fn take_window(&mut self, lines: Range<usize>) -> bool {
        let new = || lines.clone().filter(|line| !self.is_shown[*line]);
        let need: usize = new().map(|line| self.len(line)).sum();
        if need == 0 {
            return true;
        }
        if self.room < need + NOTE {
            return false;
        }
        self.room -= need + NOTE;
        lines.for_each(|line| self.is_shown[line] = true);
        true
    }

    fn write(&self) -> (String, u64) {
        let (mut out, mut dropped) = (String::new(), 0);
        let mut at = 0;
        while at < self.is_shown.len() {
            let shown = self.is_shown[at];
            let end =
                (at..self.is_shown.len()).find(|line| self.is_shown[*line] != shown).unwrap_or(self.is_shown.len());
            let part = &self.text[self.starts[at]..self.starts[end]];
            if shown {
                out.push_str(part);
            } else {
                dropped += part.len() as u64;
                out.push_str(&format!("[git-docket: {} lines, {} bytes cut out here]\n", end - at, part.len()));
            }
            at = end;
        }
        (out, dropped)
    }
}
