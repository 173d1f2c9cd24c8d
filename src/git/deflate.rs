//! Deflate for objects of some kilobytes, of which a dump has a hundred thousand: one pass, without a state to clear and without
//! a tree of codes to build for each of them.
//!
//! A stream has one block (RFC 1951, in the frame of RFC 1950). Its codes are the shorter of two that are known beforehand: those of
//! the format itself, and a table that fits JSON. zlib spends more time on clearing its tables and on making codes than on such
//! an object itself.

use std::sync::LazyLock;

use adler2::adler32_slice;

/// A place is found again by a hash of so many bits of its first four bytes; only the last place of each hash is known.
const HASH_BITS: u32 = 13;

/// The longest match of the format.
const LONGEST: usize = 258;

/// The most bytes that are taken: a match may then lie anywhere before.
pub(super) const MOST: usize = 32 << 10;

/// The symbol that ends a block.
const END: usize = 256;

/// How many symbols there are for literals and lengths, and for distances.
const LITERALS: usize = 286;
const DISTANCES: usize = 30;

/// The order in which the lengths of the codes of lengths stand (RFC 1951, 3.2.7).
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// The lengths of the codes that fit JSON, for literals and matches: so many symbols in turn have this length. They were counted
/// from the elements of recorded threads, and neighbours made alike where that saves more of a block's head than it costs.
const JSON_LITERALS: [(u8, usize); 45] = [
    (14, 32),
    (8, 1),
    (14, 1),
    (4, 1),
    (10, 1),
    (14, 1),
    (11, 1),
    (12, 6),
    (6, 1),
    (7, 1),
    (8, 1),
    (5, 7),
    (6, 5),
    (12, 4),
    (10, 11),
    (14, 2),
    (10, 10),
    (11, 4),
    (9, 4),
    (14, 1),
    (7, 1),
    (10, 1),
    (5, 4),
    (4, 1),
    (5, 1),
    (7, 7),
    (6, 5),
    (5, 2),
    (6, 1),
    (8, 2),
    (9, 1),
    (8, 1),
    (10, 1),
    (8, 1),
    (14, 1),
    (8, 1),
    (14, 132),
    (5, 1),
    (6, 1),
    (7, 4),
    (8, 2),
    (9, 4),
    (10, 9),
    (14, 6),
    (10, 1),
];

/// The same for distances.
const JSON_DISTANCES: [(u8, usize); 10] =
    [(10, 3), (8, 2), (5, 6), (4, 1), (2, 1), (4, 6), (5, 2), (6, 2), (7, 2), (10, 5)];

/// The lengths of the codes that write these lengths.
const JSON_HEAD: [u8; 19] = [0, 0, 6, 0, 5, 4, 4, 4, 4, 5, 4, 6, 5, 0, 4, 0, 1, 0, 0];

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
        let costs = self.tokenise(bytes, tables);
        let codes = if costs[1] < costs[0] { &tables.json } else { &tables.plain };
        let stored = bytes.len() + 5;
        let mut out = Bits::with_capacity(stored.min(costs[0].min(costs[1]) as usize / 8 + 1) + 16);
        // The frame: a window of 32 KiB, the fastest level, no dictionary.
        out.bytes.extend([0x78, 0x01]);
        if costs[0].min(costs[1]) as usize / 8 >= stored {
            let length = bytes.len() as u16;
            out.bytes.push(1);
            out.bytes.extend(length.to_le_bytes().into_iter().chain((!length).to_le_bytes()));
            out.bytes.extend_from_slice(bytes);
        } else {
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
        }
        out.bytes.extend(adler32_slice(bytes).to_be_bytes());
        out.bytes
    }

    /// Finds literals and matches: a byte, or length × 65,536 + distance. Gives the bits that they take in either code.
    fn tokenise(&mut self, bytes: &[u8], tables: &Tables) -> [u64; 2] {
        self.tokens.clear();
        if self.base > u32::MAX - 2 * MOST as u32 {
            self.last.fill(0);
            self.base = 1;
        }
        let mut costs = [tables.plain.frame(), tables.json.frame()];
        let mut at = 0;
        while let Some(four) = four_at(bytes, at) {
            let found = self.replace(four, at);
            let length = match found {
                Some(before) if four_at(bytes, before) == Some(four) => same_length(bytes, before, at),
                _ => 0,
            };
            if length == 0 {
                self.literal(bytes[at], &mut costs, tables);
                at += 1;
                continue;
            }
            let distance = (at - found.unwrap_or(at)) as u16;
            for (cost, codes) in costs.iter_mut().zip([&tables.plain, &tables.json]) {
                *cost += u64::from(codes.lengths[length].count + codes.distance(distance).count);
            }
            self.tokens.push((length as u32) << 16 | u32::from(distance));
            // Every other place in a match is enough to be found again.
            for inside in (at + 1..at + length).step_by(2) {
                if let Some(four) = four_at(bytes, inside) {
                    self.replace(four, inside);
                }
            }
            at += length;
        }
        for byte in &bytes[at..] {
            self.literal(*byte, &mut costs, tables);
        }
        self.base += bytes.len() as u32;
        costs
    }

    fn literal(&mut self, byte: u8, costs: &mut [u64; 2], tables: &Tables) {
        costs[0] += u64::from(tables.plain.literals[usize::from(byte)].count);
        costs[1] += u64::from(tables.json.literals[usize::from(byte)].count);
        self.tokens.push(u32::from(byte));
    }

    /// Notes a place by its first four bytes, and gives the last one in this object that may have the same.
    fn replace(&mut self, four: u32, at: usize) -> Option<usize> {
        let hash = four.wrapping_mul(0x9E37_79B1) >> (32 - HASH_BITS);
        let before = std::mem::replace(&mut self.last[hash as usize], self.base + at as u32);
        before.checked_sub(self.base).map(|before| before as usize)
    }
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

/// Some bits, the first to be written lowest.
#[derive(Clone, Copy, Default)]
struct Code {
    bits: u32,
    count: u32,
}

impl Code {
    fn of(bits: usize, count: usize) -> Self {
        Self::default().then(bits, count)
    }

    /// This, and other bits after it.
    fn then(self, bits: usize, count: usize) -> Self {
        Self { bits: self.bits | (bits as u32) << self.count, count: self.count + count as u32 }
    }
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

/// Both sets of codes, and which symbol a match has.
struct Tables {
    plain: Codes,
    json: Codes,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    // Two that never stand in a stream have a code too.
    let mut plain = [8; LITERALS + 2];
    plain[144..END].fill(9);
    plain[END..280].fill(7);
    Tables {
        plain: Codes::new(vec![Code::of(0b011, 3)], &plain, &[5; DISTANCES]),
        json: Codes::new(head(), &spread(&JSON_LITERALS), &spread(&JSON_DISTANCES)),
    }
});

/// The codes of a block.
struct Codes {
    /// What the block begins with.
    head: Vec<Code>,
    /// Those of bytes and of the end.
    literals: [Code; END + 1],
    /// By the length of a match, with the bits that follow.
    lengths: [Code; LONGEST + 1],
    /// By the symbol of a distance.
    distances: Vec<Distance>,
    /// The symbol by the distance, less one, of a near match; by the 128th part of that of a far one.
    near: [u8; 256],
    far: [u8; 256],
}

/// A symbol of distances.
struct Distance {
    code: Code,
    first: usize,
    more: usize,
}

impl Codes {
    fn new(head: Vec<Code>, literals: &[u8], distances: &[u8]) -> Self {
        let of_symbols = canonical(literals);
        let mut codes = Self {
            head,
            literals: std::array::from_fn(|symbol| of_symbols[symbol]),
            lengths: [Code::default(); LONGEST + 1],
            distances: Vec::new(),
            near: [0; 256],
            far: [0; 256],
        };
        let mut next = 3;
        for (symbol, code) in of_symbols[END + 1..LITERALS].iter().enumerate() {
            // RFC 1951, 3.2.5; the longest match has a symbol of its own.
            let more = if (8..28).contains(&symbol) { symbol / 4 - 1 } else { 0 };
            let first = next;
            next += 1 << more;
            for rest in 0..1 << more {
                codes.lengths[(first + rest).min(LONGEST)] = code.then(rest, more);
            }
        }
        let mut first = 0;
        for (symbol, code) in canonical(distances).into_iter().enumerate() {
            let more = (symbol / 2).saturating_sub(1);
            for at in first..first + (1 << more) {
                let (table, at) = if at < 256 { (&mut codes.near, at) } else { (&mut codes.far, at >> 7) };
                table[at] = symbol as u8;
            }
            codes.distances.push(Distance { code, first, more });
            first += 1 << more;
        }
        codes
    }

    /// The code of a distance, with the bits that follow.
    fn distance(&self, distance: u16) -> Code {
        let at = usize::from(distance) - 1;
        let symbol = if at < 256 { self.near[at] } else { self.far[at >> 7] };
        let Distance { code, first, more } = &self.distances[usize::from(symbol)];
        code.then(at - first, *more)
    }

    /// The bits of a block without its bytes.
    fn frame(&self) -> u64 {
        self.head.iter().chain(&self.literals[END..]).map(|code| u64::from(code.count)).sum()
    }
}

/// The canonical codes of symbols by their lengths (RFC 1951, 3.2.2), turned round as they are written.
fn canonical(lengths: &[u8]) -> Vec<Code> {
    let mut codes = vec![Code::default(); lengths.len()];
    let mut next = 0u32;
    for length in 1..=15 {
        for (code, _) in codes.iter_mut().zip(lengths).filter(|(_, its)| u32::from(**its) == length) {
            *code = Code { bits: next.reverse_bits() >> (32 - length), count: length };
            next += 1;
        }
        next <<= 1;
    }
    codes
}

fn spread(runs: &[(u8, usize)]) -> Vec<u8> {
    runs.iter().flat_map(|(length, count)| std::iter::repeat_n(*length, *count)).collect()
}

/// What begins a block with the codes for JSON: the lengths of its codes, repetitions counted (RFC 1951, 3.2.7).
fn head() -> Vec<Code> {
    let known = ORDER.iter().rposition(|symbol| JSON_HEAD[*symbol] > 0).unwrap_or(3) + 1;
    let mut head =
        vec![Code::of(0b101, 3), Code::of(LITERALS - 257, 5), Code::of(DISTANCES - 1, 5), Code::of(known - 4, 4)];
    head.extend(ORDER[..known].iter().map(|symbol| Code::of(usize::from(JSON_HEAD[*symbol]), 3)));
    let codes = canonical(&JSON_HEAD);
    let lengths = [spread(&JSON_LITERALS), spread(&JSON_DISTANCES)].concat();
    for run in lengths.chunk_by(|a, b| a == b) {
        head.push(codes[usize::from(run[0])]);
        let mut rest = run.len() - 1;
        while rest >= 3 {
            let again = rest.min(6);
            head.push(codes[16].then(again - 3, 2));
            rest -= again;
        }
        head.extend(std::iter::repeat_n(codes[usize::from(run[0])], rest));
    }
    head
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
    fn json_is_shorter_by_the_codes_that_fit_it() {
        let item = |n: usize| {
            format!(
                r#"{{"body":"The quick brown fox jumps over dog number {n}.","created_at":"2026-01-{n:02}T00:00:00Z"}}"#
            )
        };
        let text: String = (10..28).map(item).collect();
        let stream = Deflater::new().compress(text.as_bytes());
        assert_eq!(stream[2] & 7, 0b101, "a block with codes of its own");
        assert!(stream.len() * 3 < text.len());
    }
}
