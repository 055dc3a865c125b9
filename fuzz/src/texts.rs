//! The lexer and the parser.

use ctr_grammar::{MAX_ERRORS, MAX_REPORTED, Span, SyntaxError, lexemes, parse, parse_expr};

/// A place is one of the text, and cuts no character.
fn inside(text: &str, span: Span) {
    let (start, end) = (span.start as usize, span.end as usize);
    assert!(
        start <= end && text.get(start..end).is_some(),
        "{start}..{end} is no place of {text:?}"
    );
}

/// Messages are one line, places lie in the text.
fn tells(text: &str, error: &SyntaxError) {
    let of = || format!("{error:?} of {text:?}");
    inside(text, error.span);
    for (span, label) in &error.labels {
        inside(text, *span);
        assert!(!label.contains('\n'), "{}", of());
    }
    if let Some((span, _)) = &error.fix {
        inside(text, *span);
    }
    assert!(!error.message.is_empty(), "{}", of());
    assert!(!error.message.contains(['\n', '\r']), "{}", of());
    assert!(!error.message.ends_with('.'), "{}", of());
    if let Some(help) = &error.help {
        assert!(!help.is_empty() && !help.contains(['\n', '\r']), "{}", of());
    }
    assert!(error.code.len() == 5, "{}", of());
}

/// Tokens and comments stand in order and apart; where there are no errors, nothing but white space
/// is left between them.
pub fn lexer(text: &str) {
    let lexed = lexemes(text);
    let mut spans: Vec<Span> = lexed.tokens.clone();
    spans.extend(lexed.comments.iter().map(|comment| comment.span));
    spans.sort_by_key(|span| (span.start, span.end));
    let mut end = if text.starts_with('\u{feff}') { 3 } else { 0 };
    for span in spans {
        inside(text, span);
        let start = span.start as usize;
        assert!(end <= start && span.start < span.end, "overlap in {text:?}");
        let gap = &text[end..start];
        assert!(
            !lexed.errors.is_empty() || gap.trim().is_empty(),
            "{gap:?} is lost of {text:?}"
        );
        end = span.end as usize;
    }
    assert!(!lexed.errors.is_empty() || text[end..].trim().is_empty());
    assert!(lexed.errors.len() <= MAX_ERRORS + 1);
    for error in &lexed.errors {
        tells(text, error);
    }
}

/// Every place of the tree and of the errors lies in the text; parsing twice gives the same.
pub fn parser(text: &str) {
    let parsed = parse(text);
    assert!(parsed.errors.len() <= MAX_REPORTED + 1);
    for pair in parsed.errors.windows(2) {
        assert!(
            pair[0].span.start <= pair[1].span.start,
            "order in {text:?}"
        );
    }
    for error in &parsed.errors {
        tells(text, error);
    }
    // A text that cannot be read is never taken for one that can.
    assert!(!parsed.errors.is_empty() || lexemes(text).errors.is_empty());
    let tree = format!("{:?}", parsed.file);
    for place in tree.split("Span { start: ").skip(1) {
        let place = place.split_once(" }").map_or("", |(place, _)| place);
        // Strings of the text may look like places.
        if let Some((start, end)) = place.split_once(", end: ")
            && let (Ok(start), Ok(end)) = (start.parse(), end.parse())
        {
            inside(text, Span { start, end });
        }
    }
    if !parsed.errors.is_empty() {
        let again = parse(text);
        assert_eq!(parsed.errors, again.errors, "{text:?}");
    }
    let (_, errors) = parse_expr(text, Span::new(0, u32::try_from(text.len()).unwrap()));
    for error in &errors {
        tells(text, error);
    }
}
