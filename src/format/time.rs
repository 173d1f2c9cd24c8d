//! Moments as a forge or a recording gives them, always UTC.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use jiff::tz::Offset;

/// A moment. Written as RFC 3339 in UTC with `Z`, a fraction only when it is not zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(Timestamp);

impl Time {
    /// The moment of a count of whole seconds since 1970, if it is in a year that RFC 3339 can write: 0 to 9999.
    pub fn from_unix(seconds: i64) -> Option<Self> {
        Self::within(Timestamp::from_second(seconds).ok()?)
    }

    /// An offset can take a time out of the years that are written with four digits.
    fn within(time: Timestamp) -> Option<Self> {
        (0..=9999).contains(&Offset::UTC.to_datetime(time).year()).then_some(Self(time))
    }

    /// Whole seconds since 1970.
    pub fn unix(self) -> i64 {
        self.0.as_second()
    }

    /// Reads an HTTP date (RFC 9110 §5.6.7, the form `Fri, 08 Apr 2022 17:54:33 GMT`).
    /// Anything else is no date: recordings contain template text and clocks with dashes.
    pub fn from_http_date(text: &str) -> Option<Self> {
        if text.len() != 29 || !text.ends_with(" GMT") {
            return None;
        }
        rfc2822::DateTimeParser::new().parse_timestamp(text).ok().and_then(Self::within)
    }

    /// The form of a file name, without characters that a file system refuses: `20260102T030405Z`.
    pub fn file_stamp(self) -> String {
        let mut stamp = String::with_capacity(16);
        self.append_stamp(&mut stamp);
        stamp
    }

    /// Appends [`Time::file_stamp`].
    pub(super) fn append_stamp(self, out: &mut String) {
        let at = Offset::UTC.to_datetime(self.0);
        // Writing to a text cannot fail.
        let _ = write!(out, "{:04}", at.year());
        for (before, number) in
            [("", at.month()), ("", at.day()), ("T", at.hour()), ("", at.minute()), ("", at.second())]
        {
            out.push_str(before);
            out.extend([number / 10, number % 10].map(|digit| char::from(b'0' + digit.unsigned_abs())));
        }
        out.push('Z');
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// A text that is not an RFC 3339 moment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a time: expected RFC 3339 such as 2026-01-02T03:04:05Z")]
pub struct NotATime;

impl FromStr for Time {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<Self, NotATime> {
        // jiff reads more than RFC 3339 (week dates, a bare space, named zones); a forge writes only this.
        let bytes = text.as_bytes();
        let shaped =
            bytes.len() >= 20 && bytes[4] == b'-' && bytes[7] == b'-' && bytes[10] == b'T' && bytes[13] == b':';
        if !shaped || text.contains('[') {
            return Err(NotATime);
        }
        text.parse().ok().and_then(Self::within).ok_or(NotATime)
    }
}
