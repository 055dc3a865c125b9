//! Membership and conditions on texts as shapes.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::triple::{Part, Triple, rest};
use super::{Leaf, Place, Sought, Stuck, undefined};
use crate::decimal::Decimal;
use crate::eval::datum::{Datum, View};
use crate::format::model::{Coerce, Function};
use crate::session::narrow::shape::{ALL_KINDS, LIST, STR, Shape, and, kind, or};
use crate::session::narrow::{Why, render};
use crate::value::Value;

/// The most values that an enumeration lists.
pub(super) const MAX_LISTED: usize = 1024;

/// Writes a pattern; texts for either case where that is asked.
#[derive(Default)]
pub(crate) struct Writer {
    pub(super) out: String,
    either: bool,
}

impl Writer {
    pub(super) fn raw(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub(super) fn text(&mut self, text: &str) {
        match self.either {
            true => render::either_case(text, &mut self.out),
            false => render::literal(text, &mut self.out),
        }
    }
}

/// Membership of an argument in a list.
pub(super) fn listed(place: Place, items: Vec<Datum<'_>>) -> Sought<Leaf> {
    if matches!(place.coerce, Coerce::Timestamp | Coerce::Duration) {
        return Err(Stuck::Opaque(Why::Times));
    }
    if items.len() > MAX_LISTED {
        return Err(Stuck::Opaque(Why::TooLarge));
    }
    let mut values: Vec<Value> = Vec::new();
    let mut unsure = false;
    for item in items {
        // No argument equals a time.
        if matches!(item.view(), View::Timestamp(_) | View::Duration(_)) {
            continue;
        }
        let value = item.into_value();
        if value.has_huge() {
            unsure = true;
        } else if !values.contains(&value) {
            values.push(value);
        }
    }
    let coerced = place.coerce == Coerce::Number;
    if coerced {
        values.retain(|v| !matches!(v, Value::Str(text) if Decimal::parse(text).is_some()));
    }
    let numbers = values.iter().any(|v| matches!(v, Value::Number(_)));
    let exact = !(unsure || coerced && numbers);
    let yes = match values.is_empty() {
        true => Shape::Never,
        false => Shape::Enum(values),
    };
    let no = match (unsure, coerced && numbers) {
        (true, _) => Shape::Never,
        (_, true) => and(Vec::from([yes.clone().not(), kind(ALL_KINDS & !STR)])),
        _ => yes.clone().not(),
    };
    let why = (!exact).then_some(Why::NumbersAsText);
    let triple = Triple::of(
        &place.steps,
        Part::is(yes, exact),
        Part::is(no, exact),
        Part::is(Shape::Never, exact),
    );
    Ok(Leaf::Test(place, triple, why))
}

/// Strings of a shape, other strings, and what is none.
pub(super) fn strings(place: Place, shape: Shape) -> Sought<Leaf> {
    let no = and(Vec::from([kind(STR), shape.clone().not()]));
    let triple = Triple::of(&place.steps, Part::exact(shape), Part::exact(no), rest());
    Ok(Leaf::Test(place, triple, None))
}

/// The same of a value's text: only strings are their own text.
pub(super) fn text_only(place: Place, shape: Shape) -> Sought<Leaf> {
    if place.steps.is_empty() {
        return Err(Stuck::Opaque(Why::Whole));
    }
    let no = and(Vec::from([kind(STR), shape.clone().not()]));
    let none = Part::some(Shape::Never);
    let triple = Triple::of(&place.steps, Part::some(shape), Part::some(no), none);
    Ok(Leaf::Test(place, triple, Some(Why::Text)))
}

pub(super) fn contains(place: Place, part: Datum<'_>) -> Sought<Leaf> {
    if place.coerce != Coerce::None {
        return Err(Stuck::Opaque(Why::Other));
    }
    let value = part.into_value();
    if value.has_huge() {
        return Err(Stuck::Opaque(Why::Other));
    }
    let holds = Shape::Holds(Box::new(Shape::one(value.clone())));
    let mut no = and(Vec::from([kind(LIST), holds.clone().not()]));
    let mut yes = holds;
    if let Value::Str(text) = &value {
        let mut pattern = Writer::default();
        pattern.text(text);
        let pattern = Shape::Pattern(pattern.out);
        let without = and(Vec::from([kind(STR), pattern.clone().not()]));
        yes = or(Vec::from([pattern, yes]));
        no = or(Vec::from([without, no]));
    }
    let triple = Triple::of(&place.steps, Part::exact(yes), Part::exact(no), rest());
    Ok(Leaf::Test(place, triple, None))
}

pub(super) fn textual(
    function: Function,
    place: Place,
    text: &str,
    write: impl Fn(&str, &mut dyn FnMut(&str)),
) -> Sought<Leaf> {
    cased(function, place, text, |text, put| {
        write(text, &mut |piece| put.text(piece));
    })
}

/// A test of `lower(x)`, `upper(x)` or `text(x)` against a text. Letters beyond ASCII change case in ways
/// that a pattern cannot follow: texts that have some are left out.
pub(super) fn cased(
    function: Function,
    place: Place,
    text: &str,
    write: impl Fn(&str, &mut Writer),
) -> Sought<Leaf> {
    let mut out = Writer::default();
    if function == Function::Text {
        write(text, &mut out);
        return text_only(place, Shape::Pattern(out.out));
    }
    let same = match function {
        Function::Lower => text.is_ascii() && !text.bytes().any(|b| b.is_ascii_uppercase()),
        Function::Upper => text.is_ascii() && !text.bytes().any(|b| b.is_ascii_lowercase()),
        _ => false,
    };
    if !same {
        return Err(Stuck::Opaque(Why::Text));
    }
    out.either = true;
    write(text, &mut out);
    let shape = and(Vec::from([
        Shape::Pattern(out.out),
        Shape::Pattern("^[\\x00-\\x7f]*$".into()),
    ]));
    let Shape::All(parts) = &shape else {
        return Err(Stuck::Opaque(Why::Text));
    };
    let (Some(pattern), Some(ascii)) = (parts.first(), parts.last()) else {
        return Err(Stuck::Opaque(Why::Text));
    };
    let no = and(Vec::from([ascii.clone(), pattern.clone().not()]));
    let others = Part::some(kind(ALL_KINDS & !STR));
    let triple = Triple::of(&place.steps, Part::some(shape), Part::some(no), others);
    Ok(Leaf::Test(place, triple, Some(Why::Text)))
}

/// Paths under a directory. Those with `.`, `..` or `//` are left out on both sides.
pub(super) fn inside(place: Place, directory: &str) -> Sought<Leaf> {
    if place.coerce != Coerce::None {
        return Err(Stuck::Opaque(Why::Other));
    }
    let Some(directory) = crate::path::normalise(directory) else {
        return Ok(Leaf::Known(undefined(u32::MAX)));
    };
    const NAME: &str = "(?:[^/.][^/]*|\\.[^/.][^/]*|\\.\\.[^/]+)";
    let name = NAME.replace('/', "\\/");
    let tidy = Shape::Pattern(alloc::format!("^(?:\\/|(?:\\/{name})+\\/?)$"));
    let mut pattern = Writer::default();
    pattern.raw("^");
    if directory != "/" {
        pattern.text(&directory);
    }
    pattern.raw("(?:\\/|$)");
    let below = Shape::Pattern(pattern.out);
    let yes = and(Vec::from([tidy.clone(), below.clone()]));
    let no = and(Vec::from([tidy, below.not()]));
    let others = Part::some(kind(ALL_KINDS & !STR));
    let triple = Triple::of(&place.steps, Part::some(yes), Part::some(no), others);
    Ok(Leaf::Test(place, triple, Some(Why::Paths)))
}
