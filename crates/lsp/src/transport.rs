//! Bytes to messages and back: the frames of the protocol (`Content-Length`, an empty line, JSON).
//!
//! The transport that comes with `lsp-server` ends at the first frame that it cannot read. This one
//! answers with an error and looks for the next: an editor with a bug keeps its server.

use crate::Outside;
use crate::server::{End, serve};
use lsp_server::{Connection, ErrorCode, Message, ProtocolError};
use std::io::{self, BufRead, Read, Write};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Longer messages are skipped instead of read into memory.
const MAX_BYTES: u64 = 1 << 30;

/// How long answers that are still being written are waited for when the server has ended.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// Serves an editor over a pair of streams until it goes away.
pub fn serve_streams(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    outside: Arc<dyn Outside>,
) -> Result<End, ProtocolError> {
    let (server, Connection { sender, receiver }) = Connection::memory();
    let output = Arc::new(Mutex::new(output));
    let complaints = output.clone();
    let write = move |message: &str| {
        let mut output = complaints.lock().unwrap_or_else(PoisonError::into_inner);
        // An editor that has gone hears nothing.
        let _ = output
            .write_all(message.as_bytes())
            .and_then(|()| output.flush());
    };
    std::thread::spawn(move || {
        // Trouble with the input ends it; the server sees that its messages have ended.
        let _ = read_frames(input, |message| sender.send(message).is_ok(), write);
    });
    let (written, all_written) = channel();
    std::thread::spawn(move || {
        for message in receiver {
            let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
            if message.write(&mut *output).is_err() {
                break;
            }
        }
        let _ = written.send(());
    });
    let end = serve(server, outside);
    let _ = all_written.recv_timeout(LAST_ANSWERS);
    end
}

/// Reads frames until the input ends or `pass` does not want more. `complain` is handed the answer
/// to a frame that is not a message.
fn read_frames(
    mut input: impl BufRead,
    pass: impl Fn(Message) -> bool,
    complain: impl Fn(&str),
) -> io::Result<()> {
    while let Some(length) = header(&mut input)? {
        if length > MAX_BYTES {
            io::copy(&mut input.by_ref().take(length), &mut io::sink())?;
            complain(&error("the message is too long"));
            continue;
        }
        let mut body = Vec::new();
        input.by_ref().take(length).read_to_end(&mut body)?;
        match serde_json::from_slice::<Message>(&body) {
            Ok(message) => {
                let is_exit = matches!(&message, Message::Notification(n) if n.method == "exit");
                if !pass(message) || is_exit {
                    return Ok(());
                }
            }
            Err(why) => complain(&error(&why.to_string())),
        }
    }
    Ok(())
}

/// The length of the next message; lines that are not of a header are skipped.
fn header(input: &mut impl BufRead) -> io::Result<Option<u64>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        // A line without an end is not kept whole.
        if input.by_ref().take(4096).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            if length.is_some() {
                return Ok(length);
            }
        } else if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
}

/// The answer to something that is not a message: whose it was is not known.
fn error(why: &str) -> String {
    let body = serde_json::json!({
        "jsonrpc": "2.0",
        "id": null,
        "error": { "code": ErrorCode::ParseError as i32, "message": why },
    });
    let body = body.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn what_is_not_a_message_is_answered_and_the_next_one_read() {
        let frame = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
        let message = r#"{"jsonrpc":"2.0","method":"m","params":{}}"#;
        let input = [
            "garbage\r\n\r\n".to_owned(),
            frame("{ not json"),
            frame("[1, 2]"),
            "Content-Length: many\r\n\r\n".to_owned(),
            format!("content-length: {}\r\nX: y\r\n\r\n{message}", message.len()),
            frame(message),
        ];
        let (passed, complaints) = (RefCell::new(0), RefCell::new(0));
        let pass = |_| {
            *passed.borrow_mut() += 1;
            true
        };
        let complain = |_: &str| *complaints.borrow_mut() += 1;
        read_frames(input.concat().as_bytes(), pass, complain).expect("bytes are read");
        assert_eq!((passed.into_inner(), complaints.into_inner()), (2, 2));
    }
}
