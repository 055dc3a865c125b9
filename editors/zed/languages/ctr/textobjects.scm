; Made from grammar/tree-sitter/queries by `CTRC_BLESS=1 cargo test -p tree-sitter-ctr --test editors`.

(contract_declaration
  body: (contract_body
    "{"
    _+ @class.inside
    "}")) @class.around

[
  (predicate_declaration
    body: (_) @function.inside)
  (lookup_declaration)
  (tool_declaration)
] @function.around

[
  (line_comment)
  (block_comment)
  (doc_comment)
  (file_doc)
] @comment.inside @comment.around
