//! Deflate for objects of some kilobytes, of which a dump has a hundred thousand: one pass, without a state to clear and without
//! a tree of codes to build for each of them.
//!
//! A stream has one block (RFC 1951, in the frame of RFC 1950). Its codes are the shorter of two that are known beforehand: those of
//! the format itself, and a table that fits JSON. zlib spends more time on clearing its tables and on making codes than on such
//! an object itself.

use adler2::adler32_slice;

use super::codes::{Code, Cost, END, LONGEST, TABLES, Tables};

/// A place is found again by a hash of so many bits of its first four bytes; only the last place of each hash is known.
const HASH_BITS: u32 = 13;

/// The most bytes that are taken: a match may then lie anywhere before.
pub(super) const MOST: usize = 32 << 10;

/// What a stream begins with (RFC 1950): a window of 32 KiB, the fastest level, no dictionary.
const FRAME: [u8; 2] = [0x78, 0x01];

/// Compresses one object after another.
pub(super) struct Deflater {
    /// For each hash the number of the last place that had it, counted over all objects, from one.
    last: Box<[u32]>,
    /// The number of the first place of the present object.
    base: u32,
    tokens: Vec<u32>,
}

impl Deflater {
    pub(super) fn new() -> Self {
        Self { last: vec![0; 1 << HASH_BITS].into(), base: 1, tokens: Vec::new() }
    }

    /// The zlib stream of at most [`MOST`] bytes.
    pub(super) fn compress(&mut self, bytes: &[u8]) -> Vec<u8> {
        let tables = &*TABLES;
        let cost = self.tokenise(bytes, tables);
        let (plain, json) = (cost as u32, (cost >> 32) as u32);
        let (codes, bits) = if json < plain { (&tables.json, json) } else { (&tables.plain, plain) };
        let length = bits as usize / 8;
        if length >= bytes.len() + 5 {
            return stored(bytes);
        }
        let mut out = Bits::with_capacity(length + 17);
        out.bytes.extend(FRAME);
        codes.head.iter().for_each(|code| out.push(*code));
        for token in &self.tokens {
            match token >> 16 {
                0 => out.push(codes.literals[*token as usize]),
                length => {
                    out.push(codes.lengths[length as usize]);
                    out.push(codes.distance(*token as u16));
                }
            }
        }
        out.push(codes.literals[END]);
        out.end();
        out.bytes.extend(adler32_slice(bytes).to_be_bytes());
        out.bytes
    }

    /// Finds literals and matches: a byte, or length × 65,536 + distance. Gives the bits that they take in either code.
    fn tokenise(&mut self, bytes: &[u8], tables: &Tables) -> Cost {
        self.tokens.clear();
        if self.base > u32::MAX - 2 * MOST as u32 {
            self.last.fill(0);
            self.base = 1;
        }
        let mut cost = tables.frame();
        let mut at = 0;
        while let Some(four) = four_at(bytes, at) {
            let found = self.replace(four, at).filter(|before| four_at(bytes, *before) == Some(four));
            let Some(before) = found else {
                cost += tables.literal(bytes[at]);
                self.tokens.push(u32::from(bytes[at]));
                at += 1;
                continue;
            };
            let length = same_length(bytes, before, at);
            cost += tables.matched(length, at - before);
            self.tokens.push((length as u32) << 16 | (at - before) as u32);
            at += length;
        }
        for byte in &bytes[at..] {
            cost += tables.literal(*byte);
            self.tokens.push(u32::from(*byte));
        }
        self.base += bytes.len() as u32;
        cost
    }

    /// Notes a place by its first four bytes, and gives the last one in this object that may have the same.
    fn replace(&mut self, four: u32, at: usize) -> Option<usize> {
        let hash = four.wrapping_mul(0x9E37_79B1) >> (32 - HASH_BITS);
        let before = std::mem::replace(&mut self.last[hash as usize], self.base + at as u32);
        before.checked_sub(self.base).map(|before| before as usize)
    }
}

/// The zlib stream of bytes as they are, in blocks of the most that one can have (RFC 1951, 3.2.4).
pub(super) fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 1000 + 16);
    out.extend(FRAME);
    let mut rest = bytes;
    loop {
        let (block, after) = rest.split_at(rest.len().min(usize::from(u16::MAX)));
        let length = block.len() as u16;
        out.push(u8::from(after.is_empty()));
        out.extend(length.to_le_bytes().into_iter().chain((!length).to_le_bytes()));
        out.extend_from_slice(block);
        if after.is_empty() {
            break;
        }
        rest = after;
    }
    out.extend(adler32_slice(bytes).to_be_bytes());
    out
}

fn four_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|four| u32::from_le_bytes(*four))
}

/// How many bytes are the same from two places on.
fn same_length(bytes: &[u8], before: usize, at: usize) -> usize {
    let here = &bytes[at..bytes.len().min(at + LONGEST)];
    let there = &bytes[before..before + here.len()];
    let (here_words, here_rest) = here.as_chunks::<8>();
    let (there_words, there_rest) = there.as_chunks::<8>();
    for (count, (a, b)) in here_words.iter().zip(there_words).enumerate() {
        let differ = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differ != 0 {
            return count * 8 + differ.trailing_zeros() as usize / 8;
        }
    }
    here_words.len() * 8 + here_rest.iter().zip(there_rest).take_while(|(a, b)| a == b).count()
}

/// Bits as they are written.
struct Bits {
    bytes: Vec<u8>,
    waiting: u64,
    count: u32,
}

impl Bits {
    fn with_capacity(bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes), waiting: 0, count: 0 }
    }

    fn push(&mut self, code: Code) {
        self.waiting |= u64::from(code.bits) << self.count;
        self.count += code.count;
        if self.count >= 32 {
            self.bytes.extend_from_slice(&(self.waiting as u32).to_le_bytes());
            self.waiting >>= 32;
            self.count -= 32;
        }
    }

    /// Fills the last byte.
    fn end(&mut self) {
        let bytes = self.count.div_ceil(8) as usize;
        self.bytes.extend_from_slice(&self.waiting.to_le_bytes()[..bytes]);
        (self.waiting, self.count) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(stream: &[u8]) -> Vec<u8> {
        miniz_oxide::inflate::decompress_to_vec_zlib(stream).expect("a zlib stream")
    }

    /// Bytes that look like nothing, always the same.
    fn noise(count: usize) -> Vec<u8> {
        let mut state = 7u32;
        let next = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        (0..count).map(next).collect()
    }

    #[test]
    fn what_is_compressed_is_what_comes_back() {
        let mut deflater = Deflater::new();
        let json = br#"{"body":"a b c","labels":[],"number":12}"#;
        let mut cases = vec![Vec::new(), b"a".to_vec(), b"abc".to_vec(), json.to_vec(), json.repeat(500), noise(70)];
        cases.extend([noise(MOST), vec![0; MOST], b"0123456789abcdef".repeat(MOST / 16), (0..=255).collect()]);
        // Matches of every length and of every distance, with something else between.
        for length in 1..300 {
            let text = noise(length);
            cases.push([&text[..], &[1, 2], &text, &noise(3 * length), &text].concat());
        }
        for distance in (4..MOST - 8).step_by(331) {
            let mut text = noise(distance);
            text.extend_from_within(..4);
            cases.push(text);
        }
        for case in cases {
            let stream = deflater.compress(&case);
            assert_eq!(back(&stream), case, "{} bytes", case.len());
            assert!(stream.len() <= case.len() + 11, "{} bytes became {}", case.len(), stream.len());
        }
    }

    #[test]
    fn what_is_stored_comes_back() {
        for length in [0, 1, 65_534, 65_535, 65_536, 131_070, 200_000] {
            let bytes = noise(length);
            assert_eq!(back(&stored(&bytes)), bytes, "{length} bytes");
        }
    }

    #[test]
    fn nothing_of_one_object_is_found_in_the_next() {
        let (mut deflater, mut alone) = (Deflater::new(), Deflater::new());
        let text = noise(2000);
        let first = deflater.compress(&text);
        assert_eq!(deflater.compress(&text), first);
        assert_eq!(alone.compress(&text), first);
        // The numbers of places begin anew before they overflow.
        alone.base = u32::MAX - MOST as u32;
        assert_eq!(alone.compress(&text), first);
    }

    #[test]
    fn plain_text_is_shorter_by_the_codes_that_fit_it() {
        let text: Vec<u8> = noise(2000).iter().map(|byte| b"etaoinsrdlcu"[usize::from(*byte) % 12]).collect();
        let stream = Deflater::new().compress(&text);
        assert_eq!(stream[2] & 7, 0b101, "a block with codes of its own");
        assert!(stream.len() * 4 < text.len() * 3, "{}", stream.len());
    }
}
