//! Regular expressions: in the syntax of the `regex` crate, or an error that says what to write.

use ctr_grammar::Span;
use regex_syntax::ParserBuilder;
use regex_syntax::ast::ErrorKind as AstErrorKind;
use regex_syntax::hir::ErrorKind as HirErrorKind;

use crate::ir::Regex;

/// How deeply a regular expression may be nested.
const NEST_LIMIT: u32 = 100;

/// What is wrong with a regular expression.
pub(super) struct Problem {
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) label: String,
    pub(super) help: String,
    pub(super) span: Span,
}

/// Checks a regular expression whose literal has the span `span` in `text`.
pub(super) fn check(pattern: &str, flags: &str, span: Span, text: &str) -> Result<Regex, Problem> {
    let mut set = String::new();
    for flag in flags.chars() {
        if !matches!(flag, 'i' | 'm' | 's' | 'x' | 'U' | 'u') {
            let help = if flag == 'g' {
                "`matches` searches anyway: leave it out"
            } else {
                "flags are i (case aside), m (lines), s (`.` fits line ends), x (white space aside), U (lazy) and u (Unicode, the default)"
            };
            return Err(Problem {
                code: "E0503",
                message: format!("regular expressions have no flag `{flag}`"),
                label: "unknown flag".to_owned(),
                help: help.to_owned(),
                span,
            });
        }
        // Unicode is the default; a flag that stands twice is one.
        if flag != 'u' && !set.contains(flag) {
            set.push(flag);
        }
    }
    let whole = if set.is_empty() {
        pattern.to_owned()
    } else {
        format!("(?{set}){pattern}")
    };
    let prefix = whole.len() - pattern.len();
    let parsed = ParserBuilder::new()
        .nest_limit(NEST_LIMIT)
        .build()
        .parse(&whole);
    let error = match parsed {
        Ok(_) => return Ok(Regex { pattern: whole }),
        Err(error) => error,
    };
    // The place inside the literal, where the pattern stands there unchanged.
    let exact = span
        .text(text)
        .strip_prefix('/')
        .is_some_and(|rest| rest.starts_with(pattern));
    let inside = |start: usize, end: usize| {
        if !exact {
            return span;
        }
        let at = |n: usize| {
            let n = u32::try_from(n.saturating_sub(prefix)).unwrap_or(0);
            (span.start + 1 + n).min(span.end)
        };
        Span::new(at(start), at(end))
    };
    Err(match error {
        regex_syntax::Error::Parse(error) => {
            let place = inside(error.span().start.offset, error.span().end.offset);
            match error.kind() {
                AstErrorKind::UnsupportedLookAround => Problem {
                    code: "E0504",
                    message: "regular expressions have no look-around".to_owned(),
                    label: "looks around".to_owned(),
                    help: "expressions are searched in linear time; join two conditions instead: `(x matches /a/ and not x matches /b/)`, and `\\b` for the edge of a word".to_owned(),
                    span: place,
                },
                AstErrorKind::UnsupportedBackreference => Problem {
                    code: "E0504",
                    message: "regular expressions have no back-references".to_owned(),
                    label: "refers back".to_owned(),
                    help: "expressions are searched in linear time; compare fields with `==`, or list the alternatives, `(aa|bb)`".to_owned(),
                    span: place,
                },
                kind => Problem {
                    code: "E0503",
                    message: format!("the regular expression cannot be read: {}", unreadable(kind)),
                    label: "here".to_owned(),
                    help: String::new(),
                    span: place,
                },
            }
        }
        regex_syntax::Error::Translate(error) => Problem {
            code: "E0503",
            message: format!(
                "the regular expression cannot be read: {}",
                untranslatable(error.kind())
            ),
            label: "here".to_owned(),
            help: String::new(),
            span: inside(error.span().start.offset, error.span().end.offset),
        },
        _ => Problem {
            code: "E0503",
            message: "the regular expression cannot be read".to_owned(),
            label: "here".to_owned(),
            help: String::new(),
            span,
        },
    })
}

/// What is wrong with an expression, in words of our own: those of the library are for its users.
fn unreadable(kind: &AstErrorKind) -> &'static str {
    use AstErrorKind as K;
    match kind {
        K::CaptureLimitExceeded => "it has too many groups",
        K::ClassEscapeInvalid => "a class cannot hold this escape",
        K::ClassRangeInvalid => "a range of a class begins after its end",
        K::ClassRangeLiteral => "a range of a class goes from one character to another",
        K::ClassUnclosed => "a class `[...]` is not closed",
        K::DecimalEmpty | K::RepetitionCountDecimalEmpty => "a number is missing",
        K::DecimalInvalid => "a number is too large",
        K::EscapeHexEmpty => "a number in base 16 is missing",
        K::EscapeHexInvalid => "no character has this number",
        K::EscapeHexInvalidDigit => "a digit in base 16 is one of `0` to `9` and `a` to `f`",
        K::EscapeUnexpectedEof => "it ends in the middle of an escape",
        K::EscapeUnrecognized => "there is no such escape",
        K::FlagDanglingNegation => "no flag stands after `-`",
        K::FlagDuplicate { .. } => "a flag stands twice",
        K::FlagRepeatedNegation { .. } => "`-` stands twice among the flags",
        K::FlagUnexpectedEof => "it ends among the flags of a group",
        K::FlagUnrecognized => "there is no such flag",
        K::GroupNameDuplicate { .. } => "two groups have one name",
        K::GroupNameEmpty => "a group's name is empty",
        K::GroupNameInvalid => "a group's name cannot hold this character",
        K::GroupNameUnexpectedEof => "a group's name is not closed",
        K::GroupUnclosed => "a group `(...)` is not closed",
        K::GroupUnopened => "`)` closes no group",
        K::NestLimitExceeded(_) => "its groups are nested too deeply",
        K::RepetitionCountInvalid => "the least number of a repetition is above its most",
        K::RepetitionCountUnclosed => "a repetition `{...}` is not closed",
        K::RepetitionMissing => "nothing that could be repeated stands before this",
        K::SpecialWordBoundaryUnclosed | K::SpecialWordOrRepetitionUnexpectedEof => {
            "an edge of a word `\\b{...}` is not closed"
        }
        K::SpecialWordBoundaryUnrecognized => "there is no such edge of a word",
        K::UnicodeClassInvalid => "a class of Unicode is written `\\p{Greek}` or `\\pL`",
        K::UnsupportedBackreference => "it refers back",
        K::UnsupportedLookAround => "it looks around",
        _ => "it is not in the syntax of the Rust crate `regex`",
    }
}

/// The same of an expression that can be read and has no meaning.
fn untranslatable(kind: &HirErrorKind) -> &'static str {
    use HirErrorKind as K;
    match kind {
        K::UnicodePropertyNotFound => "Unicode has no class of this name",
        K::UnicodePropertyValueNotFound => "this class of Unicode has no such value",
        K::InvalidUtf8 | K::UnicodeNotAllowed => "texts are Unicode, and this fits single bytes",
        _ => "it has no meaning for texts in Unicode",
    }
}
