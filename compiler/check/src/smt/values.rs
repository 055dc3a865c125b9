//! Values of a model of Z3 as values of events.

use ctr_front::ir::Expr;
use ctr_runtime::decimal::Decimal;
use ctr_runtime::value::Value;
use z3::Model;

use super::encode::{
    BOOL, DEFINED, DURATION, Encoder, Home, NULL, NUMBER, OTHER, TEXT, TIMESTAMP, Val,
};
use super::regex::unescaped;
use crate::theory::Values;

impl Encoder<'_> {
    /// The values of the events of the path; `None` where some cannot be written down.
    pub(super) fn values(&self, model: &Model) -> Option<Vec<Values>> {
        let mut out = vec![Values::default(); self.path.steps.len()];
        // Deeper paths first: a record is made of its fields. Read values before raw ones.
        let mut variables: Vec<_> = self.variables.iter().collect();
        variables.sort_by_key(|((home, path, coerce), _)| {
            (
                home,
                std::cmp::Reverse(path.len()),
                path,
                std::cmp::Reverse(*coerce),
            )
        });
        // What is not there.
        let mut absent: Vec<(&Home, &[String])> = Vec::new();
        for ((home, path, coerce), val) in &self.variables {
            if *coerce == DEFINED && !model.eval(&val.flag, true)?.as_bool()? {
                absent.push((home, path));
            }
        }
        for ((home, path, coerce), val) in variables {
            let missing = |(at, from): &(&Home, &[String])| *at == home && path.starts_with(from);
            if *coerce == DEFINED || absent.iter().any(missing) {
                continue;
            }
            let value = || self.value_of(model, val);
            match home {
                Home::Args(at) => put(&mut out.get_mut(*at)?.args, path, value()?),
                Home::Result(at) => put(&mut out.get_mut(*at)?.result, path, value()?),
                Home::Fields(at) => put(&mut out.get_mut(*at)?.fields, path, value()?),
                Home::Context(at) => put(&mut out.get_mut(*at)?.context, path, value()?),
                Home::Text(at) => out.get_mut(*at)?.text = Some(self.model_text(model, val)?),
                Home::Agent(at) => out.get_mut(*at)?.agent = Some(self.model_text(model, val)?),
                Home::Server(at) => out.get_mut(*at)?.server = Some(self.model_text(model, val)?),
                Home::Time(at) => out.get_mut(*at)?.time = Some(integer(model, val)?),
                Home::Turn(at) => out.get_mut(*at)?.turn = Some(integer(model, val)?),
                Home::Depth(at) => out.get_mut(*at)?.depth = Some(integer(model, val)?),
                Home::Tokens(at) => out.get_mut(*at)?.tokens = Some(integer(model, val)?),
                Home::Key(_) => {}
                Home::Opaque(expr, at, _) => {
                    if let Some(Expr::Lookup(lookup, _)) =
                        self.problem.library.exprs.get(expr.0 as usize)
                    {
                        let answer = value()?;
                        out.get_mut(*at)?.lookups.push((lookup.0, answer));
                    }
                }
            }
        }
        Some(out)
    }

    fn model_text(&self, model: &Model, val: &Val) -> Option<String> {
        if !self.coded {
            return Some(unescaped(&model.eval(&val.text, true)?.as_string()?));
        }
        let code = model.eval(&val.code, true)?.as_i64()?;
        let constant = self.codes.iter().find(|(_, other)| **other == code);
        if let Some((text, _)) = constant {
            return Some(text.clone());
        }
        // A letter where texts may be chosen.
        let letter = code
            .checked_sub(i64::try_from(self.codes.len()).ok()?)
            .and_then(|n| u8::try_from(n).ok())
            .filter(|n| *n < 26)
            .map(|n| char::from(b'a' + n).to_string())
            .filter(|letter| !self.codes.contains_key(letter));
        Some(letter.unwrap_or_else(|| format!("text{code}").replace('-', "_")))
    }

    fn value_of(&self, model: &Model, val: &Val) -> Option<Value> {
        let kind = model.eval(&val.kind, true)?.as_i64()?;
        Some(match kind {
            NULL => Value::Null,
            BOOL => Value::Bool(model.eval(&val.flag, true)?.as_bool()?),
            NUMBER => Value::Number(decimal(model, val)?),
            TEXT => Value::Str(self.model_text(model, val)?),
            TIMESTAMP => Value::Str(ctr_runtime::time::format_rfc3339(integer(model, val)?)),
            DURATION => Value::Number(Decimal::from_nanos(integer(model, val)?)),
            OTHER => {
                let id = model.eval(&val.id, true)?.as_i64()?;
                Value::List(vec![Value::Number(Decimal::from(id))])
            }
            _ => return None,
        })
    }
}

/// Adds a value unless something stands there already.
fn put(into: &mut Vec<(Vec<String>, Value)>, path: &[String], value: Value) {
    if into.iter().any(|(other, _)| other.starts_with(path)) {
        return;
    }
    into.push((path.to_vec(), value));
}

fn integer(model: &Model, val: &Val) -> Option<i64> {
    match model.eval(&val.number, true)?.as_rational()? {
        (n, 1) => Some(n),
        _ => None,
    }
}

/// A number that has finitely many decimal places.
fn decimal(model: &Model, val: &Val) -> Option<Decimal> {
    let (numerator, denominator) = model.eval(&val.number, true)?.as_rational()?;
    let (mut numerator, denominator) = (i128::from(numerator), i128::from(denominator));
    let mut places = 0;
    let mut scale: i128 = 1;
    while scale % denominator != 0 {
        scale = scale.checked_mul(10)?;
        places += 1;
        if places > 18 {
            return None;
        }
    }
    numerator = numerator.checked_mul(scale / denominator)?;
    Decimal::new(numerator, -places)
}
