//! The way to servers; the only file that names the crate that speaks HTTP.

use std::io::{self, Read};
use std::time::Duration;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Error};

/// Who asks, which publishers may want to know.
const AGENT: &str = concat!("ergodict/", env!("CARGO_PKG_VERSION"));
/// Time to find a server and to be let in: others try the next address after less.
const CONNECT: Duration = Duration::from_secs(15);

/// A client for one file. The proxies of `HTTPS_PROXY`, `HTTP_PROXY` and `ALL_PROXY` are used, but for hosts of `NO_PROXY`; the roots of
/// trust are built in, or those of the file that `SSL_CERT_FILE` names.
#[derive(Clone)]
pub(super) struct Client(Agent);

/// A file that is coming.
pub(super) struct Answer {
    /// Its length, if the server sends it.
    pub(super) length: Option<u64>,
    /// Its bytes; errors are in words.
    pub(super) body: Box<dyn Read + Send>,
}

impl Client {
    /// A client that gives up when nothing comes for that long.
    pub(super) fn new(url: &str, patience: Duration) -> Result<Self, String> {
        let mut config = Agent::config_builder()
            .user_agent(AGENT)
            // Who asks for a safe way is not led to another.
            .https_only(url.starts_with("https://"))
            .timeout_resolve(Some(CONNECT))
            .timeout_connect(Some(CONNECT))
            .timeout_recv_response(Some(patience))
            .timeout_per_read(Some(patience))
            .timeout_per_write(Some(patience));
        if is_here(url) {
            // No proxy knows this machine by these names.
            config = config.proxy(None);
        }
        if let Some(roots) = own_roots()? {
            config = config.tls_config(TlsConfig::builder().root_certs(roots).build());
        }
        Ok(Self(config.build().into()))
    }

    /// Asks for a file.
    pub(super) fn get(&self, url: &str) -> Result<Answer, String> {
        let answer = self.0.get(url).call().map_err(|error| in_words(&error))?;
        let length = answer.headers().get("content-length");
        let length = length.and_then(|text| text.to_str().ok()?.trim().parse().ok());
        Ok(Answer { length, body: Box::new(answer.into_body().into_reader()) })
    }

    /// Breaks off what is under way, from another thread.
    pub(super) fn stop(&self) {
        self.0.clone().shutdown();
    }
}

/// Whether an address is of this machine.
fn is_here(url: &str) -> bool {
    let host = url.split("://").nth(1).unwrap_or_default();
    ["127.0.0.1", "localhost", "[::1]"]
        .iter()
        .any(|here| host.strip_prefix(here).is_some_and(|rest| rest.starts_with([':', '/'])))
}

/// The roots of `SSL_CERT_FILE`, which machines behind a proxy that looks inside have.
fn own_roots() -> Result<Option<RootCerts>, String> {
    let Some(path) = std::env::var_os("SSL_CERT_FILE").filter(|path| !path.is_empty()) else {
        return Ok(None);
    };
    let wrong = |why: String| format!("SSL_CERT_FILE, {}: {why}", path.display());
    let pem = std::fs::read(&path).map_err(|error| wrong(error.to_string()))?;
    let roots: Vec<Certificate<'static>> = parse_pem(&pem)
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(root)) => Some(root),
            _ => None,
        })
        .collect();
    if roots.is_empty() {
        return Err(wrong("has no certificate: expected PEM".to_owned()));
    }
    Ok(Some(RootCerts::Specific(std::sync::Arc::new(roots))))
}

/// What became of a request, in words.
fn in_words(error: &Error) -> String {
    match error {
        Error::StatusCode(code @ (404 | 410)) => {
            format!("the server has no such file (status {code}): it may have been moved")
        }
        Error::StatusCode(code @ (401 | 403)) => format!("the server refuses to give it (status {code})"),
        Error::StatusCode(code) => format!("the server answers with the status {code}"),
        Error::HostNotFound => "the server's name is not known: there may be no network".to_owned(),
        Error::Timeout(ureq::Timeout::Resolve | ureq::Timeout::Connect) => {
            "the server cannot be reached: there may be no network".to_owned()
        }
        Error::Timeout(_) => "the server has stopped answering".to_owned(),
        Error::ConnectionFailed => "the server cannot be reached: there may be no network".to_owned(),
        Error::TooManyRedirects => "the server sends from address to address without end".to_owned(),
        Error::RequireHttpsOnly(_) => "the server leads to an address that is not safe (no https)".to_owned(),
        Error::BadUri(_) | Error::Http(_) => "is no address: expected http://… or https://…".to_owned(),
        Error::Io(error) => io_in_words(error),
        other => format!("cannot be fetched: {other}"),
    }
}

/// What broke off an answer, or kept it from beginning, in words.
pub(super) fn io_in_words(error: &io::Error) -> String {
    if let Some(error) = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        return in_words(error);
    }
    let text = error.to_string();
    let text = text.split(" (os error ").next().unwrap_or(&text);
    match error.kind() {
        // What the system says of a name has no kind of its own.
        _ if text.starts_with("failed to lookup address") => in_words(&Error::HostNotFound),
        io::ErrorKind::ConnectionRefused => "the connection was refused: nothing listens there".to_owned(),
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => "the server has stopped answering".to_owned(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted => {
            "the connection broke".to_owned()
        }
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => {
            "the server cannot be reached: there may be no network".to_owned()
        }
        _ => format!("the connection failed: {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_network_is_said_to_be_none() {
        for error in [Error::HostNotFound, Error::ConnectionFailed, Error::Timeout(ureq::Timeout::Connect)] {
            assert!(in_words(&error).ends_with("there may be no network"));
        }
        let unreachable = io::Error::from(io::ErrorKind::NetworkUnreachable);
        assert!(in_words(&unreachable.into()).ends_with("there may be no network"));
    }

    #[test]
    fn only_addresses_of_this_machine_are_here() {
        for here in ["http://127.0.0.1:80/x", "http://localhost/x", "http://[::1]:8000/x"] {
            assert!(is_here(here), "{here}");
        }
        for there in ["http://localhost.example/x", "https://snap.stanford.edu/127.0.0.1/", "127.0.0.1"] {
            assert!(!is_here(there), "{there}");
        }
    }
}
