//! Text with line ends of any system: CR alone and CR LF become LF on the way.

use std::io::{Read, Result};

/// A reader of such text.
#[derive(Debug)]
pub(super) struct LineEnds<R> {
    inner: R,
    /// Whether the last byte was a CR, so that an LF after it belongs to it.
    after_return: bool,
}

impl<R> LineEnds<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, after_return: false }
    }
}

impl<R: Read> Read for LineEnds<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        loop {
            let read = self.inner.read(buffer)?;
            let text = &mut buffer[..read];
            // Nearly all files have none.
            if read == 0 || !(self.after_return || text.contains(&b'\r')) {
                return Ok(read);
            }
            let mut kept = 0;
            for at in 0..text.len() {
                let byte = text[at];
                let belongs = byte == b'\n' && self.after_return;
                self.after_return = byte == b'\r';
                if !belongs {
                    text[kept] = if byte == b'\r' { b'\n' } else { byte };
                    kept += 1;
                }
            }
            if kept > 0 {
                return Ok(kept);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_of_all_systems_become_one() {
        let text = b"a\r\nb\rc\n\r\n\r\rd\r";
        for size in 1..8 {
            let (mut found, mut reader) = (Vec::new(), LineEnds::new(&text[..]));
            let mut buffer = vec![0; size];
            loop {
                let read = reader.read(&mut buffer).unwrap();
                if read == 0 {
                    break;
                }
                found.extend_from_slice(&buffer[..read]);
            }
            assert_eq!(String::from_utf8(found).unwrap(), "a\nb\nc\n\n\n\nd\n", "{size}");
        }
    }
}
