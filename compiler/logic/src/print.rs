//! Formulas as text, for messages, tests and dumps.

use crate::formula::{Arena, Args, Formula, Id, Time, View};
use std::fmt::Write as _;

impl Arena {
    /// The formula as it is stored, fully parenthesised, in the syntax of `X[!] X U R W M F G`, `Y
    /// Z S T O H`, `! & | <->`; `name` gives the text of an atom. Subformulas nested deeper than
    /// 100 are printed as `...`.
    pub fn display(&self, f: Formula, name: &dyn Fn(u32) -> String) -> String {
        let mut out = String::new();
        self.write(&mut out, f.id(), name, 100);
        out
    }

    fn write(&self, out: &mut String, id: Id, name: &dyn Fn(u32) -> String, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            out.push_str("...");
            return;
        };
        match self.view(id) {
            View::True => out.push_str("true"),
            View::False => out.push_str("false"),
            View::Atom(atom, positive) => {
                if !positive {
                    out.push('!');
                }
                out.push_str(&name(atom));
            }
            View::And(args) => self.write_list(out, args, " & ", name, depth),
            View::Or(args) => self.write_list(out, args, " | ", name, depth),
            View::Iff(a, b) => self.write_pair(out, a, " <-> ", b, name, depth),
            View::Step(Time::Future, a) => self.write_prefix(out, "X[!] ", a, name, depth),
            View::WeakStep(Time::Future, a) => self.write_prefix(out, "X ", a, name, depth),
            View::Step(Time::Past, a) => self.write_prefix(out, "Y ", a, name, depth),
            View::WeakStep(Time::Past, a) => self.write_prefix(out, "Z ", a, name, depth),
            View::Until(time, Id::TT, b) => {
                self.write_prefix(out, pick(time, "F ", "O "), b, name, depth)
            }
            View::Release(time, Id::FF, b) => {
                self.write_prefix(out, pick(time, "G ", "H "), b, name, depth)
            }
            View::Until(time, a, b) => {
                self.write_pair(out, a, pick(time, " U ", " S "), b, name, depth)
            }
            View::Release(time, a, b) => {
                self.write_pair(out, a, pick(time, " R ", " T "), b, name, depth)
            }
        }
    }

    fn write_prefix(
        &self,
        out: &mut String,
        op: &str,
        a: Id,
        name: &dyn Fn(u32) -> String,
        depth: u32,
    ) {
        let _ = out.write_str(op);
        self.write(out, a, name, depth);
    }

    fn write_pair(
        &self,
        out: &mut String,
        a: Id,
        op: &str,
        b: Id,
        name: &dyn Fn(u32) -> String,
        depth: u32,
    ) {
        out.push('(');
        self.write(out, a, name, depth);
        out.push_str(op);
        self.write(out, b, name, depth);
        out.push(')');
    }

    fn write_list(
        &self,
        out: &mut String,
        args: Args,
        op: &str,
        name: &dyn Fn(u32) -> String,
        depth: u32,
    ) {
        out.push('(');
        for i in 0..args.len() {
            if i > 0 {
                out.push_str(op);
            }
            self.write(out, self.arg(args, i), name, depth);
        }
        out.push(')');
    }
}

fn pick(time: Time, future: &'static str, past: &'static str) -> &'static str {
    match time {
        Time::Future => future,
        Time::Past => past,
    }
}
