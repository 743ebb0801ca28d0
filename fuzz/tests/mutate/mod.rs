//! Seeded mutations of bytes: flips, numbers at the limits, pieces cut, doubled, moved between inputs.

const NUMBERS: [u64; 10] =
    [0, 1, 0x7f, 0xff, 0x7fff_ffff, 0xffff_ffff, 1 << 31, 1 << 60, u64::MAX >> 1, u64::MAX];
const WORDS: [&[u8]; 12] = [
    b"0",
    b"-1",
    b"1e308",
    b"nan",
    b"18446744073709551615",
    b"9999999999999999999999",
    b"\n",
    b"\t",
    b"\"",
    b"{}",
    b"\xff",
    b"null",
];

pub(crate) struct Mutator(u64);

impl Mutator {
    /// Another sequence for each name.
    pub(crate) fn new(name: &str) -> Self {
        Self(name.bytes().fold(1, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into())))
    }

    /// A number below `bound`, by splitmix64.
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as usize
    }

    /// A piece of the bytes, as a range.
    fn piece(&mut self, bytes: &[u8]) -> std::ops::Range<usize> {
        let start = self.below(bytes.len() + 1);
        let length = self.below((bytes.len() - start).min(32) + 1);
        start..start + length
    }

    /// One to four changes of one of the inputs.
    pub(crate) fn mutate(&mut self, inputs: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = inputs[self.below(inputs.len())].clone();
        for _ in 0..=self.below(4) {
            let (at, kind) = (self.below(bytes.len()), self.below(8));
            match kind {
                0 if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
                1 if !bytes.is_empty() => bytes[at] = self.below(256) as u8,
                2 => {
                    let number = NUMBERS[self.below(NUMBERS.len())].to_le_bytes();
                    let number = &number[..[1, 4, 8][self.below(3)]];
                    if let Some(place) = bytes.get_mut(at..at + number.len()) {
                        place.copy_from_slice(number);
                    }
                }
                3 => {
                    let word = WORDS[self.below(WORDS.len())];
                    bytes.splice(at..at, word.iter().copied());
                }
                4 => {
                    let cut = self.piece(&bytes);
                    bytes.drain(cut);
                }
                5 => {
                    let piece = self.piece(&bytes);
                    let piece = bytes[piece].to_vec();
                    bytes.splice(at..at, piece);
                }
                6 => {
                    let other = &inputs[self.below(inputs.len())];
                    let piece = self.piece(other);
                    bytes.splice(at..at, other[piece].to_vec());
                }
                _ => bytes.truncate(at),
            }
        }
        bytes
    }
}
