((regex_pattern) @injection.content
  (#set! injection.language "regex"))

([
  (line_comment)
  (block_comment)
  (doc_comment)
  (file_doc)
] @injection.content
  (#set! injection.language "comment"))
