//! `textDocument/signatureHelp`: what stands in the parentheses that are being written.

mod place;

use ctr_front::symbols::{Symbol, SymbolKind};
use ctr_grammar::ast::{FieldDecl, ItemKind};
use ctr_grammar::keywords;
use ctr_grammar::meanings::{Word, WordKind, word_of};
use lsp_types::{
    Documentation, ParameterInformation, ParameterLabel, SignatureHelp, SignatureHelpOptions,
    SignatureHelpParams, SignatureInformation, SignatureInformationSettings,
    WorkDoneProgressOptions,
};

use super::hints::declaration;
use super::hover::text::Text;
use super::hover::{markup, types};
use crate::documents::Document;
use crate::server::Failure;
use crate::snapshot::{Analysis, Places, Snapshot};
use place::{Head, Place};

/// What the server says of its help.
pub(crate) fn capability() -> SignatureHelpOptions {
    let all = |signs: &[&str]| Some(signs.iter().map(|sign| (*sign).to_owned()).collect());
    SignatureHelpOptions {
        trigger_characters: all(&["(", ","]),
        retrigger_characters: all(&[")"]),
        work_done_progress_options: WorkDoneProgressOptions::default(),
    }
}

/// What can be given at a place.
///
/// # Errors
///
/// None.
pub(crate) fn help(
    snapshot: &Snapshot,
    params: &SignatureHelpParams,
) -> Result<Option<SignatureHelp>, Failure> {
    let at = &params.text_document_position_params;
    let Some(document) = snapshot.document(&at.text_document.uri) else {
        return Ok(None);
    };
    let offset = Places::new(&document.text, snapshot.encoding).offset(at.position);
    let comments = &document.parse().comments;
    if comments
        .iter()
        .any(|comment| comment.span.start < offset && offset <= comment.span.end)
    {
        return Ok(None);
    }
    let lexemes = ctr_grammar::classify(&document.text);
    let Some(place) = place::at(&document.text, &lexemes, offset) else {
        return Ok(None);
    };
    let writer = Writer { snapshot };
    let found = writer.signatures(document, &place);
    // Of several tools the first that has what is being written.
    let active = found
        .iter()
        .position(|signature| signature.named)
        .unwrap_or(0);
    let signatures: Vec<SignatureInformation> = found.into_iter().map(|s| s.information).collect();
    let Some(first) = signatures.get(active) else {
        return Ok(None);
    };
    Ok(Some(SignatureHelp {
        active_signature: u32::try_from(active).ok(),
        active_parameter: first.active_parameter,
        signatures,
    }))
}

/// A signature, and whether it has the name that is being written.
struct Signature {
    information: SignatureInformation,
    named: bool,
}

/// A parameter as it is shown.
struct Parameter {
    name: String,
    label: String,
    doc: Option<String>,
}

struct Writer<'s> {
    snapshot: &'s Snapshot,
}

impl<'s> Writer<'s> {
    fn signatures(&self, document: &'s Document, place: &Place<'_>) -> Vec<Signature> {
        let known = self.snapshot.of_document(document);
        match &place.head {
            Head::Attribute(name) => self.word(word_of(WordKind::Attribute, name), place),
            Head::Message(word) => {
                let label = format!("{word}(text matches /.../)");
                let doc = keywords::lookup(word).map_or("", |keyword| keyword.doc);
                vec![self.plain(&label, "text matches /.../", doc)]
            }
            Head::Bound(word) => self.bound(word),
            Head::Pattern { keyword, tools } => {
                let Some(analysis) = known else {
                    return Vec::new();
                };
                let mut out = Vec::new();
                for tool in tools {
                    out.extend(self.tools(analysis, keyword, tool, place));
                }
                out
            }
            Head::Name(parts) => {
                let declared =
                    known.and_then(|analysis| self.declared(analysis, document, parts, place));
                if let Some(declared) = declared {
                    return vec![declared];
                }
                match parts.as_slice() {
                    [name] => {
                        let function = word_of(WordKind::Function, name);
                        self.word(function.or(word_of(WordKind::Aggregate, name)), place)
                    }
                    _ => Vec::new(),
                }
            }
        }
    }

    /// What the client can show of a signature.
    fn shows(&self) -> Option<&SignatureInformationSettings> {
        let text = self.snapshot.client.text_document.as_ref()?;
        text.signature_help.as_ref()?.signature_information.as_ref()
    }

    fn documentation(&self, with: impl FnOnce(&mut Text)) -> Option<Documentation> {
        let formats = self
            .shows()
            .and_then(|information| information.documentation_format.as_ref());
        let mut text = Text::new(markup(formats));
        with(&mut text);
        let content = text.finish();
        (!content.value.trim().is_empty()).then_some(Documentation::MarkupContent(content))
    }

    /// `before(a, b)after`, with the parameters found again in it.
    fn signature(
        &self,
        before: &str,
        parameters: Vec<Parameter>,
        after: &str,
        documentation: Option<Documentation>,
        active: Option<u32>,
    ) -> SignatureInformation {
        let offsets = self
            .shows()
            .and_then(|information| information.parameter_information.as_ref())
            .and_then(|information| information.label_offset_support)
            .unwrap_or(false);
        // Offsets into labels are in UTF-16, whatever was agreed on for documents.
        let units = |text: &str| u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
        let mut label = format!("{before}(");
        let mut known = Vec::new();
        for (index, parameter) in parameters.into_iter().enumerate() {
            if index > 0 {
                label.push_str(", ");
            }
            let start = units(&label);
            label.push_str(&parameter.label);
            let place = if offsets {
                ParameterLabel::LabelOffsets([start, units(&label)])
            } else {
                ParameterLabel::Simple(parameter.label)
            };
            known.push(ParameterInformation {
                label: place,
                documentation: parameter
                    .doc
                    .and_then(|doc| self.documentation(|text| text.foreign(&doc))),
            });
        }
        label.push(')');
        label.push_str(after);
        SignatureInformation {
            label,
            documentation,
            parameters: Some(known),
            active_parameter: active,
        }
    }

    fn plain(&self, label: &str, parameter: &str, doc: &str) -> Signature {
        Signature {
            information: SignatureInformation {
                label: label.to_owned(),
                documentation: self.documentation(|text| text.paragraph(doc)),
                parameters: Some(vec![ParameterInformation {
                    label: ParameterLabel::Simple(parameter.to_owned()),
                    documentation: None,
                }]),
                active_parameter: Some(0),
            },
            named: false,
        }
    }

    /// A function, aggregate or attribute, as the table of words has it.
    fn word(&self, word: Option<&'static Word>, place: &Place<'_>) -> Vec<Signature> {
        let Some(word) = word else { return Vec::new() };
        let inside = word
            .written
            .split_once('(')
            .and_then(|(_, rest)| rest.rsplit_once(')'))
            .map_or("", |(inside, _)| inside);
        let parameters: Vec<Parameter> = inside
            .split(", ")
            .filter(|name| !name.is_empty())
            .map(|name| Parameter {
                name: name.to_owned(),
                label: name.to_owned(),
                doc: None,
            })
            .collect();
        let before = word.written.split('(').next().unwrap_or(word.name);
        let after = if word.gives.is_empty() {
            String::new()
        } else {
            format!(" -> {}", word.gives)
        };
        let documentation = self.documentation(|text| {
            text.paragraph(word.doc);
            text.paragraph(word.ending);
        });
        let information = self.signature(
            before,
            parameters,
            &after,
            documentation,
            Some(place.commas),
        );
        vec![Signature {
            information,
            named: false,
        }]
    }

    fn bound(&self, word: &str) -> Vec<Signature> {
        let doc = keywords::lookup(word).map_or("", |keyword| keyword.doc);
        if word != "within" {
            let label = format!("{word} n times within 10min");
            let doc = format!("{doc}. `n consecutive times`, and a window of time, may follow.");
            return vec![self.plain(&label, "n", &doc)];
        }
        let time = "Units of time: `ms`, `s`, `min`, `h`, `d`. The edge is included.";
        let steps = "So many of the next steps of the contract.";
        vec![
            self.plain("within 30s", "30s", time),
            self.plain("within 3 steps", "3 steps", steps),
        ]
    }

    /// The tools of a name, or those of any server where none is given.
    fn tools(
        &self,
        analysis: &Analysis,
        keyword: &str,
        path: &[&str],
        place: &Place<'_>,
    ) -> Vec<Signature> {
        let symbols = &analysis.symbols().symbols;
        let [.., name] = path else { return Vec::new() };
        let result = matches!(keyword, "return" | "success" | "failure" | "unknown");
        let kind = if result {
            SymbolKind::ResultField
        } else {
            SymbolKind::Argument
        };
        let whole = path.join(".");
        let mut owners: Vec<&str> = Vec::new();
        for symbol in symbols.iter().filter(|symbol| symbol.kind == kind) {
            let Some(owner) = symbol.owner.as_deref() else {
                continue;
            };
            let fits = owner == whole
                || path.len() == 1
                    && owner
                        .strip_suffix(name)
                        .is_some_and(|server| server.ends_with('.'));
            if fits && !owners.contains(&owner) {
                owners.push(owner);
            }
        }
        let tool = symbols
            .iter()
            .find(|symbol| symbol.kind == SymbolKind::Tool && symbol.name == *name);
        if owners.is_empty() {
            // A tool that takes, or gives, nothing that is known.
            let Some(tool) = tool.filter(|tool| !tool.definitions.is_empty()) else {
                return Vec::new();
            };
            let documentation = self.documentation(|text| about(tool, text));
            let before = format!("{keyword} {whole}");
            let information = self.signature(&before, Vec::new(), "", documentation, None);
            return vec![Signature {
                information,
                named: false,
            }];
        }
        owners
            .into_iter()
            .map(|owner| {
                let fields: Vec<&Symbol> = symbols
                    .iter()
                    .filter(|symbol| {
                        symbol.kind == kind
                            && symbol.owner.as_deref() == Some(owner)
                            && symbol.path.len() == 1
                    })
                    .collect();
                let documentation =
                    self.documentation(|text| tool.into_iter().for_each(|tool| about(tool, text)));
                self.fields(&format!("{keyword} {owner}"), &fields, documentation, place)
            })
            .collect()
    }

    /// Fields by their names, in any order.
    fn fields(
        &self,
        before: &str,
        fields: &[&Symbol],
        documentation: Option<Documentation>,
        place: &Place<'_>,
    ) -> Signature {
        let parameters: Vec<Parameter> = fields.iter().map(|field| parameter(field)).collect();
        let (active, named) = by_name(&parameters, place);
        Signature {
            information: self.signature(before, parameters, "", documentation, active),
            named,
        }
    }

    /// A predicate, lookup or event that a policy declares.
    fn declared(
        &self,
        analysis: &Analysis,
        document: &Document,
        parts: &[&str],
        place: &Place<'_>,
    ) -> Option<Signature> {
        let graph = &analysis.compiled.graph;
        let here = analysis.source_of(document)?;
        let unit = graph.units.iter().find(|unit| unit.source == here)?;
        let (source, name) = match parts {
            [name] => (here, *name),
            [alias, name] => {
                let import = unit.imports.iter().find(|import| import.alias == *alias)?;
                (graph.unit(import.unit)?.source, *name)
            }
            _ => return None,
        };
        let symbol = analysis.symbols().symbols.iter().find(|symbol| {
            matches!(
                symbol.kind,
                SymbolKind::Predicate | SymbolKind::Lookup | SymbolKind::Event
            ) && symbol.name == name
                && symbol.definitions.iter().any(|at| at.source == source)
        })?;
        let (source, item) = declaration(analysis, symbol)?;
        let text = analysis.text(source)?;
        let documentation = self.documentation(|out| {
            if let Some(doc) = &symbol.doc {
                out.paragraph(doc);
            }
            if let ItemKind::Predicate(predicate) = item {
                out.code(predicate.body.span.text(text));
            }
        });
        let whole = parts.join(".");
        let positional = |params: &[FieldDecl]| -> Vec<Parameter> {
            params
                .iter()
                .map(|param| Parameter {
                    name: param.name.name.clone(),
                    label: format!(
                        "{}{}: {}",
                        param.name.name,
                        if param.optional { "?" } else { "" },
                        param.ty.span.text(text)
                    ),
                    doc: None,
                })
                .collect()
        };
        let active = Some(place.commas);
        Some(match item {
            ItemKind::Predicate(predicate) => Signature {
                information: self.signature(
                    &whole,
                    positional(&predicate.params),
                    "",
                    documentation,
                    active,
                ),
                named: false,
            },
            ItemKind::Lookup(lookup) => {
                let after = format!(" -> {}", lookup.result.span.text(text));
                Signature {
                    information: self.signature(
                        &whole,
                        positional(&lookup.params),
                        &after,
                        documentation,
                        active,
                    ),
                    named: false,
                }
            }
            ItemKind::Event(event) => {
                let parameters = positional(&event.fields);
                let (active, named) = by_name(&parameters, place);
                Signature {
                    information: self.signature(&whole, parameters, "", documentation, active),
                    named,
                }
            }
            _ => return None,
        })
    }
}

fn about(tool: &Symbol, text: &mut Text) {
    if let Some(doc) = &tool.doc {
        text.foreign(doc);
    }
}

fn parameter(field: &Symbol) -> Parameter {
    let mark = if field.optional { "?" } else { "" };
    let ty = field.ty.as_ref().map_or("any".to_owned(), types::written);
    Parameter {
        name: field.name.clone(),
        label: format!("{}{mark}: {ty}", types::name(&field.name)),
        doc: field.doc.clone(),
    }
}

/// The parameter whose name is being written; before there is one, the first that has not been given.
fn by_name(parameters: &[Parameter], place: &Place<'_>) -> (Option<u32>, bool) {
    let number = |n: usize| u32::try_from(n).ok();
    let Some((last, before)) = place.names.split_last() else {
        return (number(0), false);
    };
    if let Some(name) = last {
        let whole = parameters.iter().position(|p| p.name == *name);
        let begun = || parameters.iter().position(|p| p.name.starts_with(name));
        if let Some(found) = whole.or_else(begun) {
            return (number(found), true);
        }
    }
    let given = |p: &Parameter| before.iter().flatten().any(|name| *name == p.name);
    // Where all are given none is left to point at.
    let next = parameters.iter().position(|p| !given(p));
    (number(next.unwrap_or(parameters.len())), false)
}
