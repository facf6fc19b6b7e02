//! Sends a request in one piece.
//!
//! The library sends the head of a request and its body one after the other, and on a connection that does not wait for more each is a packet of
//! its own: the server is woken for a head that it can do nothing with. Here what is to be sent is held until an answer is waited
//! for, or the buffer is half full. This module must not know what is sent.

use ureq::Error;
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

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.send(timeout)?;
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

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
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
    use std::time::Duration;

    use ureq::Agent;
    use ureq::config::Config;
    use ureq::unversioned::resolver::DefaultResolver;
    use ureq::unversioned::transport::DefaultConnector;

    use super::*;

    const BUFFER_BYTES: usize = 8 * 1024;

    /// Posts a body over such a connection; returns how many bytes came first, all that was sent, and the answer.
    fn post(body: &'static str, answer: String) -> (usize, String, String) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let url = format!("http://{}/", listener.local_addr().expect("an address"));
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a connection");
            let mut sent = vec![0; 1 << 20];
            let first = stream.read(&mut sent).expect("a request");
            let mut count = first;
            while !String::from_utf8_lossy(&sent[..count]).ends_with(body) {
                count += stream.read(&mut sent[count..]).expect("the rest");
            }
            let length = answer.len();
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{answer}").expect("it is sent");
            (first, String::from_utf8_lossy(&sent[..count]).into_owned())
        });
        let config = Config::builder().input_buffer_size(BUFFER_BYTES).output_buffer_size(BUFFER_BYTES);
        let config = config.timeout_global(Some(Duration::from_secs(20))).build();
        let agent = Agent::with_parts(config, DefaultConnector::default().chain(Corking), DefaultResolver::default());
        let answer = agent.post(url).send(body).expect("an answer").body_mut().read_to_string().expect("a text");
        let (first, sent) = server.join().expect("a server");
        (first, sent, answer)
    }

    #[test]
    fn head_and_body_come_together() {
        let (first, sent, answer) = post("the body", "fine".to_owned());
        assert_eq!((first, answer.as_str()), (sent.len(), "fine"), "{sent}");
        assert!(sent.starts_with("POST / HTTP/1.1\r\n") && sent.ends_with("\r\n\r\nthe body"), "{sent}");
    }

    #[test]
    fn what_is_larger_than_the_buffers_comes_whole() {
        let body: &'static str = (0..20_000).map(|at| format!("{at},")).collect::<String>().leak();
        let answer: String = (0..20_000).map(|at| format!("{at};")).collect();
        let (_, sent, said) = post(body, answer.clone());
        assert!(sent.ends_with(&format!("\r\n\r\n{body}")));
        assert_eq!(said, answer);
    }
}
