//! Sends a request in one piece.
//!
//! The library sends the head of a request and its body one after the other, and on a connection that does not wait for more each is a packet of
//! its own: the server is woken for a head that it can do nothing with. Here what is to be sent is held until an answer is waited
//! for, or the buffer is half full. This module must not know what is sent.

use std::time::Instant;

use ureq::Error;
use ureq::unversioned::transport::time::Duration;
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, Transport};

/// Makes connections that send requests in one piece, whatever they go over.
#[derive(Debug, Default)]
pub(super) struct Corking;

impl<In: Transport> Connector<In> for Corking {
    type Out = Corked<In>;

    fn connect(&self, details: &ConnectionDetails<'_>, chained: Option<In>) -> Result<Option<Self::Out>, Error> {
        let (input, output) = (details.config.input_buffer_size(), details.config.output_buffer_size());
        Ok(chained
            .map(|inner| Corked { inner, buffers: Holding { buffers: LazyBuffers::new(input, output), held: 0 } }))
    }
}

/// A connection that may still have to send what it was given.
#[derive(Debug)]
pub(super) struct Corked<T> {
    inner: T,
    buffers: Holding,
}

impl<T: Transport> Corked<T> {
    fn send(&mut self, timeout: NextTimeout) -> Result<(), Error> {
        let held = std::mem::take(&mut self.buffers.held);
        let mut left = &self.buffers.output()[..held];
        while !left.is_empty() {
            let output = self.inner.buffers().output();
            let (now, later) = left.split_at(left.len().min(output.len()));
            output[..now.len()].copy_from_slice(now);
            self.inner.transmit_output(now.len(), timeout)?;
            left = later;
        }
        Ok(())
    }
}

impl<T: Transport> Transport for Corked<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.buffers.held += amount;
        if self.buffers.held > self.buffers.output().len() { self.send(timeout) } else { Ok(()) }
    }

    fn await_input(&mut self, mut timeout: NextTimeout) -> Result<bool, Error> {
        let began = Instant::now();
        self.send(timeout)?;
        // What sending took is gone from the time that there is for an answer.
        if let Duration::Exact(after) = timeout.after {
            let left = after.checked_sub(began.elapsed()).filter(|left| !left.is_zero());
            timeout.after = left.map(Duration::Exact).ok_or(Error::Timeout(timeout.reason))?;
        }
        if self.inner.buffers().input().is_empty() && !self.inner.await_input(timeout)? {
            return Ok(false);
        }
        let came = self.inner.buffers().input();
        let room = self.buffers.input_append_buf();
        let amount = came.len().min(room.len());
        room[..amount].copy_from_slice(&came[..amount]);
        self.buffers.input_appended(amount);
        self.inner.buffers().input_consume(amount);
        Ok(amount > 0)
    }

    /// What is still to be sent, or was not read, belongs to another request than the next one.
    fn is_open(&mut self) -> bool {
        self.buffers.held == 0 && self.inner.buffers().input().is_empty() && self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}

/// Buffers of which the beginning of the output is still to be sent: what comes next goes behind it.
#[derive(Debug)]
struct Holding {
    buffers: LazyBuffers,
    held: usize,
}

impl Buffers for Holding {
    fn output(&mut self) -> &mut [u8] {
        &mut self.buffers.output()[self.held..]
    }

    fn input(&self) -> &[u8] {
        self.buffers.input()
    }

    fn input_append_buf(&mut self) -> &mut [u8] {
        self.buffers.input_append_buf()
    }

    fn input_appended(&mut self, amount: usize) {
        self.buffers.input_appended(amount);
    }

    fn input_consume(&mut self, amount: usize) {
        self.buffers.input_consume(amount);
    }

    fn tmp_and_output(&mut self) -> (&mut [u8], &mut [u8]) {
        let (scratch, output) = self.buffers.tmp_and_output();
        (scratch, &mut output[self.held..])
    }

    fn can_use_input(&self) -> bool {
        self.buffers.can_use_input()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{Ipv4Addr, TcpListener};
    use std::thread;
    use std::time::Duration as StdDuration;

    use ureq::Agent;
    use ureq::config::Config;
    use ureq::unversioned::resolver::DefaultResolver;
    use ureq::unversioned::transport::DefaultConnector;

    use super::*;

    const BUFFER_BYTES: usize = 8 * 1024;

    /// Posts bodies one after the other over one connection; returns of each how many bytes came first, all that was sent, and the
    /// answer.
    fn post(bodies: &[&str], answer: &str) -> Vec<(usize, String, String)> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let url = format!("http://{}/", listener.local_addr().expect("an address"));
        let (ends, said): (Vec<String>, String) =
            (bodies.iter().map(|body| (*body).to_owned()).collect(), answer.to_owned());
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a connection");
            let serve = |body: String| {
                let mut sent = vec![0; 1 << 20];
                let first = stream.read(&mut sent).expect("a request");
                let mut count = first;
                while !String::from_utf8_lossy(&sent[..count]).ends_with(&body) {
                    count += stream.read(&mut sent[count..]).expect("the rest");
                }
                let length = said.len();
                write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{said}").expect("it is sent");
                (first, String::from_utf8_lossy(&sent[..count]).into_owned())
            };
            ends.into_iter().map(serve).collect::<Vec<_>>()
        });
        let config = Config::builder().input_buffer_size(BUFFER_BYTES).output_buffer_size(BUFFER_BYTES);
        let config = config.timeout_global(Some(StdDuration::from_secs(20))).build();
        let agent = Agent::with_parts(config, DefaultConnector::default().chain(Corking), DefaultResolver::default());
        let ask =
            |body: &&str| agent.post(&url).send(*body).expect("an answer").body_mut().read_to_string().expect("a text");
        let answers: Vec<String> = bodies.iter().map(ask).collect();
        let sent = server.join().expect("a server");
        sent.into_iter().zip(answers).map(|((first, sent), answer)| (first, sent, answer)).collect()
    }

    #[test]
    fn head_and_body_come_together() {
        for (first, sent, answer) in post(&["the body", "the body"], "fine") {
            assert_eq!((first, answer.as_str()), (sent.len(), "fine"), "{sent}");
            assert!(sent.starts_with("POST / HTTP/1.1\r\n") && sent.ends_with("\r\n\r\nthe body"), "{sent}");
        }
    }

    #[test]
    fn what_about_fills_the_buffers_comes_whole() {
        for bytes in [BUFFER_BYTES / 2, BUFFER_BYTES].into_iter().flat_map(|size| size - 300..size + 20).step_by(9) {
            let body = "x".repeat(bytes);
            let (_, sent, answer) = post(&[&body], &body).remove(0);
            assert!(sent.ends_with(&format!("\r\n\r\n{body}")) && answer == body, "{bytes}");
        }
    }

    #[test]
    fn the_time_for_sending_is_taken_from_the_time_for_the_answer() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let url = format!("http://{}/", listener.local_addr().expect("an address"));
        let config = Config::builder().timeout_global(Some(StdDuration::from_millis(400))).build();
        let agent = Agent::with_parts(config, DefaultConnector::default().chain(Corking), DefaultResolver::default());
        let began = Instant::now();
        // More than the kernel takes from somebody whom nobody reads.
        let error = agent.post(&url).send("x".repeat(64 << 20).as_str()).expect_err("nobody answers");
        assert!(matches!(error, Error::Timeout(_)), "{error}");
        assert!(began.elapsed() < StdDuration::from_secs(5), "{:?}", began.elapsed());
        drop(listener);
    }

    #[test]
    fn what_is_larger_than_the_buffers_comes_whole() {
        let body: String = (0..20_000).map(|at| format!("{at},")).collect();
        let answer: String = (0..20_000).map(|at| format!("{at};")).collect();
        let (_, sent, said) = post(&[&body], &answer).remove(0);
        assert!(sent.ends_with(&format!("\r\n\r\n{body}")));
        assert_eq!(said, answer);
    }
}
