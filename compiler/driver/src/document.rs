//! What standard output holds where a verb that writes for programs ends before it wrote anything: a
//! document that is complete, so that a program which reads it sees no half of one.

use serde_json::json;

use crate::cli::{
    Emit, ExplainFormat, FindingFormat, Format, LtlfFormat, LtlfVerb, TestFormat, Verb,
};
use crate::exit::Exit;
use crate::render::sarif;
use crate::verbs::test::junit;

/// The shapes that documents have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// A JSON array: `[]`.
    Array,
    /// A JSON object: `{"error": .., "exit": ..}`.
    Object,
    /// A SARIF log with a run that did not succeed.
    Sarif,
    /// A JUnit report without tests.
    Junit,
}

/// The document, or nothing where nothing is right: for people, for lines, for what is no document.
#[must_use]
pub fn of_failure(verb: &Verb, exit: Exit, why: Option<&str>) -> Option<String> {
    let why = why.map_or("nothing was written", |why| {
        // What people are shown first, the code says.
        ["error: ", "undecided: ", "internal error: "]
            .iter()
            .find_map(|severity| why.strip_prefix(severity))
            .unwrap_or(why)
    });
    Some(match shape(verb)? {
        Shape::Array => "[]\n".to_owned(),
        Shape::Object => format!("{}\n", json!({"error": why, "exit": exit.number()})),
        Shape::Sarif => sarif::failure(why, exit.number()),
        Shape::Junit => junit::failure(why),
    })
}

fn shape(verb: &Verb) -> Option<Shape> {
    let findings = |format| match format {
        FindingFormat::Json => Some(Shape::Array),
        FindingFormat::Sarif => Some(Shape::Sarif),
        FindingFormat::Human | FindingFormat::Github => None,
    };
    let object = |is_json: bool| is_json.then_some(Shape::Object);
    match verb {
        Verb::Check(args) if args.witness => object(args.format == FindingFormat::Json),
        Verb::Check(args) => findings(args.format),
        Verb::Build(args) => {
            let output = args.output.as_deref();
            match args.emit {
                Some(Emit::Json) if output.is_none_or(|path| path == "-") => Some(Shape::Object),
                _ if output == Some("-") => None,
                _ => findings(args.format),
            }
        }
        Verb::Diff(args) => object(args.format == Format::Json),
        Verb::Refine(args) => object(args.format == Format::Json),
        Verb::Explain(args) => object(args.format == ExplainFormat::Json),
        Verb::Inspect(args) => object(args.format == Format::Json),
        Verb::Test(args) => match args.format {
            TestFormat::Json => Some(Shape::Array),
            TestFormat::Junit => Some(Shape::Junit),
            TestFormat::Human | TestFormat::Github => None,
        },
        Verb::Ltlf(args) => match &args.verb {
            LtlfVerb::Dfa { format, .. } => object(*format == LtlfFormat::Json),
            LtlfVerb::Sat { format, .. } | LtlfVerb::Cores { format, .. } => {
                object(*format == Format::Json)
            }
            LtlfVerb::Mona { .. } => None,
        },
        // Lines for programs: a document of none is complete.
        Verb::Replay(_) | Verb::Allowed(_) => None,
        Verb::Fmt(_)
        | Verb::Graph(_)
        | Verb::Lsp(_)
        | Verb::Init(_)
        | Verb::Completions(_)
        | Verb::Man(_) => None,
    }
}
