//! PNM: bitmaps, graymaps and pixmaps in text or bytes (P1 to P6), and PAM (P7).

use super::pixels::{Pixels, Problem, Samples, shape};

/// What the header of a file claims.
struct Header {
    width: u32,
    height: u32,
    channels: usize,
    /// The value of white.
    most: u32,
}

/// Samples are stretched from their maximum to that of 8 or 16 bits, whichever holds it; those above it are white.
pub(super) fn decode(bytes: &[u8]) -> Result<Pixels, Problem> {
    let kind = bytes.get(1).copied().unwrap_or(0);
    let mut rest = bytes.get(2..).unwrap_or(&[]);
    let header = if kind == b'7' { lines(&mut rest)? } else { numbers(kind, &mut rest)? };
    let Header { width, height, channels, most } = header;
    let shape = shape(width.into(), height.into())?;
    let count = shape.0 * shape.1 * channels;
    let samples = match (kind, most) {
        (_, 0) => return Err(Problem::Damaged("the maximum is 0".into())),
        (_, 65536..) => return Err(Problem::Damaged(format!("the maximum {most} is more than 65535"))),
        (b'1', _) => Samples::Bits8(digits(rest, count)?),
        (b'4', _) => Samples::Bits8(bits(rest, shape)?),
        (b'2' | b'3', 0..256) => Samples::Bits8(stretched(text(rest, count)?, most)),
        (b'2' | b'3', _) => Samples::Bits16(stretched(text(rest, count)?, most)),
        (_, 0..256) => Samples::Bits8(stretched(raw(rest, count)?.to_vec(), most)),
        _ => {
            let pairs = raw(rest, 2 * count)?.as_chunks().0.iter();
            Samples::Bits16(stretched(pairs.map(|pair| u16::from_be_bytes(*pair)).collect(), most))
        }
    };
    let (colors, alpha) = (if channels < 3 { 1 } else { 3 }, channels % 2 == 0);
    Ok(Pixels { shape, colors, alpha, samples, orientation: 1 })
}

/// The header of P1 to P6: width, height and, but for bitmaps, the maximum.
fn numbers(kind: u8, rest: &mut &[u8]) -> Result<Header, Problem> {
    let (width, height) = (number(rest, "width")?, number(rest, "height")?);
    let most = if matches!(kind, b'1' | b'4') { 1 } else { number(rest, "maximum")? };
    Ok(Header { width, height, channels: if matches!(kind, b'3' | b'6') { 3 } else { 1 }, most })
}

/// The next number, after blanks and comments, which end with their line; the one blank after it is taken too.
fn number(rest: &mut &[u8], name: &str) -> Result<u32, Problem> {
    let mut value = None;
    while let Some((&byte, after)) = rest.split_first() {
        *rest = after;
        match byte {
            b'0'..=b'9' => {
                let more = value.unwrap_or(0_u32).checked_mul(10);
                let more = more.and_then(|v| v.checked_add(u32::from(byte - b'0')));
                value = Some(more.ok_or_else(|| Problem::Damaged(format!("the {name} is too large")))?);
            }
            b'#' => {
                let end = rest.iter().position(|b| matches!(b, b'\n' | b'\r'));
                *rest = end.map_or(&[], |end| &rest[end + 1..]);
            }
            b' ' | b'\t'..=b'\r' => {}
            _ => return Err(Problem::Damaged(format!("the {name} is not a number"))),
        }
        if value.is_some() && !byte.is_ascii_digit() {
            break;
        }
    }
    value.ok_or_else(|| Problem::Damaged(format!("there is no {name}")))
}

/// The header of PAM, whose lines are named.
fn lines(rest: &mut &[u8]) -> Result<Header, Problem> {
    let wrong = |what: &str| Problem::Damaged(what.to_owned());
    let names = ["WIDTH", "HEIGHT", "DEPTH", "MAXVAL"];
    let (mut found, mut kind) = ([None; 4], String::new());
    if rest.first() != Some(&b'\n') {
        return Err(wrong("no line ends after P7"));
    }
    loop {
        let Some(end) = rest[1..].iter().position(|b| *b == b'\n') else {
            return Err(wrong("the header has no end"));
        };
        let line = str::from_utf8(&rest[1..=end]).map_err(|_| wrong("the header is not text"))?.trim();
        *rest = &rest[end + 1..];
        let (name, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match (name, names.iter().position(|n| *n == name)) {
            ("ENDHDR", _) => break,
            ("TUPLTYPE", _) => kind = format!("{kind} {}", value.trim()),
            (_, Some(at)) if found[at].is_none() => {
                found[at] =
                    Some(value.trim().parse().map_err(|_| wrong(&format!("{name} is not a number")))?);
            }
            (_, None) if name.is_empty() || name.starts_with('#') => {}
            _ => return Err(wrong(&format!("the line {name} is unknown or there twice"))),
        }
    }
    *rest = &rest[1..];
    let [Some(width), Some(height), Some(depth), Some(most)] = found else {
        return Err(wrong("WIDTH, HEIGHT, DEPTH or MAXVAL is missing"));
    };
    match (depth, kind.trim()) {
        (1, "" | "BLACKANDWHITE" | "GRAYSCALE")
        | (2, "" | "BLACKANDWHITE_ALPHA" | "GRAYSCALE_ALPHA")
        | (3, "" | "RGB")
        | (4, "" | "RGB_ALPHA") => Ok(Header { width, height, channels: depth as usize, most }),
        (_, kind) => Err(Problem::Unsupported(format!("{depth} channels of the type {kind:?}"))),
    }
}

fn short(found: usize, count: usize) -> Problem {
    Problem::Damaged(format!("{found} of {count} samples"))
}

/// The first bytes of the rest.
fn raw(rest: &[u8], count: usize) -> Result<&[u8], Problem> {
    rest.get(..count).ok_or_else(|| short(rest.len(), count))
}

/// Samples in text.
fn text<T: TryFrom<u32>>(mut rest: &[u8], count: usize) -> Result<Vec<T>, Problem> {
    // As many as there are bytes for, whatever the header claims.
    let mut samples = Vec::with_capacity(count.min(rest.len()));
    while samples.len() < count {
        if rest.trim_ascii_start().is_empty() {
            return Err(short(samples.len(), count));
        }
        let value = number(&mut rest, "sample")?;
        samples.push(
            T::try_from(value).map_err(|_| Problem::Damaged(format!("the sample {value} is too large")))?,
        );
    }
    Ok(samples)
}

/// Bits in text, with or without blanks between them; 1 is black.
fn digits(rest: &[u8], count: usize) -> Result<Vec<u8>, Problem> {
    let mut samples = Vec::with_capacity(count.min(rest.len()));
    let mut rest = rest.iter();
    while samples.len() < count {
        match rest.next() {
            Some(b'0') => samples.push(255),
            Some(b'1') => samples.push(0),
            Some(b' ' | b'\t'..=b'\r') => {}
            Some(b'#') => drop(rest.by_ref().find(|b| matches!(b, b'\n' | b'\r'))),
            Some(other) => return Err(Problem::Damaged(format!("the byte {other:#04x} is no bit"))),
            None => return Err(short(samples.len(), count)),
        }
    }
    Ok(samples)
}

/// Bits in bytes, each row in bytes of its own; 1 is black.
fn bits(rest: &[u8], (rows, cols): (usize, usize)) -> Result<Vec<u8>, Problem> {
    let line = cols.div_ceil(8);
    let bytes = raw(rest, rows * line)?;
    let row = |row: &[u8]| {
        (0..cols).map(|j| if row[j / 8] << (j % 8) & 0x80 == 0 { 255 } else { 0 }).collect::<Vec<_>>()
    };
    Ok(bytes.chunks_exact(line).flat_map(row).collect())
}

/// A sample of 8 or 16 bits.
trait Sample: Copy {
    const MOST: u32;
    fn stretched(self, factor: f32) -> Self;
}

impl Sample for u8 {
    const MOST: u32 = 255;
    fn stretched(self, factor: f32) -> Self {
        (f32::from(self) * factor).round() as Self
    }
}

impl Sample for u16 {
    const MOST: u32 = 65535;
    fn stretched(self, factor: f32) -> Self {
        (f32::from(self) * factor).round() as Self
    }
}

/// Samples up to `most` as samples up to the maximum of their type.
fn stretched<T: Sample>(mut samples: Vec<T>, most: u32) -> Vec<T> {
    if most != T::MOST {
        let factor = T::MOST as f32 / most as f32;
        samples.iter_mut().for_each(|sample| *sample = sample.stretched(factor));
    }
    samples
}
