//! The built-in functions (language reference, section 6).

use alloc::string::String;
use alloc::vec::Vec;

use super::datum::{Datum, Gap, TypeName, View, WhyKind};
use super::operators::{length, text_of};
use super::{Evaluator, not_a};
use crate::decimal::Decimal;
use crate::format::Ids;
use crate::format::model::Function;
use crate::value::Value;

impl<'a> Evaluator<'a, '_> {
    pub(super) fn call(
        &mut self,
        expr: u32,
        function: Function,
        args: Ids<'a>,
    ) -> Result<Datum<'a>, Gap> {
        let Some(arg) = args.get(0) else {
            return Err(Gap::new(expr, WhyKind::Limit));
        };
        let value = self.value(arg)?;
        self.spend(length(value.view()));
        let wrong = |wanted: TypeName, view: View<'_>| Err(not_a(arg, wanted, view.type_name()));
        let too_large = Gap::new(arg, WhyKind::TooLarge);
        let string = |s: String| Ok(Datum::Own(Value::Str(s)));
        match (function, value.view()) {
            (Function::Len, View::Str(s)) => count(s.chars().count()),
            (Function::Len, View::Values(items)) => count(items.len()),
            (Function::Len, View::Data(items)) => count(items.len()),
            (Function::Len, View::Record(record)) => count(record.len()),
            (Function::Len, view) => wrong(TypeName::String, view),
            (Function::Text, View::Str(_)) => Ok(value),
            (Function::Text, _) => {
                let text = text_of(&value).into_owned();
                self.spend_text(text.len());
                string(text)
            }
            (Function::Lower, View::Str(s)) => string(crate::text::lower(s)),
            (Function::Upper, View::Str(s)) => string(crate::text::upper(s)),
            (Function::Trim, View::Str(s)) => string(String::from(crate::text::trim(s))),
            (Function::Host, View::Str(s)) => crate::text::host(s)
                .map(|h| Datum::Own(Value::Str(h)))
                .ok_or(Gap::new(arg, WhyKind::Unreadable(TypeName::String))),
            (Function::Lower | Function::Upper | Function::Trim | Function::Host, view) => {
                wrong(TypeName::String, view)
            }
            (Function::Number, View::Number(_)) => Ok(value),
            (Function::Number, View::Str(s)) => Decimal::parse(s)
                .map(|n| Datum::Own(Value::Number(n)))
                .ok_or(Gap::new(arg, WhyKind::Unreadable(TypeName::Number))),
            (Function::Abs, View::Number(n)) => n
                .checked_abs()
                .map(|n| Datum::Own(Value::Number(n)))
                .ok_or(too_large),
            (Function::Abs, View::Duration(d)) => {
                d.checked_abs().map(Datum::Duration).ok_or(too_large)
            }
            (
                Function::Number | Function::Abs | Function::Timestamp | Function::Duration,
                View::Huge,
            ) => Err(too_large),
            (Function::Number | Function::Abs, view) => wrong(TypeName::Number, view),
            (Function::Keys, View::Record(record)) => {
                let names: Vec<Value> = record.iter().map(|(k, _)| Value::from(k)).collect();
                Ok(Datum::Own(Value::List(names)))
            }
            (Function::Keys, view) => wrong(TypeName::Record, view),
            (Function::Timestamp, View::Timestamp(_)) | (Function::Duration, View::Duration(_)) => {
                Ok(value)
            }
            (Function::Timestamp, View::Str(s)) => crate::time::parse_timestamp(s)
                .map(Datum::Timestamp)
                .ok_or(Gap::new(arg, WhyKind::Unreadable(TypeName::Timestamp))),
            (Function::Timestamp, View::Number(n)) => {
                n.seconds_to_nanos().map(Datum::Timestamp).ok_or(too_large)
            }
            (Function::Timestamp, view) => wrong(TypeName::Timestamp, view),
            (Function::Duration, View::Str(s)) => crate::time::parse_duration(s)
                .map(Datum::Duration)
                .ok_or(Gap::new(arg, WhyKind::Unreadable(TypeName::Duration))),
            (Function::Duration, View::Number(n)) => {
                n.seconds_to_nanos().map(Datum::Duration).ok_or(too_large)
            }
            (Function::Duration, view) => wrong(TypeName::Duration, view),
        }
    }
}

fn count<'a>(n: usize) -> Result<Datum<'a>, Gap> {
    let n = u64::try_from(n).unwrap_or(u64::MAX);
    Ok(Datum::Own(Value::Number(Decimal::from(n))))
}
