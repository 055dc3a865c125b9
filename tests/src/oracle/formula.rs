//! Formulas over numbered atoms, and their concrete syntax.

/// A formula of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `not f`
    Not,
    /// `next f`
    Next,
    /// `weak next f`
    WeakNext,
    /// `always f`
    Always,
    /// `eventually f`
    Eventually,
    /// `previously f`
    Previously,
    /// `weak previously f`
    WeakPreviously,
    /// `once f`
    Once,
    /// `historically f`
    Historically,
    /// `never P`
    Never,
}

/// A formula of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `f and g`
    And,
    /// `f or g`
    Or,
    /// `f implies g`
    Implies,
    /// `f iff g`
    Iff,
    /// `f until g`
    Until,
    /// `f unless g`
    Unless,
    /// `f release g`
    Release,
    /// `f since g`
    Since,
    /// `never P after Q`
    NeverAfter,
    /// `P only before Q`
    OnlyBefore,
    /// `P only after Q`
    OnlyAfter,
    /// `never P before Q`
    NeverBefore,
    /// `P only while f`
    OnlyWhile,
    /// `P leads to Q`
    LeadsTo,
    /// `P immediately leads to Q`
    LeadsNow,
}

/// A readable form with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// `P at most n times`
    AtMost,
    /// `P at least n times`
    AtLeast,
    /// `P exactly n times`
    Exactly,
    /// `P at most n consecutive times`
    Consecutive,
}

/// A formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum F {
    /// `true`
    True,
    /// `false`
    False,
    /// A pattern or a condition in braces: the atom of that number.
    Leaf(usize),
    /// `P only if cond`: the atom is true at a P that breaks the condition.
    OnlyIf(usize),
    /// One operand.
    Un(Unary, Box<F>),
    /// Two operands.
    Bin(Binary, Box<F>, Box<F>),
    /// A readable form with a number.
    Count(Counted, Box<F>, usize),
    /// `P leads to Q within n steps`
    LeadsSteps(Box<F>, Box<F>, usize),
}

impl F {
    /// The operands.
    #[must_use]
    pub fn children(&self) -> Vec<&F> {
        match self {
            Self::True | Self::False | Self::Leaf(_) | Self::OnlyIf(_) => Vec::new(),
            Self::Un(_, a) | Self::Count(_, a, _) => vec![a],
            Self::Bin(_, a, b) | Self::LeadsSteps(a, b, _) => vec![a, b],
        }
    }

    /// The same operator over other operands.
    #[must_use]
    pub fn rebuild(&self, index: usize, child: F) -> F {
        let mut copy = self.clone();
        match &mut copy {
            Self::Un(_, a) | Self::Count(_, a, _) => **a = child,
            Self::Bin(_, a, b) | Self::LeadsSteps(a, b, _) => {
                if index == 0 {
                    **a = child;
                } else {
                    **b = child;
                }
            }
            _ => {}
        }
        copy
    }

    /// The numbers of its atoms.
    pub fn atoms(&self, into: &mut Vec<usize>) {
        match self {
            Self::Leaf(n) | Self::OnlyIf(n) => into.push(*n),
            _ => {
                for child in self.children() {
                    child.atoms(into);
                }
            }
        }
    }

    /// How many nodes it has.
    #[must_use]
    pub fn size(&self) -> usize {
        1 + self.children().iter().map(|c| c.size()).sum::<usize>()
    }

    /// Whether it is a readable form, which stands alone or in parentheses.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        match self {
            Self::Count(..) | Self::LeadsSteps(..) | Self::OnlyIf(_) => true,
            Self::Un(u, _) => *u == Unary::Never,
            Self::Bin(b, ..) => matches!(
                b,
                Binary::NeverAfter
                    | Binary::OnlyBefore
                    | Binary::OnlyAfter
                    | Binary::NeverBefore
                    | Binary::OnlyWhile
                    | Binary::LeadsTo
                    | Binary::LeadsNow
            ),
            _ => false,
        }
    }

    /// Every formula that replaces one node by an operand of it, or by `true`.
    #[must_use]
    pub fn shorter(&self) -> Vec<F> {
        let mut all: Vec<F> = self.children().into_iter().cloned().collect();
        for (i, child) in self.children().into_iter().enumerate() {
            for less in child.shorter() {
                all.push(self.rebuild(i, less));
            }
        }
        if let Self::Count(c, a, n) = self
            && *n > 1
        {
            all.push(Self::Count(*c, a.clone(), n - 1));
        }
        all
    }

    /// Its text; with `sparing`, parentheses that the reference's precedences make superfluous
    /// are left out.
    pub fn text(&self, leaf: &dyn Fn(usize) -> String, sparing: bool) -> String {
        let p = Printer { leaf, sparing };
        p.alone(self)
    }
}

struct Printer<'a> {
    leaf: &'a dyn Fn(usize) -> String,
    sparing: bool,
}

impl Printer<'_> {
    /// A formula that stands alone, or in parentheses.
    fn alone(&self, f: &F) -> String {
        let o = |f: &F| self.operand(f);
        let r = |f: &F| self.role(f);
        match f {
            F::True => "true".to_owned(),
            F::False => "false".to_owned(),
            F::Leaf(n) | F::OnlyIf(n) => (self.leaf)(*n),
            F::Un(u, a) => {
                let word = match u {
                    Unary::Not => "not",
                    Unary::Next => "next",
                    Unary::WeakNext => "weak next",
                    Unary::Always => "always",
                    Unary::Eventually => "eventually",
                    Unary::Previously => "previously",
                    Unary::WeakPreviously => "weak previously",
                    Unary::Once => "once",
                    Unary::Historically => "historically",
                    Unary::Never => "never",
                };
                let bare = self.sparing && !matches!(u, Unary::Not | Unary::Never) && is_prefix(a);
                let a = match u {
                    Unary::Never => r(a),
                    _ if bare => self.alone(a),
                    _ => o(a),
                };
                format!("{word} {a}")
            }
            F::Bin(b, x, y) => match b {
                Binary::And => format!("{} and {}", self.level(x, 3), self.level(y, 3)),
                Binary::Or => format!("{} or {}", self.level(x, 2), self.level(y, 2)),
                Binary::Implies => {
                    let y = if self.sparing && (is_prefix(y) || is(y, Binary::Implies)) {
                        self.alone(y)
                    } else {
                        self.level(y, 1)
                    };
                    format!("{} implies {y}", self.level(x, 1))
                }
                Binary::Iff => format!("{} iff {}", self.level(x, 1), self.level(y, 1)),
                Binary::Until => format!("{} until {}", self.tight(x), self.tight(y)),
                Binary::Unless => format!("{} unless {}", self.tight(x), self.tight(y)),
                Binary::Release => format!("{} release {}", self.tight(x), self.tight(y)),
                Binary::Since => format!("{} since {}", self.tight(x), self.tight(y)),
                Binary::NeverAfter => format!("never {} after {}", r(x), r(y)),
                Binary::OnlyBefore => format!("{} only before {}", r(x), r(y)),
                Binary::OnlyAfter => format!("{} only after {}", r(x), r(y)),
                Binary::NeverBefore => format!("never {} before {}", r(x), r(y)),
                Binary::OnlyWhile => format!("{} only while {}", r(x), r(y)),
                Binary::LeadsTo => format!("{} leads to {}", r(x), r(y)),
                Binary::LeadsNow => format!("{} immediately leads to {}", r(x), r(y)),
            },
            F::Count(c, a, n) => {
                let how = match c {
                    Counted::AtMost | Counted::Consecutive => "at most",
                    Counted::AtLeast => "at least",
                    Counted::Exactly => "exactly",
                };
                let run = if *c == Counted::Consecutive {
                    "consecutive "
                } else {
                    ""
                };
                let times = if *n == 1 { "time" } else { "times" };
                format!("{} {how} {n} {run}{times}", r(a))
            }
            F::LeadsSteps(a, b, n) => {
                let steps = if *n == 1 { "step" } else { "steps" };
                format!("{} leads to {} within {n} {steps}", r(a), r(b))
            }
        }
    }

    fn operand(&self, f: &F) -> String {
        match f {
            F::Leaf(_) | F::True | F::False => self.alone(f),
            _ => format!("({})", self.alone(f)),
        }
    }

    /// P or Q of a readable form: a pattern or a parenthesised formula.
    fn role(&self, f: &F) -> String {
        let text = self.alone(f);
        if matches!(f, F::Leaf(_)) && !text.starts_with('{') {
            text
        } else {
            format!("({text})")
        }
    }

    /// An operand that may be a negated atom without parentheses.
    fn tight(&self, f: &F) -> String {
        match f {
            F::Un(Unary::Not, a) if self.sparing && matches!(**a, F::Leaf(_)) => self.alone(f),
            _ => self.operand(f),
        }
    }

    /// An operand of a Boolean operator: 3 of `and`, 2 of `or`, 1 of `implies` and `iff`.
    fn level(&self, f: &F, level: u8) -> String {
        let own = match f {
            F::Bin(Binary::And, ..) => 3,
            F::Bin(Binary::Or, ..) => 2,
            _ => 0,
        };
        if self.sparing && own > level {
            self.alone(f)
        } else {
            self.tight(f)
        }
    }
}

fn is(f: &F, op: Binary) -> bool {
    matches!(f, F::Bin(b, ..) if *b == op)
}

/// An application of a prefix operator (and not of `never`, which is a readable form).
fn is_prefix(f: &F) -> bool {
    matches!(f, F::Un(u, _) if !matches!(u, Unary::Never))
}
