//! Sound code that a grammar does not read, and what stands for it in a second look.
//!
//! A stand-in has the length of what it replaces, so that places stay the same. To add a gap: add its function to [`masked`].

use assize_ecosystem::Language;

/// Returns the text with what the grammar of its language is known not to read replaced; `None` if there is nothing of the kind.
pub(super) fn masked(language: Language, text: &str) -> Option<String> {
    let mut masked = text.as_bytes().to_vec();
    if matches!(language, Language::TypeScript | Language::Tsx) {
        mask_import_types(text, &mut masked);
    }
    if matches!(language, Language::Tsx | Language::JavaScript) {
        mask_ampersands(text, &mut masked);
    }
    (masked != text.as_bytes()).then(|| String::from_utf8(masked).ok()).flatten()
}

/// `typeof import("…")` as an argument of a type: `importOriginal<typeof import("./a")>()`.
fn mask_import_types(text: &str, masked: &mut [u8]) {
    for (at, start) in text.match_indices("typeof import(") {
        let call = at + "typeof ".len();
        let Some(end) = text[at + start.len()..].find(')').map(|end| at + start.len() + end + 1) else { continue };
        if !text[call..end].contains('\n') {
            masked[call..end].fill(b'x');
        }
    }
}

/// An ampersand in the text between tags of JSX that begins no entity: `<p>Guides & tutorials</p>`, on one line or on one of its own.
fn mask_ampersands(text: &str, masked: &mut [u8]) {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut start = 0;
    for (index, line) in lines.iter().enumerate() {
        let is_prose = !line.contains(['{', '}', '(', ')', '=', ';', '<', '>'])
            && index > 0
            && lines[index - 1].trim_end().ends_with('>')
            && !lines[index - 1].trim_end().ends_with("=>")
            && lines.get(index + 1).is_some_and(|next| next.trim_start().starts_with('<'));
        for (at, _) in line.match_indices('&') {
            let (before, after) = (&line[..at], &line[at + 1..]);
            let in_text = is_prose
                || before.rfind('>').is_some_and(|tag| !before[tag..].contains(['{', '=', '(']))
                    && after.contains("</");
            let is_entity = after.split(';').next().is_some_and(|name| {
                name.len() < after.len()
                    && !name.is_empty()
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'#')
            });
            if in_text && !is_entity {
                masked[start + at] = b'n';
            }
        }
        start += line.len();
    }
}

#[cfg(test)]
mod tests {
    use super::super::errors;

    #[test]
    fn sound_code_that_a_grammar_does_not_read_has_no_errors() {
        for (path, text) in [
            (
                "a.test.ts",
                "vi.mock('./a', async (load) => {\n  const a = await load<typeof import('./a')>();\n  return { ...a };\n});\n",
            ),
            ("a.ts", "const b = { ...(await load<typeof import(\"@b/c\")>()), d: 1 };\n"),
            ("a.tsx", "const A = () => <p className=\"a\">Daily P&L</p>;\n"),
            ("a.tsx", "const A = () => <a href=\"#\">Guides & tutorials</a>;\n"),
            ("a.tsx", "const A = () => (\n  <h2>\n    Pricing & Plans\n  </h2>\n);\n"),
            ("a.jsx", "const A = () => <h2>Pricing & Plans &amp; more</h2>;\n"),
        ] {
            assert_eq!(errors(path, text), [], "{path}: {text}");
        }
    }

    #[test]
    fn what_is_broken_beside_it_stays_broken() {
        for (path, text) in [
            ("a.ts", "const a = await load<typeof import('./a')>(;\n"),
            ("a.tsx", "const A = () => <p>Daily P&L</b;\n"),
            ("a.tsx", "const A = () => { return <p>R & D</p> ;\n"),
            ("a.jsx", "if (a & { b\n"),
        ] {
            assert!(!errors(path, text).is_empty(), "{path}: {text}");
        }
    }
}
