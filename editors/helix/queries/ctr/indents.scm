[
  (contract_body)
  (test_body)
  (include_declaration)
  (group_declaration)
  (parameters)
  (record_type)
  (enum_type)
  (conditions)
  (arguments)
  (named_arguments)
  (list)
  (record)
  (state_expression)
  (parenthesized_expression)
  (let_clause)
  (assume_clause)
  (guarantee_clause)
  (otherwise_clause)
  (call_step)
  (return_step)
  (event_step)
] @indent

[
  "}"
  ")"
  "]"
] @outdent
