; Made from grammar/tree-sitter/queries by `CTRC_BLESS=1 cargo test -p tree-sitter-ctr --test editors`.

((regex_pattern) @injection.content
  (#set! injection.language "regex"))

([
  (line_comment)
  (block_comment)
  (doc_comment)
  (file_doc)
] @injection.content
  (#set! injection.language "comment"))
