//! What the parser makes of correct texts.

use super::{FIXTURES, sexpr};
use crate::ast::*;
use crate::{MessagePart, message_parts, parse, parse_expr};

fn guarantee(text: &str) -> String {
    let source = format!("contract c {{ guarantee {text} }}");
    let parse = parse(&source);
    assert_eq!(parse.errors, vec![], "{text}");
    match &parse.file.items[0].kind {
        ItemKind::Contract(c) => match &c.clauses[0].kind {
            ClauseKind::Guarantee(e) => sexpr::expr(e),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

fn condition(text: &str) -> String {
    let all = guarantee(&format!("call a only if {text}"));
    all.strip_prefix("(only-if (Call a) ")
        .and_then(|t| t.strip_suffix(')'))
        .unwrap()
        .to_owned()
}

#[test]
fn fixtures_have_no_errors() {
    for (name, text) in FIXTURES {
        assert_eq!(parse(text).errors, vec![], "{name}");
        let crlf = text.replace('\n', "\r\n");
        assert_eq!(parse(&crlf).errors, vec![], "{name} with CRLF");
    }
}

#[test]
fn readable_forms() {
    let table = [
        ("never call a", "(never (Call a))"),
        (
            "never call a after call b",
            "(never-after (Call a) (Call b))",
        ),
        (
            "call a only before call b",
            "(only-before (Call a) (Call b))",
        ),
        ("call a only after call b", "(only-after (Call a) (Call b))"),
        (
            "never call a before call b",
            "(never-before (Call a) (Call b))",
        ),
        (
            "call a only after call b within 5min",
            "(only-after (Call a) (Call b) 300000000000ns)",
        ),
        (
            "call pay only while not call logout since success login",
            "(only-while (Call pay) (Since (Not (Call logout)) (Success login)))",
        ),
        (
            "call a leads to call b within 3 steps",
            "(leads-to (Call a) (Call b) 3steps)",
        ),
        (
            "call a leads /* so */ to // and so\n call b",
            "(leads-to (Call a) (Call b))",
        ),
        (
            "call a immediately leads to call b",
            "(next-leads-to (Call a) (Call b))",
        ),
        ("call a at most 1 time", "(times AtMost 1 (Call a))"),
        ("call a at least 2 times", "(times AtLeast 2 (Call a))"),
        ("call a exactly 2 times", "(times Exactly 2 (Call a))"),
        (
            "call a at most 3 times within 1d",
            "(times AtMost 3 (Call a) 86400000000000ns)",
        ),
        (
            "call a at most 3 consecutive times",
            "(times AtMost 3 consecutive (Call a))",
        ),
        (
            "(call a or call b) leads to (not call c)",
            "(leads-to <(Or (Call a) (Call b))> <(Not (Call c))>)",
        ),
        (
            "(never call a) and (call b at most 1 time)",
            "(And <(never (Call a))> <(times AtMost 1 (Call b))>)",
        ),
    ];
    for (text, tree) in table {
        assert_eq!(guarantee(text), tree, "{text}");
    }
}

#[test]
fn formulas() {
    let table = [
        (
            "not call a and call b or call c implies call d iff call e",
            "(Iff (Implies (Or (And (Not (Call a)) (Call b)) (Call c)) (Call d)) (Call e))",
        ),
        (
            "call a implies call b implies call c",
            "(Implies (Call a) (Implies (Call b) (Call c)))",
        ),
        (
            "always (call a implies weak next always not call b)",
            "(Always <(Implies (Call a) (WeakNext (Always (Not (Call b)))))>)",
        ),
        (
            "call a and eventually call b",
            "(And (Call a) (Eventually (Call b)))",
        ),
        ("not call a until call b", "(Until (Not (Call a)) (Call b))"),
        (
            "call any except read | fs.list(x == 1, y)",
            "(Call !read|fs.list (Eq x 1) y)",
        ),
        ("{ctx.role == \"admin\"}", "(state (Eq ctx.role \"admin\"))"),
        (
            "std.declare.responds(call a, input)",
            "(std.declare.responds! (Call a) (Input))",
        ),
        ("once call a since call b", "ERR"),
    ];
    for (text, tree) in table {
        if tree == "ERR" {
            let source = format!("contract c {{ guarantee {text} }}");
            assert_eq!(parse(&source).errors.len(), 1, "{text}");
        } else {
            assert_eq!(guarantee(text), tree, "{text}");
        }
    }
}

#[test]
fn conditions() {
    let table = [
        ("not amount > 5", "(Not (Gt amount 5))"),
        (
            "a + 2 * b - c <= 500 ?? 3",
            "(Le (Sub (Add a (Mul 2 b)) c) (Coalesce 500 3))",
        ),
        ("-a < -1", "(Lt (Neg a) (Neg 1))"),
        ("a - -b == 0", "(Eq (Sub a (Neg b)) 0)"),
        (
            "every x in to: x like \"*@c\" and len(x) < 3",
            "(every x to (And (Like x \"*@c\") (Lt (len! x) 3)))",
        ),
        (
            "a and some x in r.o[*].id: x == 1 or b",
            "(And a (some x r.o[*].id (Or (Eq x 1) b)))",
        ),
        ("x not in [1, 2,]", "(NotIn x [1 2])"),
        ("s matches /[/]\\/\\d+/i", "(Matches s /[/]/\\d+/i)"),
        ("p inside \"/srv\"", "(Inside p \"/srv\")"),
        (
            "count(earlier call pay within 10min) < 3",
            "(Lt (count! (within (earlier (Call pay)) 600000000000ns)) 3)",
        ),
        (
            "sum(output, event.tokens) < 1e3",
            "(Lt (sum! (Output) event.tokens) 1e3)",
        ),
        ("x == \"\\n\\u{1f600}\\{\\\\\"", "(Eq x \"\\n😀{\\\\\")"),
        (
            "success == true and args.not != input",
            "(And (Eq success true) (Ne args.not (Input)))",
        ),
        ("{a: 1, \"b-c\": [null]} == x", "(Eq {a:1 b-c:[null]} x)"),
        (
            "to == 1 and with == 2 and by == 3 and times == 4 and time == 5 and steps == 6 and consecutive == 7 and at == 8 and from == 9 and end == 10",
            "(And (And (And (And (And (And (And (And (And (Eq to 1) (Eq with 2)) (Eq by 3)) (Eq times 4)) (Eq time 5)) (Eq steps 6)) (Eq consecutive 7)) (Eq at 8)) (Eq from 9)) (Eq end 10))",
        ),
    ];
    for (text, tree) in table {
        assert_eq!(condition(text), tree, "{text}");
    }
}

#[test]
fn keywords_are_fields_and_names() {
    for keyword in crate::keywords::KEYWORDS {
        if keyword.name.contains(' ') {
            continue;
        }
        let name = keyword.name;
        let source = format!(
            "tool t({name}: string, b?: {{ {name}?: int }})\n\
             contract c {{ guarantee call t(args.{name} == 1) }}\n\
             test \"x\" {{ call t({name}: 1) -> {{ {name}: 2 }} }}\n\
             contract {name} {{ guarantee call `{name}`.a }}"
        );
        assert_eq!(parse(&source).errors, vec![], "{name}");
    }
}

#[test]
fn steps_of_tests() {
    let text = FIXTURES.iter().find(|(n, _)| *n == "tests").unwrap().1;
    let parse = parse(text);
    let ItemKind::Test(test) = &parse.file.items[0].kind else {
        panic!("no test");
    };
    let steps: Vec<String> = test.steps.iter().map(sexpr::step).collect();
    insta::assert_snapshot!(steps.join("\n"));
}

#[test]
fn docs_and_attributes() {
    let text = "//! one\n//! two\n\n/// a\n/// b\n@id(\"R-1\") @severity(high)\ncontract c {}\n/// t\ntool x()";
    let parse = parse(text);
    assert_eq!(parse.errors, vec![]);
    assert_eq!(parse.file.doc.as_deref(), Some("one\ntwo"));
    let item = &parse.file.items[0];
    assert_eq!(item.doc.as_deref(), Some("a\nb"));
    assert_eq!(item.attributes.len(), 2);
    assert_eq!(item.attributes[1].name.name, "severity");
    assert_eq!(
        item.span.text(text),
        "@id(\"R-1\") @severity(high)\ncontract c {}"
    );
    assert_eq!(parse.file.items[1].doc.as_deref(), Some("t"));
    assert_eq!(parse.comments.len(), 5);
}

#[test]
fn messages_are_cut() {
    let text = "contract c { guarantee call a otherwise block \"a {args.amount} \\{b\\} {limit + 1}\\n{has(x) == \\\"y\\\"}\" }";
    let parse = parse(text);
    let ItemKind::Contract(c) = &parse.file.items[0].kind else {
        panic!("no contract");
    };
    let ClauseKind::Otherwise(Action::Block(Some(message))) = &c.clauses[1].kind else {
        panic!("no message");
    };
    let (parts, errors) = message_parts(text, message);
    assert_eq!(errors, vec![]);
    let shown: Vec<String> = parts
        .iter()
        .map(|p| match p {
            MessagePart::Text(t) => format!("{t:?}"),
            MessagePart::Expr(e) => format!("{}@{}", sexpr::expr(e), e.span.text(text)),
        })
        .collect();
    assert_eq!(
        shown,
        [
            "\"a \"",
            "args.amount@args.amount",
            "\" {b} \"",
            "(Add limit 1)@limit + 1",
            "\"\\n\"",
            "(Eq (has! x) \"y\")@has(x) == \\\"y\\"
        ]
    );
    let source = "x \"{a b} {\"";
    let literal = StrLit {
        value: String::new(),
        span: crate::Span::new(2, 11),
    };
    assert_eq!(message_parts(source, &literal).1.len(), 2);
}

#[test]
fn expressions_alone() {
    let source = "tool == event.context and x";
    let (expr, errors) = parse_expr(source, crate::Span::new(0, 27));
    assert_eq!(errors, vec![]);
    assert_eq!(sexpr::expr(&expr), "(And (Eq tool event.context) x)");
    assert_eq!(parse_expr("", crate::Span::new(0, 0)).1.len(), 1);
}

#[test]
fn long_chains_stay_shallow() {
    let text = format!(
        "contract c {{ guarantee {} }}",
        vec!["call a"; 20_000].join(" or ")
    );
    assert_eq!(parse(&text).errors, vec![]);
}
