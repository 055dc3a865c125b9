//! Makes the TextMate grammar from the keyword table.
//!
//! A TextMate grammar sees one line at a time and has no parser, so a word is told from a name by what stands beside it:
//! after a dot, before a colon and before a comparison it is a field; after `call` it is a tool.

use ctr_grammar::keywords::{FUNCTIONS, KEYWORDS, Keyword, KeywordKind};
use serde_json::{Value, json};

const WORD: &str = "[A-Za-z_][A-Za-z0-9_]*";
const QUOTED: &str = "`[^`]+`";

/// Not inside a word, and not after a dot.
const BEFORE: &str = r"(?<![\w.])";

/// Not before a colon: `name:`, `name?:`.
const NO_FIELD: &str = r"(?!\s*\??\s*:)";

/// The scope of a kind of keyword.
fn scope(kind: KeywordKind) -> &'static str {
    match kind {
        KeywordKind::Item | KeywordKind::Declaration => "storage.type.ctr",
        KeywordKind::Clause => "keyword.control.clause.ctr",
        KeywordKind::Action => "keyword.control.action.ctr",
        KeywordKind::Pattern => "keyword.control.pattern.ctr",
        KeywordKind::Connective => "keyword.operator.logical.ctr",
        KeywordKind::Temporal => "keyword.operator.temporal.ctr",
        KeywordKind::Form => "keyword.operator.form.ctr",
        KeywordKind::Operator => "keyword.operator.word.ctr",
        KeywordKind::Value => "constant.language.ctr",
        KeywordKind::Test => "keyword.control.test.ctr",
        KeywordKind::Type => "support.type.ctr",
    }
}

const TOOL: &str = "entity.name.function.tool.ctr";
const IMPORT: &str = "keyword.control.import.ctr";
const TEST: &str = "keyword.control.test.ctr";

/// Alternatives of keywords, the longest first, their words a run of white space apart.
fn words<'k>(keywords: impl Iterator<Item = &'k str>) -> String {
    let mut list: Vec<&str> = keywords.collect();
    list.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    let list: Vec<String> = list.iter().map(|w| w.replace(' ', r"\s+")).collect();
    format!("(?:{})", list.join("|"))
}

fn of(kind: KeywordKind) -> impl Iterator<Item = &'static Keyword> {
    KEYWORDS.iter().filter(move |k| k.kind == kind)
}

fn names(kind: KeywordKind) -> impl Iterator<Item = &'static str> {
    of(kind).map(|k| k.name)
}

fn reserved(kind: KeywordKind) -> impl Iterator<Item = &'static str> {
    of(kind).filter(|k| k.reserved).map(|k| k.name)
}

/// What compares two values: after a word it shows that the word is a field.
fn compares() -> String {
    let words = words(reserved(KeywordKind::Operator).filter(|w| !matches!(*w, "earlier")));
    format!(r"(?:==|!=|<|>|\?\?|{words}\b)")
}

/// Words that cannot be the tool of a pattern, nor a declared name.
fn goes_on() -> String {
    let kinds = [
        KeywordKind::Connective,
        KeywordKind::Operator,
        KeywordKind::Clause,
        KeywordKind::Value,
    ];
    let more = [
        "since",
        "until",
        "unless",
        "after",
        "before",
        "within",
        "only after",
        "only before",
        "only if",
        "only while",
        "leads to",
        "immediately leads to",
        "at most",
        "at least",
    ];
    let list = words(kinds.into_iter().flat_map(reserved).chain(more));
    format!(r"(?!{list}\b)")
}

fn name() -> String {
    format!("(?:{WORD}|{QUOTED})")
}

fn path() -> String {
    let name = name();
    format!(r"{name}(?:\.{name})*")
}

fn rule(scope: &str, expression: &str) -> Value {
    json!({ "match": expression, "name": scope })
}

/// A rule whose groups have scopes.
fn groups(expression: &str, scopes: &[&str]) -> Value {
    let captures: serde_json::Map<String, Value> = scopes
        .iter()
        .enumerate()
        .filter(|(_, s)| !s.is_empty())
        .map(|(n, s)| ((n + 1).to_string(), capture(s)))
        .collect();
    json!({ "match": expression, "captures": captures })
}

/// The scope of a group; the parts of a path are told apart.
fn capture(scope: &str) -> Value {
    match scope {
        TOOL | "entity.name.type.contract.ctr" | "entity.name.namespace.ctr" => {
            json!({ "name": scope, "patterns": [include("path")] })
        }
        _ => json!({ "name": scope }),
    }
}

fn include(name: &str) -> Value {
    json!({ "include": format!("#{name}") })
}

fn includes(names: &[&str]) -> Value {
    names.iter().map(|n| include(n)).collect()
}

/// A rule from an opening to a closing text.
fn span(begin: &str, end: &str, scopes: [&str; 2], patterns: Value) -> Value {
    json!({
        "begin": begin,
        "beginCaptures": { "0": { "name": scopes[0] } },
        "end": end,
        "endCaptures": { "0": { "name": scopes[1] } },
        "patterns": patterns,
    })
}

fn named(mut rule: Value, scope: &str) -> Value {
    rule["name"] = json!(scope);
    rule
}

/// The grammar.
pub fn grammar() -> Value {
    let repository = json!({
        "comments": { "patterns": comments() },
        "hidden": { "patterns": hidden() },
        "declarations": { "patterns": declarations() },
        "otherwise": otherwise(),
        "tests": { "patterns": tests() },
        "expression": { "patterns": includes(&[
            "hidden", "comments", "regex", "string", "quoted", "patterns", "quantifiers", "counts", "keywords",
            "numbers", "functions", "fields", "types", "operators", "punctuation", "refused", "names",
        ]) },
        "regex": regex(),
        "string": string(false),
        "message": string(true),
        "escapes": { "patterns": escapes() },
        "interpolation": interpolation(),
        "parentheses": span(r"\(", r"\)", ["punctuation.section.parens.begin.ctr", "punctuation.section.parens.end.ctr"],
            includes(&["parentheses", "expression"])),
        "braces": span(r"\{", r"\}", ["punctuation.section.braces.begin.ctr", "punctuation.section.braces.end.ctr"],
            includes(&["braces", "expression"])),
        "quoted": { "patterns": [
            groups(&format!(r"({QUOTED})(?=\s*\??\s*:)"), &["variable.other.property.ctr"]),
            rule("variable.other.quoted.ctr", QUOTED),
        ] },
        "path": { "patterns": [
            groups(r"([A-Za-z_][A-Za-z0-9_]*|`[^`]+`)(\.)", &["entity.name.namespace.ctr", "punctuation.accessor.ctr"]),
        ] },
        "patterns": { "patterns": patterns() },
        "quantifiers": { "patterns": [groups(
            &format!(r"{BEFORE}(every|some)\s+({})\s+(in)\b", name()),
            &["keyword.operator.word.ctr", "variable.parameter.ctr", "keyword.operator.word.ctr"],
        )] },
        "counts": { "patterns": counts() },
        "keywords": { "patterns": keywords() },
        "numbers": { "patterns": numbers() },
        "functions": { "patterns": [
            rule("support.function.ctr", &format!(r"{BEFORE}{}\b(?=\s*\()", words(FUNCTIONS.iter().copied()))),
            rule("entity.name.function.ctr", &format!(r"{}(?=\s*\()", name())),
        ] },
        "fields": { "patterns": [
            rule("variable.language.ctr", &format!(r"{BEFORE}(?:args|ctx|event|result)\b{NO_FIELD}")),
            groups(&format!(r"(\.)({})", name()), &["punctuation.accessor.ctr", "variable.other.property.ctr"]),
            groups(&format!(r"({WORD})(?=\s*\??\s*:)"), &["variable.other.property.ctr"]),
        ] },
        "types": { "patterns": types() },
        "generic": generic(),
        "operators": { "patterns": operators() },
        "punctuation": { "patterns": [
            rule("punctuation.separator.ctr", "[,:]"),
            rule("punctuation.accessor.ctr", r"\."),
            rule("punctuation.section.brackets.ctr", r"[()\[\]{}]"),
        ] },
        "refused": { "patterns": refused() },
        "names": { "patterns": [rule("variable.other.ctr", &format!("{BEFORE}{WORD}"))] },
    });
    json!({
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "comment": "Made from the keyword table by `CTRC_BLESS=1 cargo test -p tree-sitter-ctr --test textmate`.",
        "name": "Contract language",
        "scopeName": "source.ctr",
        "fileTypes": ["ctr"],
        "foldingStartMarker": r"\{\s*(?://.*)?$",
        "foldingStopMarker": r"^\s*\}",
        "patterns": includes(&["hidden", "comments", "declarations", "otherwise", "tests", "expression"]),
        "repository": repository,
    })
}

/// Code blocks of Markdown, in ```` ```ctr ````.
pub fn markdown() -> Value {
    json!({
        "comment": "Made by `CTRC_BLESS=1 cargo test -p tree-sitter-ctr --test textmate`.",
        "scopeName": "markdown.ctr.codeblock",
        "fileTypes": [],
        "injectionSelector": "L:text.html.markdown",
        "patterns": [include("block")],
        "repository": { "block": {
            "name": "markup.fenced_code.block.markdown",
            "begin": r"(^|\G)(\s*)(`{3,}|~{3,})\s*(?i:(ctr)((?:\s+|:|,|\{|\?)[^`]*)?$)",
            "beginCaptures": {
                "3": { "name": "punctuation.definition.markdown" },
                "4": { "name": "fenced_code.block.language.markdown" },
                "5": { "name": "fenced_code.block.language.attributes.markdown" },
            },
            "end": r"(^|\G)(\2|\s{0,3})(\3)\s*$",
            "endCaptures": { "3": { "name": "punctuation.definition.markdown" } },
            "patterns": [{
                "begin": r"(^|\G)(\s*)(.*)",
                "while": r"(^|\G)(?!\s*([`~]{3,})\s*$)",
                "contentName": "meta.embedded.block.ctr",
                "patterns": [{ "include": "source.ctr" }],
            }],
        } },
    })
}

fn comments() -> Value {
    let line = |begin: &str, scope: &str| {
        json!({
            "begin": begin,
            "beginCaptures": { "0": { "name": "punctuation.definition.comment.ctr" } },
            "end": "$",
            "name": scope,
            "patterns": [include("hidden")],
        })
    };
    json!([
        line(r"///(?!/)|//!", "comment.block.documentation.ctr"),
        line("//", "comment.line.double-slash.ctr"),
        named(
            span(
                r"/\*",
                r"\*/",
                [
                    "punctuation.definition.comment.ctr",
                    "punctuation.definition.comment.ctr"
                ],
                includes(&["hidden"]),
            ),
            "comment.block.ctr",
        ),
    ])
}

/// Characters that a reader does not see.
fn hidden() -> Value {
    json!([rule(
        "invalid.illegal.hidden.ctr",
        r"[\x{00}-\x{08}\x{0B}\x{0E}-\x{1F}\x{7F}\x{AD}\x{61C}\x{115F}\x{1160}\x{180E}\x{200B}-\x{200F}\x{202A}-\x{202E}\x{2060}-\x{206F}\x{3164}\x{FEFF}\x{FFA0}]|\r(?!\n|$)",
    )])
}

/// What the lexer refuses outside strings and comments.
fn refused() -> Value {
    json!([
        rule(
            "invalid.illegal.operator.ctr",
            r"&&?|\|\||===|!==|=>|<=>|<->|<>|:=|=~|::|!(?!=)|--(?=\s|$)|[;#$%^~\\]",
        ),
        rule(
            "invalid.illegal.quotes.ctr",
            r"'[^']*'?|[“”„«»][^“”„«»]*[“”„«»]?"
        ),
        rule("invalid.illegal.name.ctr", r"[\w]*[^\x{00}-\x{7F}][\w]*"),
    ])
}

fn declarations() -> Value {
    let name = name();
    let path = path();
    let goes_on = goes_on();
    let function = "entity.name.function.ctr";
    let ty = "storage.type.ctr";
    let contract = "entity.name.type.contract.ctr";
    let module = "entity.name.namespace.ctr";
    json!([
        groups(
            &format!(r"(@)\s*({name})"),
            &[
                "punctuation.definition.annotation.ctr",
                "entity.other.attribute-name.ctr"
            ],
        ),
        groups(
            &format!(r"{BEFORE}(contract)\s+({name})(?:\s+(for\s+each)\b(?:\s+({name}))?)?"),
            &[ty, contract, ty, "variable.parameter.ctr"]
        ),
        groups(&format!(r"{BEFORE}(for\s+each)\b"), &[ty]),
        groups(&format!(r"{BEFORE}(tool)\s+({path})(?=\s*\()"), &[ty, TOOL]),
        groups(
            &format!(r"{BEFORE}(predicate|lookup)\s+({name})(?=\s*\()"),
            &[ty, function]
        ),
        groups(
            &format!(r"{BEFORE}(event)\s+{goes_on}({name})"),
            &[ty, function]
        ),
        groups(
            &format!(r"{BEFORE}(group)\s+({name})\s*(=)(?:\s*(tools\s+where)\b)?"),
            &[
                ty,
                "variable.other.constant.group.ctr",
                "keyword.operator.assignment.ctr",
                ty
            ]
        ),
        groups(
            &format!(r"{BEFORE}(context)\s+{goes_on}({path})(?=\s*[:=])"),
            &[ty, "variable.other.property.ctr"]
        ),
        groups(
            &format!(r"{BEFORE}(module)\s+{goes_on}({path})"),
            &[IMPORT, module]
        ),
        groups(
            &format!(r#"{BEFORE}(import|include|tools\s+from)(?=\s*")"#),
            &[IMPORT]
        ),
        groups(
            &format!(r"{BEFORE}(import|include)\s+{goes_on}({path})"),
            &[IMPORT, module]
        ),
        groups(
            &format!(r#"(?<=["\w`])\s+(as)\s+{goes_on}({name})"#),
            &[IMPORT, module]
        ),
        groups(&format!(r"{BEFORE}(tools\s+where)\b"), &[ty]),
        groups(
            &format!(r"{BEFORE}(let)\s+({name})"),
            &["keyword.control.clause.ctr", "variable.other.ctr"]
        ),
    ])
}

/// What happens where a guarantee would be violated: its message has values in braces.
fn otherwise() -> Value {
    let actions = words(names(KeywordKind::Action).filter(|w| *w != "redirect"));
    let clauses = words(names(KeywordKind::Clause));
    json!({
        "begin": format!(r"{BEFORE}(otherwise)\b{NO_FIELD}(?!\s*{})", compares()),
        "beginCaptures": { "1": { "name": scope(KeywordKind::Clause) } },
        "end": format!(r"(?=\}}|{BEFORE}{clauses}\b{NO_FIELD}|^\s*(?:contract|test|predicate|tool)\s)"),
        "patterns": [
            include("hidden"),
            include("comments"),
            groups(&format!(r"{BEFORE}(redirect)\s+({})", path()), &[scope(KeywordKind::Action), TOOL]),
            rule(scope(KeywordKind::Action), &format!(r"{BEFORE}(?:{actions}|redirect)\b")),
            include("parentheses"),
            include("message"),
        ],
    })
}

fn tests() -> Value {
    let name = name();
    let path = path();
    let property = "variable.other.property.ctr";
    let contract = "entity.name.type.contract.ctr";
    let verdict = "constant.other.expectation.ctr";
    json!([
        groups(&format!(r#"{BEFORE}(test)(?=\s*")"#), &["storage.type.ctr"]),
        groups(
            &format!(r#"(?<=")\s+(for)\s+({path})"#),
            &["storage.type.ctr", contract]
        ),
        groups(
            &format!(r"{BEFORE}(after)(?=\s+[0-9]+(?:ms|s|min|h|d)\b)"),
            &["keyword.operator.form.ctr"]
        ),
        groups(
            &format!(r"{BEFORE}(?:(and)\s+)?(expect)\s+({name})(?:\s+(by)\s+({path}))?"),
            &[
                "keyword.operator.logical.ctr",
                TEST,
                verdict,
                TEST,
                contract
            ],
        ),
        groups(
            &format!(r"{BEFORE}(and)\s+({name})\s+(by)\s+({path})"),
            &["keyword.operator.logical.ctr", verdict, TEST, contract],
        ),
        groups(
            &format!(r"{BEFORE}(by)\s+({path})(?=\s*(?:,|$|//|and\b|with\b|at\b))"),
            &[TEST, contract]
        ),
        groups(
            &format!(r"{BEFORE}(with)\s+({name})\s*(=)(?!=)"),
            &[TEST, property, "keyword.operator.assignment.ctr"]
        ),
        groups(r#"(?<![\w.])(at)(?=\s+["0-9])"#, &[TEST]),
        groups(
            r"(?<![\w.])(end)\b(?=\s*(?:$|//|\}|expect\b|and\b|with\b|at\b))",
            &[TEST]
        ),
        groups(
            r"(->)\s*(failure|unknown)\b",
            &["keyword.operator.arrow.ctr", scope(KeywordKind::Pattern)]
        ),
    ])
}

/// Event patterns: what stands after `call` is a tool, whatever its name.
fn patterns() -> Value {
    let path = path();
    let kinds = r"(call|return|success|failure|unknown)";
    let pattern = scope(KeywordKind::Pattern);
    let compares = compares();
    let goes_on = goes_on();
    json!([
        groups(
            &format!(r"{BEFORE}{kinds}\s+(any\s+except)\s+({path})"),
            &[pattern, pattern, TOOL],
        ),
        groups(
            &format!(r"{BEFORE}{kinds}\s+(any(?:\s+except)?)\b"),
            &[pattern, pattern]
        ),
        groups(
            &format!(r"{BEFORE}{kinds}\s+{goes_on}(?!expect\b)({path})"),
            &[pattern, TOOL],
        ),
        groups(
            &format!(r"{BEFORE}(any\s+except)\s+({path})"),
            &[pattern, TOOL]
        ),
        rule(
            pattern,
            &format!(
                r"{BEFORE}{}\b{NO_FIELD}(?!\s*{compares})",
                words(reserved(KeywordKind::Pattern))
            ),
        ),
    ])
}

/// `3 times`, `2 consecutive times`, `3 steps`.
fn counts() -> Value {
    let form = scope(KeywordKind::Form);
    json!([
        groups(
            r"(?<![\w.])([0-9]+)\s+(?:(consecutive)\s+)?(times?|steps?)\b(?!\s*[.(])",
            &["constant.numeric.ctr", form, form],
        ),
        rule(form, r"(?<![\w.])exactly\b(?=\s+[0-9])"),
    ])
}

fn keywords() -> Value {
    let compares = compares();
    let mut out = Vec::new();
    for kind in [
        KeywordKind::Form,
        KeywordKind::Temporal,
        KeywordKind::Connective,
        KeywordKind::Operator,
        KeywordKind::Clause,
        KeywordKind::Declaration,
    ] {
        let words = words(reserved(kind));
        // `until == 3` is about a field; `a and not in ...` is not.
        let no_field = if kind == KeywordKind::Connective {
            String::new()
        } else {
            format!(r"(?!\s*{compares})")
        };
        out.push(rule(
            scope(kind),
            &format!(r"{BEFORE}{words}\b{NO_FIELD}{no_field}"),
        ));
    }
    for (word, scope) in [
        ("true", "constant.language.boolean.ctr"),
        ("false", "constant.language.boolean.ctr"),
        ("null", "constant.language.null.ctr"),
    ] {
        out.push(rule(scope, &format!(r"{BEFORE}{word}\b{NO_FIELD}")));
    }
    Value::Array(out)
}

fn numbers() -> Value {
    json!([
        groups(
            r"(?<![\w.])([0-9]+)(ms|s|min|h|d)\b",
            &["constant.numeric.duration.ctr", "keyword.other.unit.ctr"],
        ),
        rule("invalid.illegal.number.ctr", r"(?<![\w.])0[0-9][\w]*"),
        rule(
            "constant.numeric.ctr",
            r"(?<![\w.])[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\b"
        ),
        rule("invalid.illegal.number.ctr", r"(?<![\w.])[0-9][\w.]*"),
    ])
}

/// Types stand after `:`, `->`, `|` and in `<...>`.
fn types() -> Value {
    let simple = words(
        names(KeywordKind::Type)
            .filter(|w| !matches!(*w, "list" | "map" | "enum"))
            .chain(["null", "any", "event"]),
    );
    let ty = scope(KeywordKind::Type);
    let comma = "punctuation.separator.ctr";
    json!([
        groups(
            &format!(r"(:)\s*({simple})\b(?!\s*[(.]){NO_FIELD}"),
            &[comma, ty]
        ),
        groups(r"(:)\s*(enum)(?=\s*\()", &[comma, ty]),
        groups(
            &format!(r"(->)\s*({simple})\b(?!\s*[(.])"),
            &["keyword.operator.arrow.ctr", ty]
        ),
        groups(
            &format!(r"(\|)\s*({simple})\b(?!\s*[(.])"),
            &["keyword.operator.or.ctr", ty]
        ),
        include("generic"),
        groups(r"(?<![\w.])(enum)(?=\s*\()", &[ty]),
        groups(
            &format!(r"(\|)\s*({})", path()),
            &["keyword.operator.or.ctr", TOOL]
        ),
    ])
}

/// `list<T>`, over several lines if need be.
fn generic() -> Value {
    let simple = words(
        names(KeywordKind::Type)
            .filter(|w| !matches!(*w, "list" | "map"))
            .chain(["null", "any"]),
    );
    let ty = scope(KeywordKind::Type);
    json!({
        "begin": r"(?<![\w.])(list|map)(<)(?!=)",
        "beginCaptures": {
            "1": { "name": ty },
            "2": { "name": "punctuation.definition.generic.begin.ctr" },
        },
        "end": r">|(?=^\s*(?:contract|test|predicate|tool|context|lookup|event)\s)",
        "endCaptures": { "0": { "name": "punctuation.definition.generic.end.ctr" } },
        "patterns": [
            include("hidden"),
            include("comments"),
            include("string"),
            include("generic"),
            groups(r"([A-Za-z_]\w*|`[^`]+`)(?=\s*\??\s*:)", &["variable.other.property.ctr"]),
            rule(ty, &format!(r"(?<![\w.]){simple}\b")),
            rule("keyword.operator.optional.ctr", r"\?"),
            rule("keyword.operator.or.ctr", r"\|"),
            include("punctuation"),
            include("names"),
        ],
    })
}

fn operators() -> Value {
    json!([
        rule("keyword.operator.arrow.ctr", "->"),
        rule(
            "invalid.illegal.operator.ctr",
            r"===|!==|=>|<=>|<->|<>|:=|=~|\|\||&&|::"
        ),
        rule("keyword.operator.comparison.ctr", "==|!=|<=|>="),
        rule("keyword.operator.comparison.ctr", "[<>]"),
        rule("keyword.operator.null-coalescing.ctr", r"\?\?"),
        rule("keyword.operator.optional.ctr", r"\?"),
        rule("keyword.operator.assignment.ctr", "="),
        rule("keyword.operator.arithmetic.ctr", r"[+*]|-(?!-(?:\s|$))"),
        rule("keyword.operator.or.ctr", r"\|"),
    ])
}

fn escapes() -> Value {
    json!([
        rule(
            "constant.character.escape.ctr",
            r#"\\(?:[ntr\\"'/{}]|u\{[0-9A-Fa-f]{1,8}\})"#
        ),
        rule("invalid.illegal.escape.ctr", r"\\."),
    ])
}

fn string(message: bool) -> Value {
    let inner: &[&str] = if message {
        &["hidden", "escapes", "interpolation"]
    } else {
        &["hidden", "escapes"]
    };
    named(
        span(
            "\"",
            "\"|$",
            [
                "punctuation.definition.string.begin.ctr",
                "punctuation.definition.string.end.ctr",
            ],
            includes(inner),
        ),
        "string.quoted.double.ctr",
    )
}

/// `{expr}` in a message; the quotes of strings are escaped in it.
fn interpolation() -> Value {
    let escaped = named(
        rule("", r#"\\"(?:[^"\\]|\\[^"])*\\""#),
        "string.quoted.double.ctr",
    );
    let mut rule = span(
        r"\{",
        r#"\}|(?=")|$"#,
        [
            "punctuation.section.interpolation.begin.ctr",
            "punctuation.section.interpolation.end.ctr",
        ],
        json!([escaped, include("braces"), include("expression")]),
    );
    rule["contentName"] = json!("meta.embedded.expression.ctr");
    rule
}

fn regex() -> Value {
    let class = named(
        span(
            r"(\[)(\^)?",
            r"\]|$",
            [
                "punctuation.definition.character-class.regexp",
                "punctuation.definition.character-class.regexp",
            ],
            json!([
                rule("constant.character.escape.regexp", r"\\."),
                rule(
                    "constant.other.character-class.range.regexp",
                    r"[^\\\]]-[^\\\]]"
                )
            ]),
        ),
        "constant.other.character-class.set.regexp",
    );
    json!({
        "name": "string.regexp.ctr",
        "begin": r"/(?![/*])",
        "beginCaptures": { "0": { "name": "punctuation.definition.string.begin.ctr" } },
        "end": r"(/)([A-Za-z]*)|$",
        "endCaptures": {
            "1": { "name": "punctuation.definition.string.end.ctr" },
            "2": { "name": "keyword.other.flags.ctr" },
        },
        "patterns": [
            include("hidden"),
            rule("constant.character.escape.regexp", r"\\."),
            class,
            rule("keyword.operator.quantifier.regexp", r"[?+*][?+]?|\{[0-9]+(?:,[0-9]*)?\}"),
            rule("keyword.operator.or.regexp", r"\|"),
            rule("keyword.control.anchor.regexp", "[$^]"),
            rule("punctuation.definition.group.regexp", r"\((?:\?(?:P?<[A-Za-z_]\w*>|[A-Za-z-]*:|[A-Za-z-]+(?=\))))?|\)"),
        ],
    })
}
