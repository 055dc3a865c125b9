//! The formatter.

use ctr_grammar::{Comment, CommentKind, FormatError, format_within, lexemes, parse};

use super::random::Random;

/// The widths at which everything is tried.
pub const WIDTHS: [usize; 7] = [20, 40, 60, 80, 100, 120, 1000];

/// Formats a text, a text with comments put in, and the same tokens laid out in other ways.
pub fn formatter(text: &str) {
    let mut random = Random::of(text);
    let width = WIDTHS[random.below(WIDTHS.len())];
    match format_within(text, width) {
        Ok(out) => promises(text, &out, width),
        Err(FormatError::Syntax(_)) => {
            assert!(!parse(text).errors.is_empty());
            return;
        }
        Err(error) => panic!("{error}: {text:?} at {width}"),
    }
    let commented = with_comments(text, &mut random);
    if parse(&commented).errors.is_empty() {
        let out = format_within(&commented, width)
            .unwrap_or_else(|error| panic!("{error}: {commented:?} at {width}"));
        promises(&commented, &out, width);
    }
    let bare = without_comments(text, "\n", " ");
    if !parse(&bare).errors.is_empty() {
        return;
    }
    let wanted =
        format_within(&bare, width).unwrap_or_else(|error| panic!("{error}: {bare:?} at {width}"));
    for (line, space) in [(" ", " "), ("\n   ", "\n   ")] {
        let other = without_comments(text, line, space);
        if parse(&other).errors.is_empty() {
            let out = format_within(&other, width)
                .unwrap_or_else(|error| panic!("{error}: {other:?} at {width}"));
            assert_eq!(out, wanted, "{other:?} at {width}");
        }
    }
}

/// The same tokens, comments and tree; a fixed point; one line end at the end, no two empty lines.
pub fn promises(source: &str, out: &str, width: usize) {
    let of = || format!("at {width}:\n{source:?}\n{out:?}");
    assert_eq!(tokens(source), tokens(out), "{}", of());
    assert_eq!(comments(source), comments(out), "{}", of());
    assert_eq!(tree(source), tree(out), "{}", of());
    let again = format_within(out, width).unwrap_or_else(|error| panic!("{error} {}", of()));
    assert_eq!(out, again, "no fixed point {}", of());
    let plain = out.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    assert!(
        plain.is_empty() || plain.ends_with('\n') && !plain.ends_with("\n\n"),
        "{}",
        of()
    );
    let ends = out.matches('\n').count();
    let pairs = out.matches("\r\n").count();
    assert!(pairs == 0 || pairs == ends, "mixed line ends {}", of());
    // Empty lines inside of comments are the writer's.
    let blocks = comments(out).iter().any(|comment| comment.contains("\n"));
    assert!(blocks || !plain.contains("\n\n\n"), "{}", of());
}

fn tokens(source: &str) -> Vec<&str> {
    lexemes(source)
        .tokens
        .iter()
        .map(|span| span.text(source))
        .collect()
}

fn comments(source: &str) -> Vec<String> {
    let of = |comment: &Comment| {
        let text = comment.span.text(source);
        if comment.kind == CommentKind::Block {
            let lines: Vec<&str> = text
                .split('\n')
                .map(|line| line.trim_end_matches('\r'))
                .collect();
            lines.join("\n")
        } else {
            text.trim_end().to_owned()
        }
    };
    lexemes(source).comments.iter().map(of).collect()
}

/// The tree as text, without places.
fn tree(source: &str) -> String {
    let text = format!("{:?}", parse(source).file);
    let mut parts = text.split("Span { start: ");
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        out.push_str(part.split_once('}').map_or("", |(_, rest)| rest));
    }
    out
}

/// Comments put before and after tokens.
fn with_comments(text: &str, random: &mut Random) -> String {
    let mut source = String::new();
    let mut end = 0;
    let often = 1 + random.below(4);
    let mut comment = |n: usize, source: &mut String| {
        if random.below(often) > 0 {
            return;
        }
        source.push_str(&match random.below(8) {
            0 | 1 => format!("/*{n}*/"),
            2 => format!(" // {n}\n"),
            3 => format!("\n// {n}\n"),
            4 => format!("\n\n\n// {n}\n\n\n/* {n} */ "),
            5 => format!(" /* {n}\n   more\n\n */ "),
            6 => format!("\n/* {n} */\n"),
            _ => format!("\n\n/* {n} */ // {n}\n\n"),
        });
    };
    for (n, token) in lexemes(text).tokens.into_iter().enumerate() {
        source.push_str(&text[end..token.start as usize]);
        comment(2 * n, &mut source);
        source.push_str(token.text(text));
        comment(2 * n + 1, &mut source);
        end = token.end as usize;
    }
    source + &text[end..]
}

/// The tokens alone, `line` between those that stand on different lines and `space` between others.
fn without_comments(text: &str, line: &str, space: &str) -> String {
    let mut out = String::new();
    let mut end = 0;
    for token in lexemes(text).tokens {
        let gap = &text[end..token.start as usize];
        out.push_str(if gap.contains('\n') { line } else { space });
        out.push_str(token.text(text));
        end = token.end as usize;
    }
    out
}
