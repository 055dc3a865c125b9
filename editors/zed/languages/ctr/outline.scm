(contract_declaration
  "contract" @context
  name: (_) @name) @item

(predicate_declaration
  "predicate" @context
  name: (_) @name) @item

(test_declaration
  "test" @context
  name: (string) @name) @item

(tool_declaration
  "tool" @context
  name: (_) @name) @item

(group_declaration
  "group" @context
  name: (_) @name) @item

(event_declaration
  "event" @context
  name: (_) @name) @item

(context_declaration
  "context" @context
  name: (_) @name) @item

(lookup_declaration
  "lookup" @context
  name: (_) @name) @item

(let_clause
  "let" @context
  name: (_) @name) @item
