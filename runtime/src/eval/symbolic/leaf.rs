//! Conditions without connectives, and quantifiers.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::compare::{compared, flipped};
use super::shapes::{
    MAX_LISTED, Writer, cased, contains, inside, listed, strings, text_only, textual,
};
use super::triple::{Part, Triple, rest};
use super::{ITEM, Leaf, Place, Sought, Stuck, Sym, Symbols, undefined};
use crate::eval::Evaluator;
use crate::eval::datum::{Datum, Gap, Truth, View};
use crate::format::ExprRef;
use crate::format::model::{Coerce, Function, RegisterKind};
use crate::session::narrow::Why;
use crate::session::narrow::shape::{ALL_KINDS, LIST, RECORD, Shape, Step, and, kind, or};
use crate::value::{Record, Value};

impl<'a> Evaluator<'a, '_> {
    /// A condition without connectives.
    pub(super) fn leaf(&mut self, expr: u32) -> Sought<Leaf> {
        match self.library.expr(expr) {
            ExprRef::Compare(op, a, b) => {
                let (left, right) = (self.sym(a)?, self.sym(b)?);
                match (left, right) {
                    (Sym::Value(Err(gap)), Sym::Value(_)) => Ok(Leaf::Known(Truth::Open(gap))),
                    (Sym::Value(_), Sym::Value(Err(gap))) => Ok(Leaf::Known(Truth::Open(gap))),
                    (Sym::Value(Ok(x)), Sym::Value(Ok(y))) => {
                        Ok(Leaf::Known(compared(op, a, &x, b, &y)))
                    }
                    // What is unknown or undefined on the left is told first.
                    (Sym::Value(Err(gap)), _) => Ok(Leaf::Known(Truth::Open(gap))),
                    (Sym::Arg(place), Sym::Value(Err(gap))) => self.beside(a, &place, gap),
                    (_, Sym::Value(Err(gap @ Gap::Undefined(_)))) => {
                        Ok(Leaf::Known(Truth::Open(gap)))
                    }
                    (_, Sym::Value(Err(_))) => Err(Stuck::Opaque(Why::Other)),
                    (open, Sym::Value(Ok(y))) => self.compare_open(op, open, &y),
                    (Sym::Value(Ok(x)), open) => self.compare_open(flipped(op), open, &x),
                    _ => Err(Stuck::Opaque(Why::TwoArguments)),
                }
            }
            ExprRef::In(a, b) => self.member_open(a, b),
            ExprRef::Contains(a, b) => {
                if let ExprRef::Read { register, .. } = self.library.expr(a)
                    && self.library.register(register).kind == RegisterKind::Values
                {
                    return self.member_open(b, a);
                }
                match (self.sym(a)?, self.sym(b)?) {
                    (Sym::Value(Err(gap)), _) => Ok(Leaf::Known(Truth::Open(gap))),
                    (Sym::Arg(place), Sym::Value(Err(gap))) => self.beside(a, &place, gap),
                    (Sym::Arg(place), Sym::Value(Ok(part))) => contains(place, part),
                    (Sym::Apply(function, place), Sym::Value(Ok(part))) => match part.view() {
                        View::Str(text) => textual(function, place, text, |text, put| put(text)),
                        _ => Err(Stuck::Opaque(Why::Text)),
                    },
                    (Sym::Value(Ok(list)), Sym::Arg(place)) => match list.into_items() {
                        Ok(items) => listed(place, items),
                        Err(_) => Err(Stuck::Opaque(Why::Text)),
                    },
                    _ => Err(Stuck::Opaque(Why::TwoArguments)),
                }
            }
            ExprRef::Matches(a, regex) => {
                let open = self.sym(a)?;
                let twin = self.library.regex_ecma(regex);
                match (open, twin) {
                    (Sym::Value(Err(gap)), _) => Ok(Leaf::Known(Truth::Open(gap))),
                    (_, None) => Err(Stuck::Opaque(Why::Regex)),
                    (Sym::Arg(place), Some(twin)) if place.coerce == Coerce::None => {
                        strings(place, Shape::Pattern(twin.into()))
                    }
                    (Sym::Apply(Function::Text, place), Some(twin)) => {
                        text_only(place, Shape::Pattern(twin.into()))
                    }
                    _ => Err(Stuck::Opaque(Why::Text)),
                }
            }
            ExprRef::Like(a, b) => self.text_open(a, b, |glob, put| {
                // The whole text; a star is any run.
                for (n, piece) in glob.split('*').enumerate() {
                    if n == 0 {
                        put.raw("^");
                    } else {
                        put.raw("[\\s\\S]*");
                    }
                    put.text(piece);
                }
                put.raw("$");
            }),
            ExprRef::StartsWith(a, b) => self.text_open(a, b, |start, put| {
                put.raw("^");
                put.text(start);
            }),
            ExprRef::EndsWith(a, b) => self.text_open(a, b, |end, put| {
                put.text(end);
                put.raw("$");
            }),
            ExprRef::Inside(a, b) => match (self.sym(a)?, self.sym(b)?) {
                (Sym::Value(Err(gap)), _) => Ok(Leaf::Known(Truth::Open(gap))),
                (Sym::Arg(place), Sym::Value(Err(gap))) => self.beside(a, &place, gap),
                (Sym::Arg(place), Sym::Value(Ok(directory))) => match directory.view() {
                    View::Str(directory) => inside(place, directory),
                    _ => Ok(Leaf::Known(undefined(a))),
                },
                _ => Err(Stuck::Opaque(Why::Paths)),
            },
            ExprRef::Has(a) => match self.sym(a)? {
                Sym::Value(Ok(_)) => Ok(Leaf::Known(Truth::True)),
                Sym::Value(Err(Gap::Undefined(_))) => Ok(Leaf::Known(Truth::False)),
                Sym::Value(Err(_)) => Ok(Leaf::Known(Truth::Open(Gap::Unknown))),
                Sym::Arg(place) => {
                    let there = Shape::at(&place.steps, Shape::Any);
                    let triple = Triple {
                        yes: Part::exact(there.clone()),
                        no: Part::exact(there.not()),
                        undefined: Part::exact(Shape::Never),
                    };
                    Ok(Leaf::Test(place, triple, None))
                }
                _ => Err(Stuck::Opaque(Why::Other)),
            },
            ExprRef::Every(list, body) => self.quantify_open(list, body, true),
            ExprRef::Some(list, body) => self.quantify_open(list, body, false),
            ExprRef::Mentioned {
                register,
                value,
                earlier,
            } => {
                let open = self.sym(value)?;
                if !matches!(open, Sym::Value(_)) {
                    return Err(Stuck::Opaque(Why::Mentioned));
                }
                let key = self.register_key(self.library.register(register).keys);
                for at in self.layers(earlier) {
                    if !self.open_at(at) {
                        continue;
                    }
                    let member = self.is_member(register, at, key.as_ref())?;
                    if member != Truth::False && at == 0 {
                        return Err(Stuck::Opaque(Why::Mentioned));
                    }
                }
                Ok(Leaf::Known(self.mentioned(register, value, earlier).into()))
            }
            _ => match self.sym(expr)? {
                Sym::Value(Ok(value)) => Ok(Leaf::Known(match value.view() {
                    View::Bool(b) => b.into(),
                    _ => undefined(expr),
                })),
                Sym::Value(Err(gap)) => Ok(Leaf::Known(Truth::Open(gap))),
                Sym::Arg(place) if matches!(place.coerce, Coerce::None | Coerce::Number) => {
                    let value = |b| Part::exact(Shape::one(Value::Bool(b)));
                    let triple = Triple::of(&place.steps, value(true), value(false), rest());
                    Ok(Leaf::Test(place, triple, None))
                }
                _ => Err(Stuck::Opaque(Why::Other)),
            },
        }
    }

    /// An argument beside something that has no value: undefined where the argument is missing, else
    /// whatever the other is.
    pub(super) fn beside(&mut self, expr: u32, place: &Place, gap: Gap) -> Sought<Leaf> {
        if matches!(gap, Gap::Undefined(_)) {
            return Ok(Leaf::Known(Truth::Open(gap)));
        }
        Ok(Leaf::Known(match self.is_there(expr, place)? {
            true => Truth::Open(gap),
            false => undefined(expr),
        }))
    }

    pub(super) fn text_open(
        &mut self,
        a: u32,
        b: u32,
        write: impl Fn(&str, &mut Writer) + Copy,
    ) -> Sought<Leaf> {
        match (self.sym(a)?, self.sym(b)?) {
            (Sym::Value(Err(gap)), _) => Ok(Leaf::Known(Truth::Open(gap))),
            (Sym::Arg(place), Sym::Value(Err(gap))) => self.beside(a, &place, gap),
            (open, Sym::Value(Ok(text))) => {
                let View::Str(text) = text.view() else {
                    return Ok(Leaf::Known(undefined(a)));
                };
                match open {
                    Sym::Arg(place) if place.coerce == Coerce::None => {
                        let mut out = Writer::default();
                        write(text, &mut out);
                        strings(place, Shape::Pattern(out.out))
                    }
                    Sym::Apply(function, place) => {
                        cased(function, place, text, |text, put| write(text, put))
                    }
                    _ => Err(Stuck::Opaque(Why::Text)),
                }
            }
            _ => Err(Stuck::Opaque(Why::Text)),
        }
    }

    pub(super) fn member_open(&mut self, a: u32, b: u32) -> Sought<Leaf> {
        match (self.sym(a)?, self.sym(b)?) {
            (Sym::Value(Err(gap)), _) => Ok(Leaf::Known(Truth::Open(gap))),
            (Sym::Arg(place), Sym::Value(Err(gap))) => self.beside(a, &place, gap),
            (Sym::Arg(place), Sym::Value(Ok(list))) => match &list {
                Datum::Own(Value::Record(_)) | Datum::Ref(Value::Record(_)) => {
                    let Value::Record(record) = list.into_value() else {
                        return Err(Stuck::Opaque(Why::Other));
                    };
                    let names = record
                        .iter()
                        .map(|(name, _)| Datum::Own(Value::from(name)))
                        .collect();
                    listed(place, names)
                }
                _ => match list.into_items() {
                    Ok(items) => listed(place, items),
                    Err(_) => Ok(Leaf::Known(undefined(b))),
                },
            },
            (Sym::Value(Ok(item)), Sym::Arg(place)) if place.coerce == Coerce::None => {
                let item = item.into_value();
                if item.has_huge() {
                    return Err(Stuck::Opaque(Why::Other));
                }
                let holds = Shape::Holds(Box::new(Shape::one(item.clone())));
                let mut no = and(Vec::from([kind(LIST), holds.clone().not()]));
                let mut yes = holds;
                match &item {
                    Value::Str(name) => {
                        let field = Shape::at(&[Step::Field(name.clone())], Shape::Any);
                        let without = and(Vec::from([kind(RECORD), field.clone().not()]));
                        yes = or(Vec::from([yes, field]));
                        no = or(Vec::from([no, without]));
                    }
                    _ => no = or(Vec::from([no, kind(RECORD)])),
                }
                let triple = Triple::of(&place.steps, Part::exact(yes), Part::exact(no), rest());
                Ok(Leaf::Test(place, triple, None))
            }
            (
                Sym::Apply(function @ (Function::Lower | Function::Upper), place),
                Sym::Value(Ok(list)),
            ) => {
                let items = list.into_items().map_err(|_| Stuck::Opaque(Why::Text))?;
                let mut whole: Option<Triple> = None;
                for item in &items {
                    let View::Str(text) = item.view() else {
                        continue;
                    };
                    let one = cased(function, place.clone(), text, |text, put| {
                        put.raw("^");
                        put.text(text);
                        put.raw("$");
                    })?;
                    let Leaf::Test(_, triple, _) = one else {
                        return Err(Stuck::Opaque(Why::Text));
                    };
                    whole = Some(match whole {
                        None => triple,
                        Some(before) => before.not().and(triple.not()).not(),
                    });
                    if whole
                        .as_ref()
                        .is_some_and(|t| t.no.shape.size() > MAX_LISTED)
                    {
                        return Err(Stuck::Opaque(Why::TooLarge));
                    }
                }
                match whole {
                    Some(triple) => Ok(Leaf::Test(place, triple, Some(Why::Text))),
                    None => Err(Stuck::Opaque(Why::Text)),
                }
            }
            _ => Err(Stuck::Opaque(Why::TwoArguments)),
        }
    }

    pub(super) fn quantify_open(&mut self, list: u32, body: u32, every: bool) -> Sought<Leaf> {
        let (place, rest_of) = match self.sym(list)? {
            Sym::Arg(place) if place.coerce == Coerce::None => (place, Vec::new()),
            Sym::Each(place, rest) => (place, rest),
            Sym::Value(Err(gap)) => return Ok(Leaf::Known(Truth::Open(gap))),
            Sym::Value(Ok(_)) => {
                // Assumed or not open: as always, with the hook in its body.
                return Ok(Leaf::Known(self.quantify(list, body, every)));
            }
            _ => return Err(Stuck::Opaque(Why::Elements)),
        };
        let base = self.vars.len() + 1;
        let mut item = Record::new();
        item.insert(ITEM, Value::from(i64::try_from(base).unwrap_or(i64::MAX)));
        self.vars.push(Datum::Own(Value::Record(item)));
        let found = self.of_item(body, base);
        self.vars.pop();
        let (one, why) = found?;
        // For "some" the roles of true and false change places.
        let (all, any) = match every {
            true => (one.yes, one.no),
            false => (one.no, one.yes),
        };
        let part = |shape: Shape| Shape::at(&rest_of, shape);
        let items = Part::is(Shape::Items(Box::new(part(all.shape.clone()))), all.exact);
        let mut holds = Shape::Holds(Box::new(part(any.shape.clone())));
        if !rest_of.is_empty() {
            // An element without the part makes the whole list undefined.
            holds = and(Vec::from([holds, Shape::Items(Box::new(part(Shape::Any)))]));
        }
        let holds = Part::is(holds, any.exact);
        let (yes, no) = match every {
            true => (items, holds),
            false => (holds, items),
        };
        let triple = Triple::of(&place.steps, yes, no, Part::some(kind(ALL_KINDS & !LIST)));
        Ok(Leaf::Test(place, triple, why))
    }

    /// For which elements a quantifier's body is true, false, undefined.
    pub(super) fn of_item(&mut self, expr: u32, base: usize) -> Sought<(Triple, Option<Why>)> {
        let fold = |eval: &mut Self, parts: crate::format::Ids<'a>, all: bool| {
            let mut whole = Triple::constant(Truth::from(all));
            let mut why = None;
            for part in parts.iter() {
                let (one, w) = eval.of_item(part, base)?;
                why = why.or(w);
                whole = match all {
                    true => whole.and(one),
                    false => whole.not().and(one.not()).not(),
                };
            }
            Ok((whole, why))
        };
        match self.library.expr(expr) {
            ExprRef::Not(a) => {
                let (one, why) = self.of_item(a, base)?;
                Ok((one.not(), why))
            }
            ExprRef::And(parts) => fold(self, parts, true),
            ExprRef::Or(parts) => fold(self, parts, false),
            ExprRef::Iff(..) | ExprRef::Pattern(_) => Err(Stuck::Opaque(Why::Elements)),
            _ if !self.depends(expr) => {
                let truth = self.truth(expr);
                if self.symbols().is_none_or(Symbols::is_over) {
                    return Err(Stuck::Over);
                }
                Ok((Triple::constant(truth), None))
            }
            _ => match self.leaf(expr)? {
                Leaf::Known(truth) => Ok((Triple::constant(truth), None)),
                Leaf::Test(place, triple, why) if place.base == base => Ok((triple, why)),
                leaf @ Leaf::Test(..) => {
                    let Leaf::Test(place, ..) = &leaf else {
                        return Err(Stuck::Over);
                    };
                    if place.base != 0 {
                        return Err(Stuck::Opaque(Why::Elements));
                    }
                    let truth = self.settle(expr, Ok(leaf));
                    if self.symbols().is_none_or(Symbols::is_over) {
                        return Err(Stuck::Over);
                    }
                    Ok((Triple::constant(truth), None))
                }
            },
        }
    }
}
