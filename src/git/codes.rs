//! The codes that a deflated block may have: those of RFC 1951 itself, and a table that fits JSON.

use std::sync::LazyLock;

/// The longest match of the format.
pub(super) const LONGEST: usize = 258;

/// The symbol that ends a block.
pub(super) const END: usize = 256;

/// How many symbols there are for literals and lengths, and for distances.
const LITERALS: usize = 286;
const DISTANCES: usize = 30;

/// The order in which the lengths of the codes of lengths stand (RFC 1951, 3.2.7).
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// The lengths of the codes that fit JSON, for literals and matches: a length, how many symbols in turn have it, and so on. They come
/// from the elements of recorded threads, with neighbours made alike where that saves more of a block's head than it costs.
const JSON_LITERALS: [u8; 90] = [
    14, 32, 8, 1, 14, 1, 4, 1, 10, 1, 14, 1, 11, 1, 12, 6, 6, 1, 7, 1, 8, 1, 5, 7, 6, 5, 12, 4, 10, 11, 14, 2, 10, 10,
    11, 4, 9, 4, 14, 1, 7, 1, 10, 1, 5, 4, 4, 1, 5, 1, 7, 7, 6, 5, 5, 2, 6, 1, 8, 2, 9, 1, 8, 1, 10, 1, 8, 1, 14, 1, 8,
    1, 14, 132, 5, 1, 6, 1, 7, 4, 8, 2, 9, 4, 10, 9, 14, 6, 10, 1,
];

/// The same for distances.
const JSON_DISTANCES: [u8; 20] = [10, 3, 8, 2, 5, 6, 4, 1, 2, 1, 4, 6, 5, 2, 6, 2, 7, 2, 10, 5];

/// The lengths of the codes that write these lengths.
const JSON_HEAD: [u8; 19] = [0, 0, 6, 0, 5, 4, 4, 4, 4, 5, 4, 6, 5, 0, 4, 0, 1, 0, 0];

/// Some bits, the first to be written lowest.
#[derive(Clone, Copy, Default)]
pub(super) struct Code {
    pub bits: u32,
    pub count: u32,
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

/// Both sets of codes.
pub(super) struct Tables {
    pub plain: Codes,
    pub json: Codes,
    /// The costs of bytes, and of lengths and distances of matches.
    literals: [Cost; END],
    lengths: [Cost; LONGEST + 1],
    distances: [Cost; DISTANCES],
}

/// Bits in both sets of codes, added up at once: the plain ones in the lower half, those for JSON in the upper one.
pub(super) type Cost = u64;

fn cost(plain: u32, json: u32) -> Cost {
    u64::from(plain) | u64::from(json) << 32
}

impl Tables {
    fn new(plain: Codes, json: Codes) -> Self {
        let of = |a: &Code, b: &Code| cost(a.count, b.count);
        Self {
            literals: std::array::from_fn(|byte| of(&plain.literals[byte], &json.literals[byte])),
            lengths: std::array::from_fn(|length| of(&plain.lengths[length], &json.lengths[length])),
            distances: std::array::from_fn(|symbol| {
                let bits = |codes: &Codes| codes.distances[symbol].code.count + codes.distances[symbol].more as u32;
                cost(bits(&plain), bits(&json))
            }),
            plain,
            json,
        }
    }

    /// The bits of a block without its bytes.
    pub fn frame(&self) -> Cost {
        cost(self.plain.frame(), self.json.frame())
    }

    pub fn literal(&self, byte: u8) -> Cost {
        self.literals[usize::from(byte)]
    }

    pub fn matched(&self, length: usize, distance: usize) -> Cost {
        self.lengths[length] + self.distances[usize::from(self.plain.symbol(distance))]
    }
}

pub(super) static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    // Two that never stand in a stream have a code too.
    let mut plain = [8; LITERALS + 2];
    plain[144..END].fill(9);
    plain[END..280].fill(7);
    Tables::new(
        Codes::new(vec![Code::of(0b011, 3)], &plain, &[5; DISTANCES]),
        Codes::new(head(), &spread(&JSON_LITERALS), &spread(&JSON_DISTANCES)),
    )
});

/// The codes of a block.
pub(super) struct Codes {
    /// What the block begins with.
    pub head: Vec<Code>,
    /// Those of bytes and of the end.
    pub literals: [Code; END + 1],
    /// By the length of a match, with the bits that follow.
    pub lengths: [Code; LONGEST + 1],
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
    pub fn distance(&self, distance: u16) -> Code {
        let Distance { code, first, more } = &self.distances[usize::from(self.symbol(usize::from(distance)))];
        code.then(usize::from(distance) - 1 - first, *more)
    }

    fn symbol(&self, distance: usize) -> u8 {
        let at = distance - 1;
        if at < 256 { self.near[at] } else { self.far[at >> 7] }
    }

    fn frame(&self) -> u32 {
        self.head.iter().chain(&self.literals[END..]).map(|code| code.count).sum()
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

fn spread(runs: &[u8]) -> Vec<u8> {
    runs.as_chunks::<2>()
        .0
        .iter()
        .flat_map(|[length, count]| std::iter::repeat_n(*length, usize::from(*count)))
        .collect()
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
