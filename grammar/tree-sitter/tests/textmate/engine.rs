//! Colours text by a TextMate grammar as editors do, without an editor: a stack of rules, and at each place the rule that
//! matches first. What grammars of code blocks need (`while`) is left out.

use std::collections::HashMap;
use std::rc::Rc;

use fancy_regex::Regex;
use serde_json::Value;

/// The scopes of a place, the outermost first.
pub type Scopes = Rc<Vec<String>>;

enum Kind {
    Match,
    /// Ends at that expression; what is tried inside.
    Span {
        end: usize,
        inner: Vec<usize>,
    },
}

struct Rule {
    regex: usize,
    kind: Kind,
    name: Option<String>,
    content: Option<String>,
    captures: HashMap<usize, Capture>,
    end_captures: HashMap<usize, Capture>,
}

struct Capture {
    name: Option<String>,
    inner: Vec<usize>,
}

/// A grammar that is ready to colour.
pub struct Engine {
    regexes: Vec<Regex>,
    rules: Vec<Rule>,
    top: Vec<usize>,
    scope: String,
}

struct Frame {
    rule: Option<usize>,
    /// Scopes of what stands between the beginning and the end.
    inside: Scopes,
    /// Scopes of the beginning and the end.
    around: Scopes,
}

/// The next place where a regular expression matches in a line: `None` where nowhere.
type Found = Option<Groups>;

/// Where the groups of a match stand; the first is all of it.
type Groups = Vec<Option<(usize, usize)>>;

#[derive(Default)]
struct Cache(HashMap<usize, (usize, Found)>);

impl Engine {
    pub fn new(grammar: &Value) -> Self {
        let mut build = Build {
            grammar,
            engine: Engine {
                regexes: Vec::new(),
                rules: Vec::new(),
                top: Vec::new(),
                scope: grammar["scopeName"].as_str().unwrap().to_owned(),
            },
            seen: HashMap::new(),
        };
        let top = build.list(&grammar["patterns"]);
        build.engine.top = top;
        build.engine
    }

    fn find(&self, regex: usize, line: &str, from: usize, cache: &mut Cache) -> Found {
        if let Some((at, found)) = cache.0.get(&regex)
            && *at <= from
            && found.as_ref().is_none_or(|f| f[0].unwrap().0 >= from)
        {
            return found.clone();
        }
        let found: Found = self.regexes[regex]
            .captures_from_pos(line, from)
            .unwrap()
            .map(|c| c.iter().map(|m| m.map(|m| (m.start(), m.end()))).collect());
        cache.0.insert(regex, (from, found.clone()));
        found
    }

    /// The scopes of each byte of a text.
    pub fn colour(&self, text: &str) -> Vec<Scopes> {
        let root: Scopes = Rc::new(vec![self.scope.clone()]);
        let mut out = Vec::with_capacity(text.len());
        let mut stack = vec![Frame {
            rule: None,
            inside: Rc::clone(&root),
            around: root,
        }];
        for line in text.split_inclusive('\n') {
            let base = out.len();
            let inside = Rc::clone(&stack.last().unwrap().inside);
            out.resize(base + line.len(), inside);
            self.line(line, &mut stack, &mut out[base..]);
        }
        out
    }

    fn line(&self, line: &str, stack: &mut Vec<Frame>, out: &mut [Scopes]) {
        let mut at = 0;
        let mut cache = Cache::default();
        // A rule that ends where it began goes no further.
        let mut stuck = 0;
        while at <= line.len() {
            let top = stack.last().unwrap();
            let (end, inner) = match top.rule.map(|r| &self.rules[r].kind) {
                Some(Kind::Span { end, inner }) => (Some(*end), inner),
                _ => (None, &self.top),
            };
            let mut best: Option<(usize, Option<usize>, Groups)> = None;
            if let Some(end) = end
                && let Some(found) = self.find(end, line, at, &mut cache)
            {
                best = Some((found[0].unwrap().0, None, found));
            }
            for rule in inner {
                let found = self.find(self.rules[*rule].regex, line, at, &mut cache);
                if let Some(found) = found
                    && best.as_ref().is_none_or(|(b, ..)| found[0].unwrap().0 < *b)
                {
                    best = Some((found[0].unwrap().0, Some(*rule), found));
                }
            }
            let Some((start, rule, found)) = best else {
                fill(out, at, line.len(), &top.inside);
                return;
            };
            fill(out, at, start, &top.inside);
            let to = found[0].unwrap().1;
            let before = at;
            at = to;
            match rule {
                None => {
                    let frame = stack.pop().unwrap();
                    fill(out, start, to, &frame.around);
                    let captures = &self.rules[frame.rule.unwrap()].end_captures;
                    self.captures(line, &found, captures, &frame.around, out);
                }
                Some(index) => {
                    let rule = &self.rules[index];
                    let around = with(&top.inside, rule.name.as_deref());
                    fill(out, start, to, &around);
                    self.captures(line, &found, &rule.captures, &around, out);
                    if matches!(rule.kind, Kind::Span { .. }) {
                        let inside = with(&around, rule.content.as_deref());
                        stack.push(Frame {
                            rule: Some(index),
                            inside,
                            around,
                        });
                    }
                }
            }
            stuck = if to == before { stuck + 1 } else { 0 };
            assert!(stuck < 20, "the grammar does not move on: {line}");
            if to == line.len() && start == to {
                return;
            }
        }
    }

    fn captures(
        &self,
        line: &str,
        found: &[Option<(usize, usize)>],
        captures: &HashMap<usize, Capture>,
        around: &Scopes,
        out: &mut [Scopes],
    ) {
        let mut list: Vec<_> = captures.iter().collect();
        list.sort_by_key(|(n, _)| **n);
        for (n, capture) in list {
            let Some(Some((from, to))) = found.get(*n).copied() else {
                continue;
            };
            let scopes = with(around, capture.name.as_deref());
            fill(out, from, to, &scopes);
            if capture.inner.is_empty() {
                continue;
            }
            let text = &line[..to];
            let mut at = from;
            while at < to {
                let next = capture
                    .inner
                    .iter()
                    .filter_map(|r| {
                        let found = self.regexes[self.rules[*r].regex]
                            .captures_from_pos(text, at)
                            .unwrap()?;
                        let all: Groups = found
                            .iter()
                            .map(|m| m.map(|m| (m.start(), m.end())))
                            .collect();
                        Some((all[0].unwrap().0, *r, all))
                    })
                    .min_by_key(|(start, ..)| *start);
                let Some((_, rule, inner)) = next else {
                    break;
                };
                let rule = &self.rules[rule];
                let scopes = with(&scopes, rule.name.as_deref());
                let (start, end) = inner[0].unwrap();
                fill(out, start, end, &scopes);
                self.captures(text, &inner, &rule.captures, &scopes, out);
                at = end.max(at + 1);
            }
        }
    }
}

fn fill(out: &mut [Scopes], from: usize, to: usize, scopes: &Scopes) {
    for slot in &mut out[from..to] {
        *slot = Rc::clone(scopes);
    }
}

fn with(scopes: &Scopes, name: Option<&str>) -> Scopes {
    match name {
        Some(name) if !name.is_empty() => {
            let mut list = (**scopes).clone();
            list.push(name.to_owned());
            Rc::new(list)
        }
        _ => Rc::clone(scopes),
    }
}

struct Build<'g> {
    grammar: &'g Value,
    engine: Engine,
    /// Rules of the repository that are there, by where their JSON stands.
    seen: HashMap<*const Value, usize>,
}

impl Build<'_> {
    fn regex(&mut self, text: &Value) -> usize {
        let text = text.as_str().unwrap();
        let regex = Regex::new(&format!("(?m){text}")).unwrap_or_else(|e| panic!("{text}: {e}"));
        self.engine.regexes.push(regex);
        self.engine.regexes.len() - 1
    }

    fn list(&mut self, patterns: &Value) -> Vec<usize> {
        let mut out = Vec::new();
        for pattern in patterns.as_array().into_iter().flatten() {
            self.one(pattern, &mut out);
        }
        out
    }

    fn one(&mut self, pattern: &Value, out: &mut Vec<usize>) {
        if let Some(name) = pattern["include"].as_str() {
            let name = name.strip_prefix('#').unwrap();
            let grammar = self.grammar;
            let target = &grammar["repository"][name];
            assert!(!target.is_null(), "no {name} in the repository");
            return self.one(target, out);
        }
        if pattern["match"].is_null() && pattern["begin"].is_null() {
            out.extend(self.list(&pattern["patterns"]));
            return;
        }
        if let Some(rule) = self.seen.get(&std::ptr::from_ref(pattern)) {
            out.push(*rule);
            return;
        }
        let text = |key: &str| pattern[key].as_str().map(str::to_owned);
        let begins = !pattern["begin"].is_null();
        let regex = self.regex(&pattern[if begins { "begin" } else { "match" }]);
        let index = self.engine.rules.len();
        self.engine.rules.push(Rule {
            regex,
            kind: Kind::Match,
            name: text("name"),
            content: text("contentName"),
            captures: HashMap::new(),
            end_captures: HashMap::new(),
        });
        self.seen.insert(std::ptr::from_ref(pattern), index);
        let captures = self.captures(&pattern[if begins { "beginCaptures" } else { "captures" }]);
        self.engine.rules[index].captures = captures;
        if begins {
            let end = self.regex(&pattern["end"]);
            let end_captures = self.captures(&pattern["endCaptures"]);
            let inner = self.list(&pattern["patterns"]);
            self.engine.rules[index].end_captures = end_captures;
            self.engine.rules[index].kind = Kind::Span { end, inner };
        }
        out.push(index);
    }

    fn captures(&mut self, captures: &Value) -> HashMap<usize, Capture> {
        let mut out = HashMap::new();
        for (n, capture) in captures.as_object().into_iter().flatten() {
            let inner = self.list(&capture["patterns"]);
            out.insert(
                n.parse().unwrap(),
                Capture {
                    name: capture["name"].as_str().map(str::to_owned),
                    inner,
                },
            );
        }
        out
    }
}
