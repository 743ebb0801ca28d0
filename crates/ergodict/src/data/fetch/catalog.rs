//! The networks that can be fetched: where they are published, and how they are known again.

use super::content::Content;
use crate::{Error, Result};
use std::borrow::Cow;

/// A network in the form in which it is published.
///
/// ```
/// let facebook = ergodict::data::fetch::original("facebook")?;
/// assert!(facebook.of_the_paper && facebook.url.ends_with(facebook.file_name()));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Original {
    /// What it is asked for by.
    pub name: Cow<'static, str>,
    /// What nodes and edges are.
    pub description: &'static str,
    /// Where the data were published.
    pub citation: &'static str,
    /// The publisher's page about it.
    pub page: Cow<'static, str>,
    /// The address of the file.
    pub url: Cow<'static, str>,
    /// Length of the file in bytes, where that is publicly known.
    pub bytes: Option<u64>,
    /// SHA-256 of the file, in hexadecimal digits, where that is publicly known.
    pub sha256: Option<Cow<'static, str>>,
    /// What of the file is the network.
    pub part: Part,
    /// What the network is known by.
    pub content: Content,
    /// Whether it is one of the paper's three.
    pub of_the_paper: bool,
}

/// What of a file is the network.
///
/// ```
/// use ergodict::data::fetch::{Part, original};
/// assert_eq!(original("facebook")?.part, Part::Whole);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Part {
    /// All of it.
    Whole,
    /// Its largest component.
    LargestComponent,
}

/// Lengths and checksums of the files are those that public repositories pin for these addresses, most of them several independently;
/// the publisher gives none. Where none was found there is none here. Contents were computed from copies of the networks:
/// that of `facebook` is also the pinned SHA-256 of the decompressed `facebook_combined.txt`.
///
/// The networks Caltech36 and MIT8 of Facebook100 are not here: they are published as MATLAB files in one archive.
static ALL: [Original; 5] = [
    Original {
        name: Cow::Borrowed("facebook"),
        description: "friends on Facebook, around ten of its users",
        citation: "J. McAuley, J. Leskovec, Learning to discover social circles in ego networks, NIPS 2012",
        page: Cow::Borrowed("https://snap.stanford.edu/data/ego-Facebook.html"),
        url: Cow::Borrowed("https://snap.stanford.edu/data/facebook_combined.txt.gz"),
        bytes: Some(218_576),
        sha256: Some(Cow::Borrowed("125e84db872eeba443d270c70315c256b0af43a502fcfe51f50621166ad035d7")),
        part: Part::Whole,
        content: Content::known(
            4039,
            88_234,
            "f41c026ed8af3cc3359f1ca5573d0605fb09ae0eefa34544b820fd8c6e2ef296",
        ),
        of_the_paper: true,
    },
    Original {
        name: Cow::Borrowed("arxiv"),
        description: "authors of astrophysics on arXiv who wrote a paper together",
        citation: "J. Leskovec, J. Kleinberg, C. Faloutsos, ACM Transactions on Knowledge Discovery from Data 1 (2007)",
        page: Cow::Borrowed("https://snap.stanford.edu/data/ca-AstroPh.html"),
        url: Cow::Borrowed("https://snap.stanford.edu/data/ca-AstroPh.txt.gz"),
        bytes: None,
        sha256: Some(Cow::Borrowed("51bf1e2cace269b884481a8502474efa67c0fd01d998ff7f5a154d7d3e527f27")),
        part: Part::Whole,
        content: Content::known(
            18_771,
            198_050,
            "1c978dc4dae1ced3c8a1bab89c0cadc50f684bd1fb618c1f5826a0197dca9f30",
        ),
        of_the_paper: true,
    },
    Original {
        name: Cow::Borrowed("ppi_pathways"),
        description: "human proteins that interact (instead of the paper's BioGRID network)",
        citation: "M. Agrawal, M. Zitnik, J. Leskovec, Pacific Symposium on Biocomputing 23 (2018), 111–122",
        page: Cow::Borrowed("https://snap.stanford.edu/biodata/datasets/10000/10000-PP-Pathways.html"),
        url: Cow::Borrowed("https://snap.stanford.edu/biodata/datasets/10000/files/PP-Pathways_ppi.csv.gz"),
        bytes: None,
        sha256: Some(Cow::Borrowed("a33d7236b90b6f6cfcec11d0e2c5be41867a0bb547a3c4341abf5f9091e62342")),
        part: Part::Whole,
        content: Content::known(
            21_538,
            338_636,
            "25f04bd4e0f865ba29848376ff7bd687105ff452025c1f4779e663c36c40045b",
        ),
        of_the_paper: true,
    },
    Original {
        name: Cow::Borrowed("enron"),
        description: "addresses at Enron that wrote to each other, the largest component",
        citation: "B. Klimt, Y. Yang, Introducing the Enron corpus, CEAS 2004",
        page: Cow::Borrowed("https://snap.stanford.edu/data/email-Enron.html"),
        url: Cow::Borrowed("https://snap.stanford.edu/data/email-Enron.txt.gz"),
        bytes: None,
        sha256: None,
        part: Part::LargestComponent,
        content: Content::known(
            33_696,
            180_811,
            "ef4509d6bdd82a66ba72553fb6234b151aa6e0255cd0ae1056c2735d149c8f60",
        ),
        of_the_paper: false,
    },
    Original {
        name: Cow::Borrowed("twitter"),
        description: "who follows whom on Twitter, around a thousand users, without directions",
        citation: "J. McAuley, J. Leskovec, Learning to discover social circles in ego networks, NIPS 2012",
        page: Cow::Borrowed("https://snap.stanford.edu/data/ego-Twitter.html"),
        url: Cow::Borrowed("https://snap.stanford.edu/data/twitter_combined.txt.gz"),
        bytes: Some(10_634_845),
        sha256: Some(Cow::Borrowed("d9f99b0e6a53b9204b8c215f41b3c10fb99a1e1e783858c012b06d0d3d4bd129")),
        part: Part::Whole,
        content: Content::known(
            81_306,
            1_342_296,
            "9fa59c3dff702693733fa84a8fde3dda3293f2d5e898a1abee5f422e404759f7",
        ),
        of_the_paper: false,
    },
];

/// The networks that can be fetched; the paper's come first.
///
/// ```
/// use ergodict::data::fetch::originals;
/// assert!(originals().len() >= 3 && originals()[..3].iter().all(|original| original.of_the_paper));
/// ```
pub fn originals() -> &'static [Original] {
    &ALL
}

/// The network of that name.
///
/// ```
/// use ergodict::data::fetch::original;
/// assert_eq!(original("facebook")?.name, "facebook");
/// assert!(original("myspace").is_err());
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`] for any other name; the error lists those there are.
pub fn original(name: &str) -> Result<&'static Original> {
    ALL.iter().find(|original| original.name == name).ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|original| &*original.name).collect();
        let list = format!("there are {}", names.join(", "));
        Error::parameter("the name of the network to fetch", format!("{name:?}"), list)
    })
}

impl Original {
    /// The name that the publisher gave the file.
    pub fn file_name(&self) -> &str {
        self.url.rsplit('/').next().unwrap_or(&self.url)
    }

    /// The error for something else than this network.
    pub(super) fn differs(&self, from: String, found: &Content) -> Error {
        Error::NotAsKnown {
            from,
            name: self.name.to_string(),
            found: found.to_string(),
            expected: self.content.to_string(),
            page: self.page.to_string(),
        }
    }

    /// How the file differs from the one that is known, if it does: without harm, when the network in it is the right one.
    pub(super) fn file_differs(&self, bytes: u64, sha256: &str) -> Option<String> {
        let other = match (self.bytes, &self.sha256) {
            (Some(known), _) if known != bytes => format!("{bytes} bytes, not {known}"),
            (_, Some(known)) if *known != sha256 => format!("SHA-256 {sha256}, not {known}"),
            _ => return None,
        };
        Some(format!(
            "the publisher's file is another than before ({other}), but the network in it is the same"
        ))
    }
}
