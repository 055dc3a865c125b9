//! The names before a place: what a pattern is about, what a dot follows, what a value is compared with.

use super::{Compared, ELEMENT, PatternHead};
use crate::token::{Tok, Token};

/// What stands before the parentheses that are open at the end, the innermost first.
pub(super) fn patterns(source: &str, tokens: &[Token]) -> Vec<PatternHead> {
    open_brackets(tokens)
        .into_iter()
        .filter(|index| tokens.get(*index).is_some_and(|t| t.tok == Tok::LParen))
        .filter_map(|index| head_before(source, tokens, index))
        .collect()
}

/// The brackets that are open at the end, the innermost first.
pub(super) fn open_brackets(tokens: &[Token]) -> Vec<usize> {
    let mut out = Vec::new();
    let mut closed = 0usize;
    for (index, token) in tokens.iter().enumerate().rev() {
        if token.tok.closes() {
            closed += 1;
        } else if token.tok.opens() {
            if closed > 0 {
                closed -= 1;
            } else {
                out.push(index);
            }
        }
    }
    out
}

/// `call a.b | c` before an index.
pub(super) fn head_before(source: &str, tokens: &[Token], index: usize) -> Option<PatternHead> {
    let mut names: Vec<Vec<String>> = Vec::new();
    let mut at = index;
    loop {
        let Some((path, start)) = path_before(source, tokens, at) else {
            // `call any(...)`
            let any = at.checked_sub(1).and_then(|i| tokens.get(i)).map(|t| t.tok);
            let kind = at.checked_sub(2).and_then(|i| tokens.get(i)).map(|t| t.tok);
            return (any == Some(Tok::Any)).then(|| PatternHead {
                kind: pattern_kind(kind),
                names: Vec::new(),
            });
        };
        names.push(path);
        at = start;
        match at.checked_sub(1).and_then(|i| tokens.get(i)).map(|t| t.tok) {
            Some(Tok::Pipe) => at -= 1,
            before => {
                names.reverse();
                return Some(PatternHead {
                    kind: pattern_kind(before),
                    names,
                });
            }
        }
    }
}

fn pattern_kind(before: Option<Tok>) -> &'static str {
    match before {
        Some(Tok::Call) => "call",
        Some(Tok::Return) => "return",
        Some(Tok::Success) => "success",
        Some(Tok::Failure) => "failure",
        Some(Tok::Unknown) => "unknown",
        Some(Tok::Redirect) => "redirect",
        _ => "",
    }
}

/// The dotted name that ends before an index, and the index of its first token.
pub(super) fn path_before(
    source: &str,
    tokens: &[Token],
    end: usize,
) -> Option<(Vec<String>, usize)> {
    let mut parts = Vec::new();
    let mut at = end;
    loop {
        at = at.checked_sub(1)?;
        let token = tokens.get(at)?;
        let text = token.span.text(source);
        let is_name = token.tok == Tok::Ident || text.starts_with('`');
        if !is_name {
            return None;
        }
        parts.push(text.trim_matches('`').to_owned());
        match at.checked_sub(1).and_then(|i| tokens.get(i)) {
            Some(dot) if dot.tok == Tok::Dot => at -= 1,
            _ => {
                parts.reverse();
                return Some((parts, at));
            }
        }
    }
}

/// The way to the field that ends before an index, through elements of lists: `a[*].b`, and of a variable of `every` or `some`
/// what its list leads to. `None` where something else than names and elements stands there.
pub(super) fn way_before(source: &str, tokens: &[Token], end: usize) -> Option<Vec<String>> {
    let (mut way, start) = steps_before(source, tokens, end)?;
    let (mut end, mut name) = (start, way.first().cloned()?);
    // Each turn goes to a variable that is bound further left.
    while let Some((list, to)) = list_of(source, tokens, end, &name) {
        let (mut outer, _) = steps_before(source, tokens, to)?;
        name = outer.first().cloned()?;
        outer.push(ELEMENT.to_owned());
        way.splice(0..1, outer);
        end = list;
    }
    Some(way)
}

/// Names and elements of lists before an index, and where the first stands.
fn steps_before(source: &str, tokens: &[Token], end: usize) -> Option<(Vec<String>, usize)> {
    let tok = |at: usize| tokens.get(at).map(|t| t.tok);
    let mut parts = Vec::new();
    let mut at = end.checked_sub(1)?;
    loop {
        if tok(at)? == Tok::RBracket {
            let open = at.checked_sub(2)?;
            if tok(open)? != Tok::LBracket || !matches!(tok(at - 1)?, Tok::Star | Tok::Number) {
                return None;
            }
            parts.push(ELEMENT.to_owned());
            at = open.checked_sub(1)?;
            continue;
        }
        let token = tokens.get(at)?;
        let text = token.span.text(source);
        if token.tok != Tok::Ident && !text.starts_with('`') {
            return None;
        }
        parts.push(text.trim_matches('`').to_owned());
        match at.checked_sub(1).and_then(tok) {
            Some(Tok::Dot) => at = at.checked_sub(2)?,
            _ => {
                parts.reverse();
                return Some((parts, at));
            }
        }
    }
}

/// Where `every name in` or `some name in` stands before an index, in brackets that are open there, and where the list ends.
fn list_of(source: &str, tokens: &[Token], end: usize, name: &str) -> Option<(usize, usize)> {
    let mut depth = 0i32;
    for at in (0..end.min(tokens.len())).rev() {
        let token = tokens.get(at)?;
        if token.tok.closes() {
            depth += 1;
        } else if token.tok.opens() {
            depth = (depth - 1).max(0);
        }
        let binds = matches!(token.tok, Tok::Every | Tok::Some)
            && depth == 0
            && tokens
                .get(at + 1)
                .is_some_and(|t| t.span.text(source) == name)
            && tokens.get(at + 2).is_some_and(|t| t.tok == Tok::In);
        if binds {
            let colon = tokens
                .iter()
                .enumerate()
                .skip(at + 3)
                .find(|(_, t)| t.tok == Tok::Colon)?;
            return (colon.0 <= end).then_some((at, colon.0));
        }
    }
    None
}

/// The names of the value that ends a text.
pub(super) fn operand(source: &str, tokens: &[Token]) -> Vec<String> {
    way_before(source, tokens, tokens.len()).unwrap_or_default()
}

/// What a value at the end is compared with, or given for.
pub(super) fn compared(source: &str, tokens: &[Token], in_test: bool) -> Option<Compared> {
    let last = tokens.last()?;
    let end = tokens.len() - 1;
    match last.tok {
        Tok::EqEq | Tok::Ne | Tok::Lt | Tok::Le | Tok::Gt | Tok::Ge | Tok::Coalesce => {
            let way = way_before(source, tokens, end)?;
            Some(Compared { way, given: None })
        }
        // `x in ["a", `
        Tok::LBracket | Tok::Comma => {
            let open = open_brackets(tokens).first().copied()?;
            let bracket = tokens.get(open)?;
            let before = open.checked_sub(1)?;
            if bracket.tok != Tok::LBracket
                || !matches!(tokens.get(before)?.tok, Tok::In | Tok::NotIn)
            {
                return None;
            }
            let (way, _) = path_before(source, tokens, before)?;
            Some(Compared { way, given: None })
        }
        Tok::Colon => {
            let (mut way, _) = path_before(source, tokens, end)?;
            let given = owner_of_record(source, tokens, in_test)?;
            // Fields of fields.
            way.splice(0..0, given.1);
            Some(Compared {
                way,
                given: Some(given.0),
            })
        }
        // `context name = `
        Tok::Assign if in_test => {
            let (way, start) = path_before(source, tokens, end)?;
            let context = start.checked_sub(1).and_then(|i| tokens.get(i))?;
            (context.tok == Tok::Context).then(|| Compared {
                way: std::iter::once("ctx".to_owned()).chain(way).collect(),
                given: None,
            })
        }
        _ => None,
    }
}

/// Whose fields are written out at the end: the arguments of a call, a result; with the names of the fields around.
pub(super) fn owner_of_record(
    source: &str,
    tokens: &[Token],
    in_test: bool,
) -> Option<(PatternHead, Vec<String>)> {
    let mut way: Vec<String> = Vec::new();
    for open in open_brackets(tokens) {
        let bracket = tokens.get(open)?;
        let before = open.checked_sub(1)?;
        match (bracket.tok, tokens.get(before)?.tok) {
            (Tok::LParen, _) => {
                let head = head_before(source, tokens, open)?;
                let fits = match head.kind {
                    "call" => in_test,
                    "redirect" => true,
                    _ => in_test,
                };
                way.reverse();
                return fits.then_some((head, way));
            }
            (Tok::LBrace, Tok::Colon) => way.push(path_before(source, tokens, before)?.0.pop()?),
            (Tok::LBrace, Tok::Arrow) if in_test => {
                let mut head = before_arrow(source, tokens, before)?;
                head.kind = "return";
                way.reverse();
                return Some((head, way));
            }
            _ => return None,
        }
    }
    None
}

/// The tool whose call or return an arrow follows.
fn before_arrow(source: &str, tokens: &[Token], arrow: usize) -> Option<PatternHead> {
    let mut end = arrow;
    if tokens.get(end.checked_sub(1)?)?.tok == Tok::RParen {
        let mut depth = 0usize;
        loop {
            end = end.checked_sub(1)?;
            let tok = tokens.get(end)?.tok;
            if tok.closes() {
                depth += 1;
            } else if tok.opens() {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    break;
                }
            }
        }
    }
    let (path, _) = path_before(source, tokens, end)?;
    Some(PatternHead {
        kind: "return",
        names: vec![path],
    })
}

/// The names with a colon in the innermost brackets that are open.
pub(super) fn given(source: &str, tokens: &[Token]) -> Vec<String> {
    let Some(open) = open_brackets(tokens).first().copied() else {
        return Vec::new();
    };
    let mut out = Vec::new();
    let mut depth = 0usize;
    for (i, token) in tokens.iter().enumerate().skip(open + 1) {
        if token.tok.opens() {
            depth += 1;
        } else if token.tok.closes() {
            depth = depth.saturating_sub(1);
        } else if depth == 0 && tokens.get(i + 1).is_some_and(|t| t.tok == Tok::Colon) {
            out.push(token.span.text(source).trim_matches(['`', '"']).to_owned());
        }
    }
    out
}
