; Made from grammar/tree-sitter/queries by `CTRC_BLESS=1 cargo test -p tree-sitter-ctr --test editors`.

(module_declaration
  name: (path) @name) @definition.module

(contract_declaration
  name: (_) @name) @definition.class

(predicate_declaration
  name: (_) @name) @definition.function

(lookup_declaration
  name: (_) @name) @definition.function

(tool_declaration
  name: (path
    (_) @name .)) @definition.function

(event_declaration
  name: (_) @name) @definition.function

(group_declaration
  name: (_) @name) @definition.constant

(context_declaration
  name: (_) @name) @definition.constant

(call_expression
  function: (variable
    (_) @name)) @reference.call

(call_expression
  function: (field_access
    name: (field_name
      (_) @name))) @reference.call

(tool_selection
  (path
    (_) @name .)) @reference.call

(expectation
  contract: (path
    (_) @name .)) @reference.class

(test_declaration
  contract: (path
    (_) @name .)) @reference.class

(include_declaration
  contract: (_) @name) @reference.class
