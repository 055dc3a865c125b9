//! Conditions on one text, decided exactly by automata.
//!
//! Regular expressions, `like`, prefixes, suffixes, parts and equality with constants are regular languages. What a set of
//! them says of one text is whether the product of their automata accepts something; the search for it also gives a
//! shortest such text. Solvers for strings need far longer for the same, and often give no answer.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use ctr_front::ir::{CompareOp, Const, Expr, ExprId, Function, Library, Root};
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_automata::{Anchored, util::syntax};
use regex_syntax::hir::{Dot, Hir, HirKind, Look, LookSet};

use crate::problem::{Leaf, operator_of};

/// The memory of one automaton, in bytes.
const MAX_BYTES: usize = 8 << 20;
/// The greatest length that an automaton counts up to.
const MAX_LENGTH: usize = 600;
/// The most states of a product that are looked at.
const MAX_STATES: usize = 20_000;

/// A text that conditions speak of, and the conditions.
#[derive(Clone, Debug)]
pub(crate) struct OnText {
    /// The text.
    pub(crate) text: ExprId,
    /// The positions of the literals, with the language and whether the text is in it.
    pub(crate) literals: Vec<(usize, Language, bool)>,
}

/// A regular language.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Language {
    /// The texts in which a search finds something.
    Search(String),
    /// The whole text.
    Whole(String),
    /// The same of an equality, which also says that there is a text.
    Equal(String),
    /// The whole text, of an operator that also speaks of lists.
    Part(String),
    /// The same of a length, which the solver sees as well: as a number.
    Length(String),
}

/// What a set of conditions on one text says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    /// This is a shortest text.
    Some(String),
    /// There is none.
    None,
    /// The automata are too large.
    TooLarge,
}

/// Automata made so far, and answers.
#[derive(Default)]
pub(crate) struct Texts {
    automata: BTreeMap<Language, Option<Rc<dense::DFA<Vec<u32>>>>>,
    answers: BTreeMap<Vec<(Language, bool)>, Text>,
}

fn quoted(text: &str) -> String {
    regex_syntax::escape(text)
}

fn string(library: &Library, id: ExprId) -> Option<&str> {
    match library.exprs.get(id.0 as usize)? {
        Expr::Const(Const::Str(text)) => Some(text),
        _ => None,
    }
}

/// The text whose length is compared with a constant, and the texts of such a length.
fn length(
    library: &Library,
    op: CompareOp,
    a: ExprId,
    b: ExprId,
) -> Option<(ExprId, Language, bool)> {
    let measured = |id: ExprId| match library.exprs.get(id.0 as usize) {
        Some(Expr::Call(Function::Len, args)) => args.first().copied(),
        _ => None,
    };
    let number = |id: ExprId| match library.exprs.get(id.0 as usize) {
        Some(Expr::Const(Const::Number(n))) => n.to_string().parse::<usize>().ok(),
        _ => None,
    };
    let (text, op, n) = match (measured(a), number(b), number(a), measured(b)) {
        (Some(text), Some(n), ..) => (text, op, n),
        (.., Some(n), Some(text)) => {
            let turned = match op {
                CompareOp::Lt => CompareOp::Gt,
                CompareOp::Le => CompareOp::Ge,
                CompareOp::Gt => CompareOp::Lt,
                CompareOp::Ge => CompareOp::Le,
                same => same,
            };
            (text, turned, n)
        }
        _ => return None,
    };
    // `.{n,}` is what is longer than `.{0,n-1}`.
    let (most, positive) = match op {
        CompareOp::Le => (Some(n), true),
        CompareOp::Lt => (n.checked_sub(1), true),
        CompareOp::Gt => (Some(n), false),
        CompareOp::Ge => (n.checked_sub(1), false),
        CompareOp::Eq | CompareOp::Ne => {
            let exact = (n <= MAX_LENGTH).then(|| format!("(?s:.){{{n}}}"))?;
            return Some((text, Language::Length(exact), op == CompareOp::Eq));
        }
    };
    // No text is shorter than none.
    let most = most.filter(|most| *most <= MAX_LENGTH)?;
    Some((
        text,
        Language::Length(format!("(?s:.){{0,{most}}}")),
        positive,
    ))
}

/// Whether an expression is a field or text of the event.
fn is_variable(library: &Library, id: ExprId) -> bool {
    match library.exprs.get(id.0 as usize) {
        Some(Expr::Root(root)) => !matches!(root, Root::Key(_) | Root::Var(_)),
        Some(Expr::Path { base, .. }) => is_variable(library, *base),
        Some(Expr::Call(_, args)) => args.iter().all(|arg| is_variable(library, *arg)),
        _ => false,
    }
}

/// What a leaf says of one text, if it is of that kind.
pub(crate) fn language(library: &Library, leaf: &Leaf) -> Option<(ExprId, Language, bool)> {
    let found = on_any(library, leaf)?;
    is_variable(library, found.0).then_some(found)
}

/// What a condition says of a text that is constant.
pub(crate) fn of_constant(library: &Library, expr: ExprId) -> Option<(ExprId, Language, bool)> {
    on_any(library, &Leaf::Condition(expr, Vec::new()))
}

fn on_any(library: &Library, leaf: &Leaf) -> Option<(ExprId, Language, bool)> {
    let equality = |op: CompareOp, a: ExprId, b: ExprId| {
        let (variable, text) = match (string(library, a), string(library, b)) {
            (None, Some(text)) => (a, text),
            (Some(text), None) => (b, text),
            _ => return None,
        };
        let positive = match op {
            CompareOp::Eq => true,
            CompareOp::Ne => false,
            _ => return None,
        };
        Some((variable, Language::Equal(quoted(text)), positive))
    };
    let (variable, language, positive) = match leaf {
        Leaf::Compare(op, a, b, _) => {
            let op = operator_of(*op);
            equality(op, *a, *b).or_else(|| length(library, op, *a, *b))?
        }
        Leaf::Condition(expr, _) => match library.exprs.get(expr.0 as usize)? {
            Expr::Compare(op, a, b) => {
                equality(*op, *a, *b).or_else(|| length(library, *op, *a, *b))?
            }
            Expr::Matches(a, re) => {
                let pattern = &library.regexes.get(re.0 as usize)?.pattern;
                (*a, Language::Search(pattern.clone()), true)
            }
            Expr::Like(a, b) => {
                let parts: Vec<String> = string(library, *b)?.split('*').map(quoted).collect();
                (*a, Language::Whole(parts.join("(?s:.)*")), true)
            }
            Expr::StartsWith(a, b) => {
                let text = format!("{}(?s:.)*", quoted(string(library, *b)?));
                (*a, Language::Whole(text), true)
            }
            Expr::Contains(a, b) => {
                let text = format!("(?s:.)*{}(?s:.)*", quoted(string(library, *b)?));
                (*a, Language::Part(text), true)
            }
            Expr::EndsWith(a, b) => {
                let text = format!("(?s:.)*{}", quoted(string(library, *b)?));
                (*a, Language::Whole(text), true)
            }
            Expr::In(a, list) => {
                let Expr::List(items) = library.exprs.get(list.0 as usize)? else {
                    return None;
                };
                let items: Option<Vec<String>> = items
                    .iter()
                    .map(|item| string(library, *item).map(quoted))
                    .collect();
                let items = items.filter(|items| !items.is_empty())?;
                (*a, Language::Equal(items.join("|")), true)
            }
            _ => return None,
        },
        _ => return None,
    };
    Some((variable, language, positive))
}

/// The text that a function of it is equal to where the text is of this language: a hint, and no fact.
pub(crate) fn kept(library: &Library, expr: ExprId) -> Option<(ExprId, Language)> {
    let Expr::Call(function, args) = library.exprs.get(expr.0 as usize)? else {
        return None;
    };
    let same = match function {
        Function::Lower => "[ -@\\[-~]*",
        Function::Upper => "[ -`{-~]*",
        Function::Trim => "(?:[!-~](?:[ -~]*[!-~])?)?",
        Function::Text => "(?s:.)*",
        _ => return None,
    };
    Some((*args.first()?, Language::Whole(same.to_owned())))
}

/// Whether an expression is a text wherever it is defined.
pub(crate) fn is_text(library: &Library, expr: ExprId) -> bool {
    match library.exprs.get(expr.0 as usize) {
        Some(Expr::Root(root)) => matches!(root, Root::Text | Root::Agent | Root::Server),
        Some(Expr::Call(function, _)) => matches!(
            function,
            Function::Lower | Function::Upper | Function::Trim | Function::Text | Function::Host
        ),
        _ => false,
    }
}

/// What to choose for a condition that is no regular language: true or false of the texts of this language. A hint, and
/// no fact.
pub(crate) fn hint(
    library: &Library,
    leaf: &Leaf,
    value: bool,
) -> Option<(ExprId, Language, bool)> {
    let Leaf::Condition(expr, _) = leaf else {
        return None;
    };
    let Expr::Inside(a, b) = library.exprs.get(expr.0 as usize)? else {
        return None;
    };
    let folder = quoted(string(library, *b)?.trim_end_matches('/'));
    let text = if value {
        format!("{folder}(/[a-z0-9_.]+)+")
    } else {
        format!("{folder}(?s:.)*")
    };
    is_variable(library, *a).then_some((*a, Language::Whole(text), value))
}

/// The conditions on texts among some literals, text by text.
pub(crate) fn collect(library: &Library, leaves: &[Leaf], literals: &[(u32, bool)]) -> Vec<OnText> {
    let mut out: BTreeMap<ExprId, Vec<(usize, Language, bool)>> = BTreeMap::new();
    for (position, (leaf, value)) in literals.iter().enumerate() {
        let found = leaves
            .get(*leaf as usize)
            .and_then(|leaf| language(library, leaf));
        if let Some((text, language, positive)) = found {
            out.entry(text)
                .or_default()
                .push((position, language, positive == *value));
        }
    }
    out.into_iter()
        .map(|(text, literals)| OnText { text, literals })
        .collect()
}

impl Texts {
    fn automaton(&mut self, language: &Language) -> Option<Rc<dense::DFA<Vec<u32>>>> {
        if let Some(found) = self.automata.get(language) {
            return found.clone();
        }
        let made = build(language).map(Rc::new);
        self.automata.insert(language.clone(), made.clone());
        made
    }

    /// A text that is in all languages marked and in no other.
    pub(crate) fn find(&mut self, conditions: &[(Language, bool)]) -> Text {
        let mut key = conditions.to_vec();
        key.sort();
        key.dedup();
        if let Some(found) = self.answers.get(&key) {
            return found.clone();
        }
        let mut answer = self.search(&key);
        if answer == Text::TooLarge && self.none_of_more(&key) {
            answer = Text::None;
        }
        self.answers.insert(key, answer.clone());
        answer
    }

    /// Whether there is no text even if assertions like `\\b` are taken to hold everywhere, and what must not match and has no
    /// automaton is left out: that there is none then is certain.
    fn none_of_more(&mut self, conditions: &[(Language, bool)]) -> bool {
        let more: Vec<(Language, bool)> = conditions
            .iter()
            .filter_map(|(language, inside)| match language {
                Language::Search(pattern) => match (without_words(pattern), inside) {
                    (None, _) => Some((language.clone(), *inside)),
                    (Some(more), true) => Some((Language::Search(more), true)),
                    (Some(_), false) => None,
                },
                _ => Some((language.clone(), *inside)),
            })
            .collect();
        more != conditions && self.search(&more) == Text::None
    }

    fn search(&mut self, conditions: &[(Language, bool)]) -> Text {
        let any = (Language::Whole("(?s:.)*".to_owned()), true);
        let mut automata = Vec::new();
        for (language, inside) in conditions.iter().chain([&any]) {
            let Some(dfa) = self.automaton(language) else {
                return Text::TooLarge;
            };
            let start = start::Config::new().anchored(Anchored::Yes);
            let Ok(state) = dfa.start_state(&start) else {
                return Text::TooLarge;
            };
            automata.push((dfa, *inside, state));
        }
        // Letters and digits first, so that texts read well.
        let mut bytes: Vec<u8> = (b'a'..=b'z').chain(b'0'..=b'9').collect();
        bytes.extend((0x20..0x7f).filter(|b: &u8| !b.is_ascii_lowercase() && !b.is_ascii_digit()));
        bytes.extend((0..=255).filter(|b| !(0x20..0x7f).contains(b)));

        let first: Vec<StateID> = automata.iter().map(|(_, _, state)| *state).collect();
        let mut seen: BTreeSet<Vec<StateID>> = BTreeSet::from([first.clone()]);
        let mut reached: Vec<(Vec<StateID>, usize, u8)> = vec![(first, usize::MAX, 0)];
        let mut queue = VecDeque::from([0usize]);
        // Whether an automaton does not know what some bytes do: those of a word boundary stop at what is not ASCII.
        let mut partial = false;
        while let Some(at) = queue.pop_front() {
            let Some((states, ..)) = reached.get(at).cloned() else {
                return Text::TooLarge;
            };
            let accepts = automata
                .iter()
                .zip(&states)
                .all(|((dfa, inside, _), state)| {
                    dfa.is_match_state(dfa.next_eoi_state(*state)) == *inside
                });
            if accepts {
                let mut text = Vec::new();
                let mut back = at;
                while let Some((_, before, byte)) = reached.get(back)
                    && *before != usize::MAX
                {
                    text.push(*byte);
                    back = *before;
                }
                text.reverse();
                return String::from_utf8(text).map_or(Text::TooLarge, Text::Some);
            }
            for byte in &bytes {
                let next: Vec<StateID> = automata
                    .iter()
                    .zip(&states)
                    .map(|((dfa, ..), state)| dfa.next_state(*state, *byte))
                    .collect();
                let dead = automata.iter().zip(&next).any(|((dfa, inside, _), state)| {
                    dfa.is_quit_state(*state) || *inside && dfa.is_dead_state(*state)
                });
                partial |= automata
                    .iter()
                    .zip(&next)
                    .any(|((dfa, ..), state)| dfa.is_quit_state(*state));
                if dead || !seen.insert(next.clone()) {
                    continue;
                }
                if reached.len() >= MAX_STATES {
                    return Text::TooLarge;
                }
                queue.push_back(reached.len());
                reached.push((next, at, *byte));
            }
        }
        if partial {
            return Text::TooLarge;
        }
        Text::None
    }

    /// Which of the conditions on one text exclude each other, by position; `typed`: it surely is a text.
    pub(crate) fn exclude(&mut self, on: &OnText, typed: bool) -> Option<Vec<usize>> {
        let is_text = typed
            || on
                .literals
                .iter()
                .any(|(_, language, inside)| *inside && matches!(language, Language::Equal(_)));
        // That a value is not equal to a text says nothing where it may be no text.
        let mut kept: Vec<_> = on
            .literals
            .iter()
            .filter(|(_, language, inside)| {
                is_text
                    || match language {
                        Language::Equal(_) => *inside,
                        Language::Part(_) | Language::Length(_) => false,
                        Language::Search(_) | Language::Whole(_) => true,
                    }
            })
            .cloned()
            .collect();
        let conditions = |kept: &[(usize, Language, bool)]| -> Vec<(Language, bool)> {
            kept.iter()
                .map(|(_, language, inside)| (language.clone(), *inside))
                .collect()
        };
        if self.find(&conditions(&kept)) != Text::None {
            return None;
        }
        let mut at = 0;
        while at < kept.len() {
            let mut rest = kept.clone();
            let gone = rest.remove(at);
            // The equality that says that it is a text stays.
            let needed = !typed && matches!(gone.1, Language::Equal(_)) && gone.2;
            if !needed && self.find(&conditions(&rest)) == Text::None {
                kept = rest;
            } else {
                at += 1;
            }
        }
        Some(kept.into_iter().map(|(position, ..)| position).collect())
    }
}

/// A pattern that matches wherever this one does, without assertions about words; `None` if it has none.
fn without_words(pattern: &str) -> Option<String> {
    let hir = syntax::parse_with(pattern, &syntax::Config::new()).ok()?;
    hir.properties()
        .look_set()
        .contains_word()
        .then(|| without(&hir).to_string())
}

fn without(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Look(look) if LookSet::singleton(*look).contains_word() => Hir::empty(),
        HirKind::Repetition(repetition) => Hir::repetition(regex_syntax::hir::Repetition {
            sub: Box::new(without(&repetition.sub)),
            ..repetition.clone()
        }),
        HirKind::Capture(capture) => without(&capture.sub),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(without).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(without).collect()),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => hir.clone(),
    }
}

/// The automaton of whole texts.
fn build(language: &Language) -> Option<dense::DFA<Vec<u32>>> {
    let config = syntax::Config::new();
    let hir = match language {
        Language::Search(pattern) => {
            let inner = syntax::parse_with(pattern, &config).ok()?;
            let any = Hir::repetition(regex_syntax::hir::Repetition {
                min: 0,
                max: None,
                greedy: true,
                sub: Box::new(Hir::dot(Dot::AnyChar)),
            });
            Hir::concat(vec![any.clone(), inner, any, Hir::look(Look::End)])
        }
        Language::Whole(pattern)
        | Language::Equal(pattern)
        | Language::Part(pattern)
        | Language::Length(pattern) => {
            let inner = syntax::parse_with(&format!("(?:{pattern})"), &config).ok()?;
            Hir::concat(vec![inner, Hir::look(Look::End)])
        }
    };
    let nfa = thompson::Compiler::new()
        .configure(
            thompson::Config::new()
                .shrink(false)
                .nfa_size_limit(Some(MAX_BYTES)),
        )
        .build_from_hir(&hir)
        .ok()?;
    dense::Builder::new()
        .configure(
            dense::Config::new()
                .start_kind(StartKind::Anchored)
                .unicode_word_boundary(true)
                .dfa_size_limit(Some(MAX_BYTES))
                .determinize_size_limit(Some(MAX_BYTES)),
        )
        .build_from_nfa(&nfa)
        .ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn search(pattern: &str) -> Language {
        Language::Search(pattern.to_owned())
    }

    #[test]
    fn shortest_texts_and_contradictions() {
        let mut texts = Texts::default();
        let a = (search("^[a-z.]+@corp\\.com$"), true);
        let b = (Language::Whole("(?s:.)*@corp\\.com".to_owned()), true);
        assert_eq!(
            texts.find(&[a.clone(), b.clone()]),
            Text::Some("a@corp.com".to_owned())
        );
        assert_eq!(texts.find(&[a, (b.0.clone(), false)]), Text::None);
        assert_eq!(
            texts.find(&[(search("\\bsecret\\b"), true)]),
            Text::Some("secret".to_owned())
        );
        assert_eq!(
            texts.find(&[(search("^select\\b"), true), (search("^drop"), true)]),
            Text::None
        );
        assert_eq!(
            texts.find(&[
                (search("^.?$"), true),
                (search("^\\b"), false),
                (search("^[^\\w]"), false),
                (search("^."), true)
            ]),
            Text::TooLarge
        );
        assert_eq!(
            texts.find(&[
                (Language::Length("(?s:.){0,10}".to_owned()), false),
                (search("^[b-z]*$"), true)
            ]),
            Text::Some("b".repeat(11))
        );
        assert_eq!(
            texts.find(&[(search("(?i)straße"), true), (search("."), false)]),
            Text::None
        );
        assert_eq!(
            texts.find(&[(search("^[^\\x00-\\x7f]$"), true)]),
            Text::Some("\u{80}".to_owned())
        );
        assert_eq!(texts.find(&[]), Text::Some(String::new()));
    }

    #[test]
    fn what_is_no_text_is_unequal_to_all() {
        let mut texts = Texts::default();
        let on = |literals: &[(Language, bool)]| OnText {
            text: ExprId(0),
            literals: literals
                .iter()
                .cloned()
                .enumerate()
                .map(|(n, (l, v))| (n, l, v))
                .collect(),
        };
        let equal = |s: &str| Language::Equal(s.to_owned());
        let excluded = on(&[(search("^a$"), true), (equal("a"), false)]);
        assert_eq!(texts.exclude(&excluded, false), None);
        assert_eq!(texts.exclude(&excluded, true), Some(vec![0, 1]));
        let two = on(&[(equal("a"), true), (search("x"), false), (equal("b"), true)]);
        assert_eq!(texts.exclude(&two, false), Some(vec![0, 2]));
    }
}
