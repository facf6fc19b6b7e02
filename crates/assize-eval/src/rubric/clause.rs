//! Clauses: conditions that are computed over a record, in CEL (the Common Expression Language).
//!
//! What can be counted is never asked of a model. An expression sees the record and nothing else, and says whether the record fails by
//! it; where it cannot be computed, because the record lacks a field perhaps, that is said, and it is neither a pass nor
//! a failure. Beside what CEL brings there are `words(text)` and `sentences(text)`, which count (Unicode annex 29),
//! and `items(list)`, which unlike `size` does not take a text for a list of characters.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, LazyLock};

use assize_core::text::quote;
use assize_core::violation::Violation;
use cel::common::ast::{EntryExpr, Expr, IdedExpr};
use cel::common::types::{CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString, CelUInt};
use cel::common::value::Val;
use cel::{Context, Env, ExecutionError, Program, Value as CelValue};
use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation as _;

use super::{Clause, Rubric};

/// Longest expression, in bytes.
pub const EXPRESSION_BYTES_MAX: usize = 1_000;
/// Deepest nesting of brackets, and of what is computed one within the other.
pub const DEPTH_MAX: usize = 48;
/// Most loops (`all`, `exists`, `map`, `filter`) one within the other: each runs over a whole list of the record.
pub const LOOPS_MAX: usize = 2;
/// The one variable of an expression.
pub const VARIABLE: &str = "record";

/// What an expression can call, but for operators and loops.
const FUNCTIONS: [&str; 15] = [
    "bool",
    "bytes",
    "contains",
    "double",
    "endsWith",
    "int",
    "items",
    "matches",
    "sentences",
    "size",
    "startsWith",
    "string",
    "type",
    "uint",
    "words",
];

/// Room that the parser gets, which calls itself for each rule of its grammar.
const PARSER_STACK: usize = 64 << 20;
/// Room that the evaluation of the deepest expression needs, and more.
pub const EVALUATION_STACK: usize = 6 << 20;

/// The clauses of a rubric, ready to be computed.
#[derive(Debug)]
pub struct Clauses {
    compiled: Vec<Compiled>,
    fields: FieldSelection,
}

#[derive(Debug)]
struct Compiled {
    mode: usize,
    clause: usize,
    program: Program,
}

/// A clause that a record does not stand up to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedClause {
    /// The place of its mode in the rubric.
    pub mode: usize,
    /// Its place in the mode.
    pub clause: usize,
    /// Why it could not be computed; `None` where it was, and the record fails by it.
    pub unknown: Option<ClauseError>,
}

/// Why a clause could not be computed for a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClauseError(String);

impl fmt::Display for ClauseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Clauses {
    /// Reads the clauses of a rubric.
    ///
    /// # Errors
    ///
    /// Names every expression that is none.
    pub(super) fn of(rubric: &Rubric) -> Result<Self, Vec<Violation>> {
        let mut compiled = Vec::new();
        let mut faults = Vec::new();
        for (mode, within) in rubric.modes.iter().enumerate() {
            for (clause, Clause { fails, .. }) in within.clauses.iter().enumerate() {
                match compile(fails) {
                    Ok(program) => compiled.push(Compiled { mode, clause, program }),
                    Err(fault) => faults.push(Violation::new(format!("mode[{mode}].clause[{clause}].fails"), fault)),
                }
            }
        }
        let fields = FieldSelection::of(compiled.iter().map(|compiled: &Compiled| &compiled.program));
        if faults.is_empty() { Ok(Self { compiled, fields }) } else { Err(faults) }
    }

    /// Computes all clauses over a record, and returns those that it does not stand up to.
    pub fn broken_by(&self, record: &serde_json::Map<String, Value>) -> Vec<FailedClause> {
        if self.compiled.is_empty() {
            return Vec::new();
        }
        let mut context = Context::with_env(Arc::clone(&ENVIRONMENT));
        context.add_variable_as_val(VARIABLE, self.fields.value(record));
        let broken = |compiled: &Compiled| {
            let unknown = match evaluate(&compiled.program, &context) {
                Ok(false) => return None,
                Ok(true) => None,
                Err(error) => Some(error),
            };
            Some(FailedClause { mode: compiled.mode, clause: compiled.clause, unknown })
        };
        self.compiled.iter().filter_map(broken).collect()
    }
}

/// A single condition, such as the one that selects records.
#[derive(Debug)]
pub struct Condition {
    program: Program,
    fields: FieldSelection,
}

impl Condition {
    /// Reads an expression over a record.
    ///
    /// # Errors
    ///
    /// Says why it is none.
    pub fn read(expression: &str) -> Result<Self, String> {
        let program = compile(expression)?;
        let fields = FieldSelection::of([&program]);
        Ok(Self { program, fields })
    }

    /// Computes whether it holds.
    ///
    /// # Errors
    ///
    /// Says why it cannot be computed of this record.
    pub fn holds(&self, record: &serde_json::Map<String, Value>) -> Result<bool, ClauseError> {
        let mut context = Context::with_env(Arc::clone(&ENVIRONMENT));
        context.add_variable_as_val(VARIABLE, self.fields.value(record));
        evaluate(&self.program, &context)
    }
}

/// What expressions can call.
static ENVIRONMENT: LazyLock<Arc<Env>> = LazyLock::new(|| {
    let mut environment = Env::stdlib();
    cel::add_overload!(environment, fn words: (CelString) -> CelInt).expect("the name is free");
    cel::add_overload!(environment, fn sentences: (CelString) -> CelInt).expect("the name is free");
    cel::add_overload!(environment, fn items: (CelList) -> CelInt).expect("the name is free");
    Arc::new(environment)
});

fn words(text: &CelString<'_>) -> CelInt {
    whole(text.inner().unicode_words().count())
}

fn sentences(text: &CelString<'_>) -> CelInt {
    let says_something = |sentence: &&str| sentence.chars().any(char::is_alphanumeric);
    whole(text.inner().unicode_sentences().filter(says_something).count())
}

/// Unlike `size`, which takes a text for a list of characters.
fn items(list: &CelList<'_>) -> CelInt {
    whole(list.len())
}

fn whole(count: usize) -> CelInt {
    CelInt::from(i64::try_from(count).unwrap_or(i64::MAX))
}

fn compile(expression: &str) -> Result<Program, String> {
    if expression.len() > EXPRESSION_BYTES_MAX {
        return Err(format!("has {} bytes where {EXPRESSION_BYTES_MAX} is the most", expression.len()));
    }
    if nesting(expression) > DEPTH_MAX {
        return Err(format!("is nested deeper than {DEPTH_MAX}"));
    }
    let compiled = stacker::grow(PARSER_STACK, || ENVIRONMENT.compile(expression));
    let program = compiled.map_err(|errors| {
        let text = errors.to_string();
        let first = text.lines().next().unwrap_or_default();
        format!("is no expression in CEL: {}", first.trim_start_matches("ERROR: <input>:"))
    })?;
    let shape = ExpressionNesting::of(program.expression());
    if shape.depth > DEPTH_MAX {
        return Err(format!("is nested deeper than {DEPTH_MAX}"));
    }
    if shape.loops > LOOPS_MAX {
        return Err(format!("has more than {LOOPS_MAX} loops one within the other"));
    }
    let references = program.references();
    let is_known = |name: &&str| FUNCTIONS.contains(name) || !name.starts_with(|first: char| first.is_alphabetic());
    if let Some(name) = references.functions().into_iter().find(|name| !is_known(name)) {
        return Err(format!("calls `{name}`, which there is not; there are {}", FUNCTIONS.join(", ")));
    }
    // Variables of loops are none of the expression's own.
    let nothing = serde_json::Map::new();
    let mut context = Context::with_env(Arc::clone(&ENVIRONMENT));
    context.add_variable_as_val(VARIABLE, map(&nothing));
    match program_result(&program, &context) {
        Err(ExecutionError::UndeclaredReference(name)) => {
            Err(format!("names `{name}`, which there is not; fields stand below `{VARIABLE}`"))
        }
        _ if !references.has_variable(VARIABLE) => Err(format!("does not speak of `{VARIABLE}`")),
        _ => Ok(program),
    }
}

/// How deep brackets are nested, whatever they stand in.
fn nesting(expression: &str) -> usize {
    let mut depth = 0_usize;
    let mut deepest = 0;
    for byte in expression.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// How much an expression holds one within the other.
#[derive(Default, Clone, Copy)]
struct ExpressionNesting {
    depth: usize,
    loops: usize,
}

impl ExpressionNesting {
    fn of(expression: &IdedExpr) -> Self {
        let below = below(expression).into_iter().map(Self::of).fold(Self::default(), |one, other| Self {
            depth: one.depth.max(other.depth),
            loops: one.loops.max(other.loops),
        });
        let is_loop = matches!(expression.expr, Expr::Comprehension(_));
        Self { depth: below.depth + 1, loops: below.loops + usize::from(is_loop) }
    }
}

/// Returns what an expression is made of.
fn below(expression: &IdedExpr) -> Vec<&IdedExpr> {
    let mut below: Vec<&IdedExpr> = Vec::new();
    match &expression.expr {
        Expr::Call(call) => {
            below.extend(call.target.as_deref());
            below.extend(&call.args);
        }
        Expr::Comprehension(all) => {
            below.extend([&all.iter_range, &all.accu_init, &all.loop_cond, &all.loop_step, &all.result]);
        }
        Expr::List(list) => below.extend(&list.elements),
        Expr::Map(map) => map.entries.iter().for_each(|entry| below.extend(parts(&entry.expr))),
        Expr::Struct(made) => made.entries.iter().for_each(|entry| below.extend(parts(&entry.expr))),
        Expr::Select(select) => below.push(&select.operand),
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => {}
    }
    below
}

fn parts(entry: &EntryExpr) -> Vec<&IdedExpr> {
    match entry {
        EntryExpr::StructField(field) => vec![&field.value],
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
    }
}

/// What expressions look at of a record: the rest is not made ready for them.
#[derive(Debug)]
enum FieldSelection {
    Named(BTreeSet<String>),
    All,
}

impl FieldSelection {
    fn of<'a>(programs: impl IntoIterator<Item = &'a Program>) -> Self {
        let mut fields = Self::Named(BTreeSet::new());
        programs.into_iter().for_each(|program| fields.see(program.expression()));
        fields
    }

    fn see(&mut self, expression: &IdedExpr) {
        // With a dot before it a name is meant absolutely.
        let is_variable = |name: &String| name.strip_prefix('.').unwrap_or(name) == VARIABLE;
        let is_record = |expression: &IdedExpr| matches!(&expression.expr, Expr::Ident(name) if is_variable(name));
        match (&expression.expr, &mut *self) {
            (Expr::Select(select), Self::Named(names)) if is_record(&select.operand) => {
                names.insert(select.field.clone());
            }
            _ if is_record(expression) => *self = Self::All,
            _ => below(expression).into_iter().for_each(|part| self.see(part)),
        }
    }

    fn value<'r>(&'r self, record: &'r serde_json::Map<String, Value>) -> Box<dyn Val + 'r> {
        match self {
            Self::All => map(record),
            Self::Named(names) => map(names.iter().filter_map(|name| record.get_key_value(name))),
        }
    }
}

fn program_result(program: &Program, context: &Context<'_, '_>) -> Result<CelValue, ExecutionError> {
    stacker::maybe_grow(EVALUATION_STACK, 2 * EVALUATION_STACK, || program.execute(context))
}

fn evaluate(program: &Program, context: &Context<'_, '_>) -> Result<bool, ClauseError> {
    match program_result(program, context) {
        Ok(CelValue::Bool(fails)) => Ok(fails),
        Ok(other) => Err(ClauseError(format!("it is {:?}, neither true nor false", other.type_of()))),
        Err(ExecutionError::NoSuchKey(key)) => Err(ClauseError(format!("there is no {}", quote(&key)))),
        Err(error) => Err(ClauseError(assize_core::text::beginning(&error.to_string(), 300).into_owned())),
    }
}

fn map<'r>(fields: impl IntoIterator<Item = (&'r String, &'r Value)>) -> Box<dyn Val + 'r> {
    let entry = |(name, value): (&'r String, &'r Value)| (CelMapKey::from(name.as_str()), value_of(value));
    let entries: HashMap<CelMapKey<'r>, Box<dyn Val + 'r>> = fields.into_iter().map(entry).collect();
    Box::new(CelMap::from(entries))
}

/// Texts are not copied. Whole numbers are `int` wherever they fit, so that `-record.n` and `record.n + 1` are what they look like.
fn value_of(value: &Value) -> Box<dyn Val + '_> {
    match value {
        Value::Null => Box::new(CelNull),
        Value::Bool(truth) => Box::new(CelBool::from(*truth)),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => Box::new(CelInt::from(whole)),
            (None, Some(large)) => Box::new(CelUInt::from(large)),
            (None, None) => Box::new(CelDouble::from(number.as_f64().unwrap_or(f64::NAN))),
        },
        Value::String(text) => Box::new(CelString::from(text.as_str())),
        Value::Array(items) => Box::new(CelList::from(items.iter().map(value_of).collect::<Vec<_>>())),
        Value::Object(fields) => map(fields),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn computed(expression: &str, record: &Value) -> Result<bool, String> {
        let program = compile(expression)?;
        let mut context = Context::with_env(Arc::clone(&ENVIRONMENT));
        context.add_variable_as_val(VARIABLE, value_of(record));
        evaluate(&program, &context).map_err(|error| error.to_string())
    }

    fn guide() -> Value {
        json!({
            "difficulty": "beginner", "steps": ["a", "b", "c"], "score": 3.5, "count": 3, "nothing": null,
            "answer": "Shut off the water. Open the tap, e.g. by hand! Is it dry?", "made": {"by": "nobody"},
        })
    }

    #[test]
    fn what_can_be_counted_is_computed() {
        for (expression, fails) in [
            ("record.difficulty == 'beginner' && size(record.steps) > 2", true),
            ("record.difficulty == 'beginner' && size(record.steps) > 3", false),
            ("record.score > 3", true),
            ("record.count - 4 < 0 && -record.count < 0", true),
            ("record.steps.exists(step, step == 'b')", true),
            ("record.steps.all(step, step.size() > 1)", false),
            ("record.answer.matches('(?i)shut off')", true),
            ("sentences(record.answer) < 3", false),
            ("sentences(record.answer) == 3", true),
            ("words(record.answer) > 13", false),
            ("items(record.steps) == 3 && items([]) == 0", true),
            ("has(record.tips)", false),
            ("record.made.by == 'nobody'", true),
            ("record.nothing == null", true),
        ] {
            assert_eq!(computed(expression, &guide()), Ok(fails), "{expression}");
        }
    }

    #[test]
    fn what_cannot_be_computed_is_said() {
        for (expression, says) in [
            ("record.tips == ''", "there is no `tips`"),
            ("record.difficulty > 3", "no matching overload"),
            ("size(record.steps)", "neither true nor false"),
            ("items(record.answer) > 8", "no matching overload"),
            ("record.count / 0 == 1", "ivi"),
        ] {
            let error = computed(expression, &guide()).expect_err(expression);
            assert!(error.contains(says), "{expression}: {error}");
        }
    }

    #[test]
    fn what_is_no_expression_is_refused_before_any_record() {
        for (expression, says) in [
            ("size(record.steps) >", "no expression in CEL: 1:"),
            ("size(records.steps) > 8", "`records`"),
            ("length(record.steps) > 8", "`length`"),
            ("1 > 2", "does not speak of `record`"),
            ("record.a.all(x, record.b.all(y, record.c.all(z, x + y + z > 0)))", "more than 2 loops"),
        ] {
            let error = compile(expression).expect_err(expression);
            assert!(error.contains(says), "{expression}: {error}");
        }
        assert!(compile("record.a.all(x, record.b.all(y, x > y))").is_ok(), "as many loops as may be");
    }

    #[test]
    fn what_expressions_look_at_is_made_ready() {
        for (expression, fields) in [
            ("record.difficulty == 'beginner' && size(record.steps) > 2", Some("difficulty steps")),
            ("has(record.tips) || record.made.by == 'nobody'", Some("made tips")),
            ("record.steps.exists(step, step == record.answer)", Some("answer steps")),
            ("[record.count, 1].exists(record, record == 1) || true", None),
            ("has(.record.answer) && record.count > 0", Some("answer count")),
            ("size(record) > 3", None),
            ("size(.record) > 3 && record.count > 0", None),
            ("record['steps'] == [] || has(record.made)", None),
        ] {
            let program = compile(expression).expect(expression);
            let whole = computed(expression, &guide());
            let condition = Condition::read(expression).expect(expression);
            let fields_of_guide = guide().as_object().expect("an object").clone();
            assert_eq!(condition.holds(&fields_of_guide).map_err(|error| error.to_string()), whole, "{expression}");
            let named = match FieldSelection::of([&program]) {
                FieldSelection::Named(names) => Some(names.into_iter().collect::<Vec<_>>().join(" ")),
                FieldSelection::All => None,
            };
            assert_eq!(named.as_deref(), fields, "{expression}");
        }
    }

    #[test]
    fn there_are_the_functions_that_are_named() {
        for name in FUNCTIONS {
            let expressions = [format!("{name}(record.answer) != 0"), format!("record.answer.{name}('a') || true")];
            let undeclared = |expression: &String| match computed(expression, &guide()) {
                Ok(_) => false,
                Err(error) => error.contains("ndeclared") || error.contains("which there is not"),
            };
            assert!(!expressions.iter().all(undeclared), "{name}");
        }
    }

    #[test]
    fn expressions_have_limits() {
        let brackets = |count: usize| format!("{}record.b{}", "(".repeat(count), ")".repeat(count));
        assert!(compile(&brackets(DEPTH_MAX)).is_ok());
        assert!(compile(&brackets(DEPTH_MAX + 1)).is_err());
        // The first two stand beside each other: a sum of n is n - 1 deep, within a comparison.
        let sum = |count: usize| format!("record.a == {}", vec!["1"; count].join("+"));
        assert!(compile(&sum(DEPTH_MAX - 1)).is_ok());
        assert!(compile(&sum(DEPTH_MAX)).is_err());
        let long = |bytes: usize| format!("record.a == '{}'", "x".repeat(bytes - 14));
        assert!(compile(&long(EXPRESSION_BYTES_MAX)).is_ok());
        assert!(compile(&long(EXPRESSION_BYTES_MAX + 1)).is_err());
    }

    #[test]
    fn the_deepest_expressions_do_not_overflow() {
        let record = json!({"a": 1, "b": true});
        let deep = [
            format!("record.a == {}", vec!["1"; DEPTH_MAX - 1].join("+")),
            format!("{}record.b", "!".repeat(900)),
            format!("{}true", "record.b?true:".repeat(40)),
            vec!["record.b"; 80].join("&&"),
            format!("{}record.b{}", "[".repeat(DEPTH_MAX - 1), "]".repeat(DEPTH_MAX - 1)),
            format!("record{}", ".a".repeat(DEPTH_MAX - 1)),
            "(".repeat(900),
            "record.a ? ".repeat(80),
        ];
        for expression in deep {
            // Whatever it is: it comes to an end.
            let _ = computed(&expression, &record);
        }
    }
}
