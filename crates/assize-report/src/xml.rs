//! Reports in XML, as a walk over elements.
//!
//! It reads what is there and fetches, defines and expands nothing: a document that defines
//! entities is refused. It must not know any format.

use std::collections::BTreeMap;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::{REPORT_BYTES_MAX, ReportError, message};

/// Deepest nesting of elements that is read.
pub const DEPTH_MAX: usize = 64;

/// A piece of a document, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum XmlEvent {
    /// An element begins.
    Open(Element),
    /// Text within an element.
    Text(String),
    /// The element ends that began last and has not ended.
    Close,
}

/// The beginning of an element.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Element {
    /// Its name, without a prefix.
    pub name: String,
    /// Its attributes.
    pub attributes: BTreeMap<String, String>,
}

impl Element {
    /// Returns an attribute that is there and not empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }
}

/// Shows every piece of a document to `visit`, and sees to it that it is one whole document.
///
/// # Errors
///
/// It is too large, empty, cut off, ill-formed, or defines entities; or what `visit` says.
pub fn walk(
    format: &'static str,
    bytes: &[u8],
    mut visit: impl FnMut(XmlEvent) -> Result<(), ReportError>,
) -> Result<(), ReportError> {
    if bytes.len() > REPORT_BYTES_MAX {
        return Err(ReportError::TooLarge(format!("{REPORT_BYTES_MAX} bytes")));
    }
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err(ReportError::Empty);
    }
    let malformed = |detail: &str| ReportError::Malformed { format, detail: message(detail) };
    let mut reader = Reader::from_str(text);
    reader.config_mut().allow_dangling_amp = true;
    let (mut depth, mut roots) = (0usize, 0usize);
    loop {
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(quick_xml::Error::Syntax(error)) => return Err(ReportError::Truncated(error.to_string())),
            Err(error) => return Err(malformed(&error.to_string())),
        };
        let begins = matches!(event, Event::Start(_) | Event::Empty(_));
        if begins && depth == 0 {
            roots += 1;
            if roots > 1 {
                return Err(malformed("a second document follows the first"));
            }
        }
        if begins && depth == DEPTH_MAX {
            return Err(ReportError::TooLarge(format!("a nesting of {DEPTH_MAX} elements")));
        }
        match event {
            Event::Start(start) => {
                depth += 1;
                visit(XmlEvent::Open(element(&start).map_err(|error| malformed(&error))?))?;
            }
            Event::Empty(start) => {
                visit(XmlEvent::Open(element(&start).map_err(|error| malformed(&error))?))?;
                visit(XmlEvent::Close)?;
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                visit(XmlEvent::Close)?;
            }
            Event::Text(text) if depth > 0 => visit(XmlEvent::Text(text.xml10_content().into_owned()))?,
            Event::CData(text) if depth > 0 => visit(XmlEvent::Text(text.xml10_content().into_owned()))?,
            Event::GeneralRef(name) if depth > 0 => {
                let known = known(&name.xml10_content()).ok_or_else(|| malformed("it refers to an entity"))?;
                visit(XmlEvent::Text(known.to_string()))?;
            }
            Event::Text(text) if !text.trim().is_empty() => return Err(malformed("text stands outside of its root")),
            Event::CData(_) | Event::GeneralRef(_) => return Err(malformed("text stands outside of its root")),
            Event::DocType(definition) if definition.contains("<!ENTITY") => {
                return Err(malformed("it defines entities"));
            }
            Event::Eof if depth > 0 => return Err(ReportError::Truncated("an element is not closed".to_owned())),
            Event::Eof if roots == 0 => return Err(malformed("it has no element")),
            Event::Eof => return Ok(()),
            Event::Text(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
}

fn element(start: &BytesStart<'_>) -> Result<Element, String> {
    let mut element = Element { name: local(start.name().as_ref()), attributes: BTreeMap::new() };
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        // A reference that cannot be resolved (a tool wrote a control character, or a bare `&`) stays as it is.
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).unwrap_or(attribute.value.clone());
        element.attributes.insert(local(attribute.key.as_ref()), value.into_owned());
    }
    Ok(element)
}

fn local(name: impl AsRef<str>) -> String {
    let name = name.as_ref();
    name.rsplit(':').next().unwrap_or(name).to_owned()
}

/// The character of a reference that needs no definition. Control characters are no characters of XML; tools write them
/// all the same.
fn known(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "apos" => Some('\''),
        "quot" => Some('"'),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            Some(code.ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, ReportError> {
        let mut seen = String::new();
        walk("test", text.as_bytes(), |piece| {
            match piece {
                XmlEvent::Open(element) => seen.push_str(&format!("<{}{:?}", element.name, element.attributes)),
                XmlEvent::Text(text) => seen.push_str(&text),
                XmlEvent::Close => seen.push('>'),
            }
            Ok(())
        })?;
        Ok(seen)
    }

    #[test]
    fn a_document_is_walked_in_order() {
        let text = "\u{feff}<?xml version='1.0'?><!DOCTYPE a SYSTEM 'http://x/a.dtd'><!-- c --><n:a x='1&lt;2'>t&amp;&#65;&#x1b;\
                    <b y=''/><![CDATA[<ok>]]></n:a>\n";
        assert_eq!(read(text).unwrap(), "<a{\"x\": \"1<2\"}t&A\u{1b}<b{\"y\": \"\"}><ok>>");
    }

    #[test]
    fn what_is_no_whole_document_is_refused() {
        for (text, part) in [
            ("", "empty"),
            ("<a><b></b>", "stops before its end"),
            ("<a", "stops before its end"),
            ("<a x='", "stops before its end"),
            ("<a><![CDATA[x", "stops before its end"),
            ("<a></b>", "cannot be read"),
            ("<a/><a/>", "a second document"),
            ("<a/>noise", "outside of its root"),
            ("noise<a/>", "outside of its root"),
            ("<!-- only -->", "no element"),
            ("<a>&fine;</a>", "refers to an entity"),
            ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "defines entities"),
            ("<a x='1' x='2'/>", "cannot be read"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn elements_nest_up_to_the_limit() {
        let nested = |depth: usize| format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth));
        assert!(read(&nested(DEPTH_MAX)).is_ok());
        assert!(matches!(read(&nested(DEPTH_MAX + 1)), Err(ReportError::TooLarge(_))));
    }
}
