//! The first line of a file of the KONECT collection, such as `% asym positive`: directions, and what weights are.

/// What KONECT calls weights.
const WEIGHTS: [&[u8]; 9] = [
    b"unweighted",
    b"positive",
    b"posweighted",
    b"signed",
    b"multisigned",
    b"weighted",
    b"multiweighted",
    b"multiposweighted",
    b"dynamic",
];

/// Whether edges have a direction, by the first line; none where it is not KONECT's. An error says why the file cannot be read.
pub(in crate::data::network) fn konect(text: &[u8]) -> Result<Option<bool>, String> {
    let line = text.split(|&byte| byte == b'\n').next().and_then(|line| line.strip_prefix(b"%"));
    let words: Vec<&[u8]> =
        line.unwrap_or_default().split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    let [kind, weights] = words[..] else { return Ok(None) };
    match kind {
        _ if !WEIGHTS.contains(&weights) => Ok(None),
        b"asym" => Ok(Some(true)),
        b"sym" => Ok(Some(false)),
        b"bip" => Err("is a bipartite network of KONECT, whose two sides have the same numbers as ids: \
                       give the nodes of one side others, such as p1, p2, …, and leave this line out"
            .into()),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_lines_of_konect_say_the_direction() {
        assert_eq!(konect(b"% asym unweighted\n% 3 3 3\n1 2\n"), Ok(Some(true)));
        assert_eq!(konect(b"%  sym\tpositive\n1 2 3\n"), Ok(Some(false)));
        assert!(konect(b"% bip weighted\n1 1 2\n").unwrap_err().contains("bipartite"));
        for other in
            [&b""[..], b"% asym", b"# asym weighted\n", b"% asym of nodes\n", b"% a weighted\n", b"1 2\n"]
        {
            assert_eq!(konect(other), Ok(None));
        }
    }
}
