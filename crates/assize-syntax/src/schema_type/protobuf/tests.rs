//! What files of protocol buffers say, and what the language does not allow.

use super::*;

/// The line and message of the fault that a text has.
fn fault(text: &str) -> Option<(u32, String)> {
    read(text).fault.map(|fault| (fault.line, fault.message))
}

fn proto3(body: &str) -> String {
    format!("syntax = \"proto3\";\n{body}")
}

#[test]
fn what_the_language_allows_has_no_fault() {
    for text in [
        "",
        "// nothing\n/* at all */",
        "syntax = \"proto2\"; message A { optional int32 b = 1 [default = -3, (c).(d).e = \"f\" 'g']; };",
        "message A { extensions 4, 100 to max [declaration = { number: 4 type: \".B\" }]; extend A { repeated group C = 4 { } } }",
        "message A { oneof b { option (c) = 1.5e-3; group D = 1 { optional string e = 0x2; } } }",
        "syntax = \"proto3\"; import public \"a.proto\"; import weak \"b.proto\"; package a.b; option (c) = inf; option d = -inf;",
        "syntax = \"proto3\"; message message { string string = 1; .message reserved_ = 2; .a.B option_ = 3; optional bool map = 4; }",
        "syntax = \"proto3\"; enum E { max = 0; A = -0x7F; reserved -3 to -1, 5 to max; reserved \"B\", 'C'; }",
        "syntax = \"proto3\"; service S { option a = b; rpc stream(A) returns (stream .A) { option (c) = { d: [1, 2] e { f: \"}\" } }; }; }",
        "edition = \"2023\"; message A { B b = 1 [features.field_presence = IMPLICIT]; reserved b, c; repeated C d = 2; }",
        "edition = \"2024\"; import option \"a.proto\"; export message A { local enum B { C = 0; } }",
    ] {
        assert_eq!(fault(text), None, "{text}");
    }
}

#[test]
fn the_first_fault_is_told_with_its_line() {
    for (text, line, message) in [
        (proto3("message A {\n  string b = 1\n}"), 4, "expected `;`, found `}`"),
        (proto3("message A {\n  string b;\n}"), 3, "expected `=`, found `;`"),
        (proto3("message A {\n  string b = x;\n}"), 3, "expected a number, found `x`"),
        (proto3("message A {"), 2, "expected `}`, found the end of the file"),
        (proto3("}"), 2, "expected a declaration, found `}`"),
        (proto3("import a;"), 2, "expected a string, found `a`"),
        (proto3("message A { required string b = 1; }"), 2, "proto3 has no `required`"),
        (proto3("message A { oneof b { repeated string c = 1; } }"), 2, "a field of a `oneof` has no label"),
        (proto3("message A { group B = 1 {} }"), 2, "only proto2 has groups"),
        (
            proto3("message A { repeated map<string, int32> b = 1; }"),
            2,
            "a map has no label, and is neither in a `oneof` nor an extension",
        ),
        (proto3("service S { string a = 1; }"), 2, "expected `rpc`, found `string`"),
        (proto3("enum E { option = 0; }"), 2, "expected a name, found `=`"),
        (proto3("/* no end"), 2, "a comment has no end"),
        (proto3("option a = \"no end\n;"), 2, "a string has no end"),
        ("message A {\n string b = 1; }".to_owned(), 2, "a field of proto2 is `optional`, `required` or `repeated`"),
        (
            "edition = \"2023\"; message A { optional string b = 1; }".to_owned(),
            1,
            "editions have no `optional` and no `required`",
        ),
        ("syntax = \"proto4\";".to_owned(), 1, "the syntax `proto4` is not known"),
    ] {
        assert_eq!(fault(&text), Some((line, message.to_owned())), "{text}");
    }
}

#[test]
fn a_fault_hides_no_other_statement() {
    let text = proto3(
        "message A {\n  string b = ;\n  string c = 2;\n  oneof d { int32 = 3; int32 e = 4; }\n  message F { ??? }\n  int32 g = 5;\n}\n\
         enum H { I; J = 1; }\nservice K { rpc L; rpc M (A) returns (A); }\nmessage { string no = 1; }\nmessage N { string o = 1; }",
    );
    let file = read(&text);
    assert_eq!(file.fault.as_ref().map(|fault| fault.line), Some(3));
    let [a, n] = file.types.messages.as_slice() else { panic!("{file:?}") };
    let names = |message: &ProtobufMessage| message.fields.iter().map(|field| field.name.clone()).collect::<Vec<_>>();
    assert_eq!((names(a), names(n)), (vec!["c".to_owned(), "e".into(), "g".into()], vec!["o".to_owned()]));
    assert_eq!(a.types.messages[0].name, "F");
    assert_eq!(file.types.enums[0].values[0].name, "J");
    assert_eq!(file.services[0].calls[0].name, "M");
}

#[test]
fn messages_are_nested_up_to_a_limit() {
    let nested = |depth: usize| fault(&proto3(&format!("{}{}", "message A {".repeat(depth), "}".repeat(depth))));
    assert_eq!(nested(DEPTH_MAX), None);
    assert_eq!(nested(DEPTH_MAX + 1), Some((2, format!("messages are nested deeper than {DEPTH_MAX} levels"))));
    assert!(nested(100_000).is_some());
    assert!(fault(&proto3(&"option (a) = {".repeat(100_000))).is_some());
}

#[test]
fn names_and_declarations_have_limits() {
    let named = |bytes: usize| fault(&proto3(&format!("message {} {{}}", "a".repeat(bytes))));
    let long = Some((2, format!("a name is longer than {NAME_BYTES_MAX} bytes")));
    assert_eq!((named(NAME_BYTES_MAX), named(NAME_BYTES_MAX + 1)), (None, long.clone()));
    let package = |parts: usize| fault(&proto3(&format!("package a{};", ".a".repeat(parts))));
    assert_eq!((package(NAME_BYTES_MAX / 2 - 1), package(NAME_BYTES_MAX / 2)), (None, long));
    let declared = |count: usize| fault(&proto3(&"enum A {}".repeat(count)));
    let many = format!("there are more than {DECLARATIONS_MAX} messages and enumerations");
    assert_eq!((declared(DECLARATIONS_MAX), declared(DECLARATIONS_MAX + 1)), (None, Some((2, many))));
}

#[test]
fn reserved_numbers_are_one_list_of_ranges() {
    let file = read(&proto3("message A { reserved 9, 2 to 4, 5, 3 to max; reserved 1; } message B { reserved 4, 1; }"));
    let reserved = |at: usize| &file.types.messages[at].reserved;
    assert_eq!(reserved(0).numbers, [(1, i64::MAX)]);
    assert_eq!((0..6).filter(|number| reserved(1).has_number(*number)).collect::<Vec<_>>(), [1, 4]);
}
