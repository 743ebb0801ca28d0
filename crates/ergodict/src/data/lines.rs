//! Lines of large tables: numbers have as few digits as `{}` writes, several times as fast.

use super::NodeIds;
use super::network::write_name;
use std::io::{self, Write};

/// Bytes that are written at once.
const BLOCK: usize = 1 << 16;

/// Fields and lines, written a block at a time.
pub(crate) struct Lines<'a> {
    out: &'a mut dyn Write,
    bytes: Vec<u8>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, bytes: Vec::with_capacity(BLOCK + (BLOCK >> 2)) }
    }

    /// Text as it is.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.bytes.extend_from_slice(text.as_bytes());
        self
    }

    pub(crate) fn integer(&mut self, value: impl itoa::Integer) -> &mut Self {
        self.text(itoa::Buffer::new().format(value))
    }

    /// A number with the fewest decimals that are read back as it, and never an exponent.
    pub(crate) fn number(&mut self, value: f64) -> &mut Self {
        let mut buffer = zmij::Buffer::new();
        let text = buffer.format(value);
        if text.contains('e') {
            return self.text(&value.to_string());
        }
        self.text(text.strip_suffix(".0").unwrap_or(text))
    }

    /// The name of a node, in quotation marks where it needs them.
    ///
    /// # Errors
    /// Those of [`write_name`].
    pub(crate) fn node(&mut self, ids: &NodeIds, v: usize) -> io::Result<&mut Self> {
        match ids.integer(v) {
            Some(id) => self.integer(id),
            None => self.text(&write_name(&ids.name(v))?),
        };
        Ok(self)
    }

    /// The end of a line.
    ///
    /// # Errors
    /// Of writing.
    pub(crate) fn end(&mut self) -> io::Result<()> {
        self.bytes.push(b'\n');
        if self.bytes.len() >= BLOCK { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> io::Result<()> {
        self.out.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }

    /// Writes what is left, and flushes.
    ///
    /// # Errors
    /// Of writing.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.write()?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(value: f64) -> String {
        let mut out = Vec::new();
        let mut lines = Lines::new(&mut out);
        lines.number(value);
        lines.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn numbers_have_the_fewest_digits_that_are_read_back(bits: u64, mean in 0.0..2.0f64, whole: i64) {
            for value in [f64::from_bits(bits), mean, f64::from(mean as f32), whole as f64, whole as f64 / 8.0, -mean * 1e-4] {
                // Of two numbers of as many digits, equally near, Display takes the upper one, and this the even one.
                let (text, display) = (written(value), value.to_string());
                prop_assert!(text == display || text.parse() == Ok(value) && text.len() == display.len(), "{} {}", text, display);
            }
        }
    }

    #[test]
    fn numbers_at_the_edges_are_written_as_display_writes_them() {
        for value in
            [0.0, -0.0, 1.0, 1e-5, 9.999e-6, 1e15, 1e16, 1e17, f64::MAX, f64::MIN_POSITIVE, 5e-324, f64::NAN]
        {
            assert_eq!(written(value), value.to_string());
        }
        assert_eq!((written(f64::INFINITY), written(f64::NEG_INFINITY)), ("inf".into(), "-inf".into()));
    }

    #[test]
    fn what_is_finished_is_flushed() {
        let mut out = io::BufWriter::new(Vec::new());
        let mut lines = Lines::new(&mut out);
        lines.text("a").end().unwrap();
        lines.finish().unwrap();
        assert_eq!((out.buffer(), &out.get_ref()[..]), (&b""[..], &b"a\n"[..]));
    }

    #[test]
    fn long_tables_are_written_whole() {
        let ids = NodeIds::words(["a b", "c"]);
        let mut out = Vec::new();
        let mut lines = Lines::new(&mut out);
        let mut expected = Vec::new();
        for i in 0..20_000u64 {
            lines
                .node(&ids, 0)
                .unwrap()
                .text("\t")
                .node(&NodeIds::numbered(9), 7)
                .unwrap()
                .text("\t")
                .integer(i);
            lines.end().unwrap();
            writeln!(expected, "\"a b\"\t7\t{i}").unwrap();
        }
        lines.finish().unwrap();
        assert!(out == expected);
    }
}
