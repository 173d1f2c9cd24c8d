//! Times with nine digits behind the point, and the keys that sort by them.

use crate::format::time::Time;

/// The key of the record of the entity, which comes first in every listing.
pub const ENTITY_ORDER_KEY: &str = "00000000T000000000000000Z";

/// A time of the forge: `2026-09-08T10:15:30.000000000Z`. The order of the texts is that of the times.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp(String);

impl Stamp {
    /// A moment; `None` before the year 0, which has no spelling.
    pub fn of(time: Time) -> Option<Self> {
        let text = time.to_string();
        let (seconds, fraction) = text.strip_suffix('Z')?.split_at_checked(19)?;
        let digits = fraction.strip_prefix('.').unwrap_or("");
        Self::read(&format!("{seconds}.{digits:0<9}Z"))
    }

    /// A text in exactly this form that names a moment.
    pub fn read(text: &str) -> Option<Self> {
        let shape = b"0000-00-00T00:00:00.000000000Z";
        let same = |(b, s): (u8, &u8)| if *s == b'0' { b.is_ascii_digit() } else { b == *s };
        let shaped = text.len() == shape.len() && text.bytes().zip(shape).all(same);
        (shaped && text.parse::<Time>().is_ok()).then(|| Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key that file names begin with: `20260908T101530000000000Z`.
    pub fn order_key(&self) -> String {
        self.0.replace(['-', ':', '.'], "")
    }
}
