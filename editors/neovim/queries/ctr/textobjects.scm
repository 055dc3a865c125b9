; Made from grammar/tree-sitter/queries by `CTRC_BLESS=1 cargo test -p tree-sitter-ctr --test editors`.

(contract_declaration
  body: (contract_body
    "{"
    _+ @class.inner
    "}")) @class.outer

[
  (predicate_declaration
    body: (_) @function.inner)
  (lookup_declaration)
  (tool_declaration)
] @function.outer

(test_declaration
  body: (test_body
    "{"
    _+ @test.inner
    "}")) @test.outer

(let_clause
  value: (_) @assignment.rhs) @assignment.outer

[
  (let_clause)
  (assume_clause)
  (guarantee_clause)
  (otherwise_clause)
  (call_step)
  (return_step)
  (event_step)
  (message_step)
  (context_step)
  (lookup_step)
  (after_step)
  (end_step)
] @statement.outer

(parameters
  (parameter) @parameter.inner @parameter.outer)

(named_arguments
  (argument) @parameter.inner @parameter.outer)

(arguments
  (_) @parameter.inner @parameter.outer)

(conditions
  (_) @parameter.inner @parameter.outer)

(record
  (field) @parameter.inner @parameter.outer)

(list
  (_) @parameter.inner @parameter.outer)

(call_expression) @call.outer

(number) @number.inner

[
  (line_comment)
  (block_comment)
  (doc_comment)
  (file_doc)
] @comment.inner @comment.outer
