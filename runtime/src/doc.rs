//! What the examples of the documentation start from.

use alloc::string::String;
use alloc::vec::Vec;

use crate::decimal::Decimal;
use crate::format::model::{
    Action, Atom, Automaton, Clause, CompareOp, Const, Contract, EventKind, Expr, Label, Model,
    Node, NodeRef, Pattern, Place, Root, Side, State, Step, Tool, Tools, Watch,
};
use crate::format::{Library, encode};

pub use crate::value::Value;

/// The artifact of
///
/// ```ctr
/// contract pay_limit {
///   guarantee call pay only if amount <= 100
///   otherwise block "Pay at most 100."
/// }
/// ```
#[must_use]
pub fn artifact() -> Vec<u8> {
    let text = |text: &str| String::from(text);
    let model = Model {
        compiler: text("ctrc"),
        tools: Vec::from([Tool {
            server: None,
            name: text("pay"),
        }]),
        exprs: Vec::from([
            Expr::Root(Root::Args),
            Expr::Path {
                base: 0,
                steps: Vec::from([Step::Field(text("amount"))]),
                coerce: crate::format::model::Coerce::None,
            },
            Expr::Const(Const::Number(Decimal::from(100_i64))),
            Expr::Compare(CompareOp::Le, 1, 2),
            Expr::Not(3),
            Expr::Pattern(0),
        ]),
        patterns: Vec::from([Pattern {
            kind: EventKind::Call,
            tools: Tools::OneOf(Vec::from([0])),
            keys: Vec::new(),
            condition: Some(4),
            text: text("call pay(not (amount <= 100))"),
        }]),
        atoms: Vec::from([Atom {
            expr: 5,
            text: text("call pay(not (amount <= 100))"),
            remedy: Some(text("amount <= 100")),
        }]),
        automata: Vec::from([Automaton {
            states: Vec::from([
                State {
                    label: Label::Satisfied,
                    idle: true,
                    root: NodeRef::Node(0),
                },
                State {
                    label: Label::ViolatedForGood,
                    idle: true,
                    root: NodeRef::State(1),
                },
            ]),
            initial: 0,
            nodes: Vec::from([Node {
                atom: 0,
                low: NodeRef::State(0),
                high: NodeRef::State(1),
            }]),
        }]),
        contracts: Vec::from([Contract {
            name: text("pay_limit"),
            module: String::new(),
            doc: String::new(),
            place: Place::default(),
            keys: Vec::new(),
            watch: Watch {
                calls: true,
                ..Watch::default()
            },
            patterns: Vec::from([0]),
            clauses: Vec::from([Clause {
                side: Side::Guarantee,
                text: text("call pay only if amount <= 100"),
                place: Place::default(),
            }]),
            deadlines: Vec::new(),
            assume: None,
            guarantee: Some(0),
            action: Action::Block,
            message: Vec::from([crate::format::model::MessagePart::Text(text(
                "Pay at most 100.",
            ))]),
            id: None,
            severity: None,
            source: None,
            tags: Vec::new(),
            agents: Vec::new(),
        }]),
        ..Model::default()
    };
    encode(&model).unwrap_or_default()
}

/// [`artifact`], loaded.
///
/// # Panics
/// Never: the artifact is one that this crate has written.
#[must_use]
pub fn library() -> Library<'static> {
    let loaded = Library::load(artifact().as_slice()).map(Library::into_owned);
    #[expect(clippy::expect_used, reason = "for documentation alone")]
    loaded.expect("what was encoded can be loaded")
}
