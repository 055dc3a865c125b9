; Made from grammar/tree-sitter/queries by `CTRC_BLESS=1 cargo test -p tree-sitter-ctr --test editors`.

[
  (contract_declaration)
  (test_declaration)
  (include_declaration)
  (tool_declaration)
  (event_declaration)
  (lookup_declaration)
  (group_declaration)
  (record)
  (list)
  (block_comment)
] @fold

(doc_comment)+ @fold

(file_doc)+ @fold

(line_comment)+ @fold

[
  (import_declaration)
  (tools_declaration)
]+ @fold
