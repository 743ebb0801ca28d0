//! A server on this machine for tests: it answers each request by its path.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

/// What a path answers.
#[derive(Clone)]
pub(super) enum Answer {
    /// A file.
    File(Vec<u8>),
    /// A file without a stated length: its end is the connection's.
    WithoutLength(Vec<u8>),
    /// So many bytes of a file are promised than sent, and the connection closed.
    Cut(Vec<u8>, usize),
    /// The same, but the connection stays open and silent.
    Stalled(Vec<u8>, usize),
    /// Another address.
    Moved(String),
    /// Nothing, for good.
    Silent,
}

/// A server that runs until the process ends.
pub(super) struct Server {
    pub(super) address: String,
    /// The first lines and headers of requests, as they come.
    pub(super) requests: Receiver<String>,
}

impl Server {
    pub(super) fn new(answers: &[(&str, Answer)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let answers: HashMap<String, Answer> =
            answers.iter().map(|(path, answer)| ((*path).to_owned(), answer.clone())).collect();
        let (told, requests) = mpsc::channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (answers, told) = (answers.clone(), told.clone());
                // Those who hold a silent connection do not keep others waiting.
                std::thread::spawn(move || {
                    let stream = stream.unwrap();
                    let request = request(&stream);
                    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                    let _ = told.send(request);
                    answer(stream, answers.get(&path));
                });
            }
        });
        Self { address, requests }
    }

    /// The address of a path.
    pub(super) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }
}

fn request(stream: &TcpStream) -> String {
    let mut lines = BufReader::new(stream).lines();
    let mut request = String::new();
    while let Some(Ok(line)) = lines.next().filter(|line| line.as_ref().is_ok_and(|line| !line.is_empty())) {
        request += &line;
        request.push('\n');
    }
    request
}

/// A connection is closed after its answer, and says so: a client would ask again on it.
fn answer(mut stream: TcpStream, answer: Option<&Answer>) {
    let ok = |length: usize| {
        format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n").into_bytes()
    };
    let bytes = match answer {
        Some(Answer::File(body)) => [ok(body.len()), body.clone()].concat(),
        Some(Answer::WithoutLength(body)) => [b"HTTP/1.0 200 OK\r\n\r\n".to_vec(), body.clone()].concat(),
        Some(Answer::Cut(body, sent) | Answer::Stalled(body, sent)) => {
            [ok(body.len()), body[..*sent].to_vec()].concat()
        }
        Some(Answer::Moved(to)) => {
            format!("HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n")
                .into_bytes()
        }
        Some(Answer::Silent) => Vec::new(),
        None => b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".to_vec(),
    };
    // Who has gone does not read it.
    let _ = stream.write_all(&bytes);
    if matches!(answer, Some(Answer::Stalled(..) | Answer::Silent)) {
        std::thread::sleep(Duration::from_secs(50));
    }
}
