//! Which way up an image is: the tag of Exif, and the turn it asks for.

/// The orientation in an Exif block, from 1 to 8; 1, upright, where there is none.
pub(super) fn find(exif: &[u8]) -> u8 {
    entry(exif).map_or(1, known)
}

/// The orientation that a tag of this value means.
pub(super) fn known(value: u16) -> u8 {
    if (1..=8).contains(&value) { value as u8 } else { 1 }
}

/// The value of the orientation tag in the first directory.
fn entry(exif: &[u8]) -> Option<u16> {
    let little = match exif.get(..4)? {
        b"II*\0" => true,
        b"MM\0*" => false,
        _ => return None,
    };
    let short = |at: usize| {
        let bytes = exif.get(at..)?.first_chunk()?;
        Some(if little { u16::from_le_bytes(*bytes) } else { u16::from_be_bytes(*bytes) })
    };
    let long = |at: usize| {
        let bytes = exif.get(at..)?.first_chunk()?;
        Some(if little { u32::from_le_bytes(*bytes) } else { u32::from_be_bytes(*bytes) })
    };
    let first = long(4)? as usize;
    // An entry is a tag, a type, a count and a value; the orientation is one short number.
    (0..usize::from(short(first)?))
        .map(|n| first.saturating_add(2 + 12 * n))
        .take_while(|at| short(*at).is_some())
        .find(|&at| short(at) == Some(0x112) && short(at + 2) == Some(3) && long(at + 4) == Some(1))
        .and_then(|at| short(at + 8))
}

/// Values of an image with this orientation as they are to be seen, and their shape.
pub(super) fn turn(
    orientation: u8,
    (rows, cols): (usize, usize),
    channels: usize,
    values: Vec<f32>,
) -> ((usize, usize), Vec<f32>) {
    if orientation == 1 {
        return ((rows, cols), values);
    }
    let transposed = orientation >= 5;
    let (from_bottom, from_right) =
        (matches!(orientation, 3 | 4 | 6 | 7), matches!(orientation, 2 | 3 | 7 | 8));
    let shape = if transposed { (cols, rows) } else { (rows, cols) };
    let mut turned = Vec::with_capacity(values.len());
    for i in 0..shape.0 {
        for j in 0..shape.1 {
            let (row, col) = if transposed { (j, i) } else { (i, j) };
            let row = if from_bottom { rows - 1 - row } else { row };
            let col = if from_right { cols - 1 - col } else { col };
            turned.extend_from_slice(&values[(row * cols + col) * channels..][..channels]);
        }
    }
    (shape, turned)
}
