; Made from grammar/tree-sitter/queries by `CTRC_BLESS=1 cargo test -p tree-sitter-ctr --test editors`.

; What is declared at the top of a file is seen in all of it, and in files that import it.

[
  (source_file)
  (contract_declaration)
  (predicate_declaration)
  (quantified_expression)
] @local.scope

(contract_declaration
  name: (_) @local.definition.type)

(predicate_declaration
  name: (_) @local.definition.function
  (#set! definition.function.scope "parent"))

(lookup_declaration
  name: (_) @local.definition.function)

(predicate_declaration
  parameters: (parameters
    (parameter
      name: (identifier) @local.definition.parameter)))

(keys
  key: (identifier) @local.definition.parameter)

(let_clause
  name: (identifier) @local.definition.var)

(quantified_expression
  variable: (identifier) @local.definition.parameter)

(variable
  (identifier) @local.reference)
