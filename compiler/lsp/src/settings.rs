//! What the user sets in the editor (section `ctrc`).

use serde::Deserialize;
use serde_json::Value;

/// The settings. What is missing, or of another type, is as it is by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Which inlay hints are given.
    pub(crate) hints: Hints,
}

/// Kinds of inlay hints (`ctrc.inlayHints`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hints {
    /// `types`: of keys, `let`s and variables.
    pub(crate) types: bool,
    /// `names`: which field a bare name is.
    pub(crate) names: bool,
    /// `defaults`: what happens where a contract does not say it.
    pub(crate) defaults: bool,
    /// `parameters`: the names of parameters before arguments.
    pub(crate) parameters: bool,
    /// `expansions`: the formulas that readable forms and templates stand for.
    pub(crate) expansions: bool,
}

impl Default for Hints {
    fn default() -> Self {
        Self {
            types: true,
            names: true,
            defaults: true,
            parameters: true,
            expansions: false,
        }
    }
}

impl Settings {
    /// From what a client sends: the section itself, or an object that has it as `ctrc`.
    pub(crate) fn read(value: &Value) -> Self {
        let section = value.get("ctrc").unwrap_or(value);
        let mut hints = Hints::default();
        let all = section.get("inlayHints");
        if let Some(on) = all.and_then(Value::as_bool) {
            hints = Hints {
                types: on,
                names: on,
                defaults: on,
                parameters: on,
                expansions: on && hints.expansions,
            };
        }
        for (name, slot) in [
            ("types", &mut hints.types),
            ("names", &mut hints.names),
            ("defaults", &mut hints.defaults),
            ("parameters", &mut hints.parameters),
            ("expansions", &mut hints.expansions),
        ] {
            let dotted = section.get(format!("inlayHints.{name}"));
            let given = all.and_then(|all| all.get(name)).or(dotted);
            if let Some(on) = given.and_then(|value| bool::deserialize(value).ok()) {
                *slot = on;
            }
        }
        Self { hints }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_clients_send() {
        let hints = |value| Settings::read(&value).hints;
        let usual = Hints::default();
        for nothing in [json!(null), json!({}), json!(3), json!({"ctrc": null})] {
            assert_eq!(hints(nothing), usual);
        }
        let without = Hints {
            types: false,
            ..usual
        };
        for value in [
            json!({"inlayHints": {"types": false}}),
            json!({"ctrc": {"inlayHints": {"types": false, "names": "yes"}}}),
            json!({"inlayHints.types": false}),
        ] {
            assert_eq!(hints(value), without);
        }
        let none = hints(json!({"inlayHints": false}));
        assert!(!(none.types || none.names || none.defaults || none.parameters));
    }
}
