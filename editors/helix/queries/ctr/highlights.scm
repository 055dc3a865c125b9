; Made from grammar/tree-sitter/queries by `CTRC_BLESS=1 cargo test -p tree-sitter-ctr --test editors`.

; No node is captured twice, so that it does not matter whether an editor takes the first or the last pattern; a
; pattern for a node inside another one refines it.

; Comments

[
  (line_comment)
  (block_comment)
] @comment

[
  (doc_comment)
  (file_doc)
] @comment.block.documentation

; Keywords

[
  "module"
  "import"
  "include"
  "tools"
  "from"
  "as"
] @keyword.control.import

[
  "tool"
  "group"
  "where"
  "context"
  "lookup"
  "predicate"
  "contract"
  "test"
  "for"
  "each"
  "let"
  "assume"
  "guarantee"
  "otherwise"
  "block"
  "warn"
  "escalate"
  "redirect"
  "repair"
  "call"
  "return"
  "success"
  "failure"
  "input"
  "output"
  "expect"
  "by"
  "with"
  "end"
] @keyword

(event_declaration
  "event" @keyword)

(event_step
  "event" @keyword)

(event_pattern
  "unknown" @keyword)

(unknown) @keyword

(tool_selection
  [
    "any"
    "except"
  ] @keyword)

[
  "and"
  "or"
  "not"
  "implies"
  "iff"
  "always"
  "eventually"
  "next"
  "weak"
  "until"
  "unless"
  "release"
  "previously"
  "once"
  "historically"
  "since"
  "never"
  "after"
  "before"
  "only"
  "if"
  "while"
  "immediately"
  "leads"
  "to"
  "at"
  "most"
  "least"
  "exactly"
  "within"
  "time"
  "times"
  "consecutive"
  "step"
  "steps"
  "in"
  "matches"
  "like"
  "contains"
  "starts"
  "ends"
  "inside"
  "every"
  "some"
  "earlier"
] @keyword.operator

; Operators and punctuation

[
  "="
  "=="
  "!="
  "<="
  ">="
  "??"
  "+"
  "-"
  "*"
  "->"
  "|"
] @operator

(binary_expression
  [
    "<"
    ">"
  ] @operator)

[
  "("
  ")"
  "["
  "]"
  "{"
  "}"
] @punctuation.bracket

(generic_type
  [
    "<"
    ">"
  ] @punctuation.bracket)

[
  ","
  "."
  ":"
] @punctuation.delimiter

"?" @punctuation.special

; Literals

[
  (number)
  (duration)
] @constant.numeric

(boolean) @constant.builtin.boolean

(null) @constant.builtin

[
  (string)
  (message)
] @string

(escape_sequence) @constant.character.escape

(regex) @string.regexp

; Types

(primitive_type) @type.builtin

(generic_type
  [
    "list"
    "map"
  ] @type.builtin)

"enum" @type.builtin

(type_name) @type

; Declarations

(attribute
  "@" @attribute
  name: (_) @attribute)

(tool_declaration
  name: (path
    (_) @function .))

[
  (predicate_declaration
    name: (_) @function)
  (lookup_declaration
    name: (_) @function)
  (event_declaration
    name: (_) @function)
]

(group_declaration
  name: (_) @constant)

(context_declaration
  name: (_) @variable.other.member)

(contract_declaration
  name: (_) @type)

(parameters
  (parameter
    name: [
      (identifier)
      (quoted_identifier)
    ] @variable.parameter))

(record_type
  (parameter
    name: [
      (identifier)
      (quoted_identifier)
    ] @variable.other.member))

(keys
  key: (_) @variable.parameter)

(let_clause
  name: (_) @variable)

(quantified_expression
  variable: (_) @variable.parameter)

; Names

(path
  (_) @namespace
  "." )

(module_declaration
  name: (path
    (_) @namespace .))

(import_declaration
  target: (path
    (_) @namespace .))

(import_declaration
  alias: (_) @namespace)

(include_declaration
  target: (path
    (_) @namespace .))

(include_declaration
  contract: (_) @type)

(tools_declaration
  server: (_) @namespace)

(group_declaration
  member: (path
    (_) @function .))

(tool_selection
  (path
    (_) @function .))

(call_step
  tool: (path
    (_) @function .))

(return_step
  tool: (path
    (_) @function .))

(action
  tool: (path
    (_) @function .))

(event_step
  name: (_) @function)

(lookup_step
  name: (_) @function)

(context_step
  name: (path
    (_) @variable.other.member .))

(test_declaration
  contract: (path
    (_) @type .))

(expectation
  contract: (path
    (_) @type .))

(expectation
  what: (_) @constant)

(fact
  name: (_) @variable.other.member)

(argument
  name: [
    (identifier)
    (quoted_identifier)
  ] @variable.other.member)

(field
  name: [
    (identifier)
    (quoted_identifier)
  ] @variable.other.member)

(field_name) @variable.other.member

(variable) @variable

(variable
  (identifier) @variable.builtin
  (#any-of? @variable.builtin "args" "ctx" "event" "result"))

(call_expression
  function: (variable
    (identifier) @function.builtin)
  (#any-of? @function.builtin
    "abs" "count" "duration" "elapsed" "first" "has" "host" "keys" "latest" "len" "lower" "max" "mentioned" "min"
    "number" "streak" "sum" "text" "timestamp" "trim" "upper" "values"))

(call_expression
  function: (variable
    (identifier) @function)
  (#not-any-of? @function
    "abs" "count" "duration" "elapsed" "first" "has" "host" "keys" "latest" "len" "lower" "max" "mentioned" "min"
    "number" "streak" "sum" "text" "timestamp" "trim" "upper" "values"))

(call_expression
  function: (field_access
    name: (field_name
      (_) @function)))
