/**
 * The contract language for tree-sitter. The language itself is defined by `../src/grammar.lalrpop` and
 * `../../docs/language.md`; the tests compare the two parsers.
 *
 * Most words are keywords only where one may stand, and names elsewhere: since tree-sitter's lexer asks
 * which words the parser can take, `args.call`, `tool test(end: int)` and `let once = 1` need no rules of
 * their own. Where both may stand, `_keyword_name` and `_keyword_field` say what follows a name.
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

// From loose to tight, as in `../src/resolve.rs`.
const PREC = {
  quantified: 1,
  iff: 2,
  implies: 3,
  or: 4,
  and: 5,
  temporal: 6,
  temporal_prefix: 7,
  not: 8,
  comparison: 9,
  coalesce: 10,
  sum: 11,
  product: 12,
  negation: 13,
  earlier: 14,
};

/** @param {RuleOrLiteral} rule */
const list1 = (rule) => seq(rule, repeat(seq(',', rule)));

/** A list whose last comma may stay.
 * @param {RuleOrLiteral} rule */
const list = (rule) => optional(seq(rule, repeat(seq(',', rule)), optional(',')));

/** Keywords that stand as names here.
 * @param {GrammarSymbols<string>} $
 * @param {string[]} words */
const names = ($, words) => choice(...words.map((word) => alias(word, $.identifier)));

// Words that begin an operand.
const PATTERNS = ['call', 'return', 'success', 'failure', 'unknown', 'input', 'output'];
const PREFIXES = [
  'always', 'eventually', 'next', 'previously', 'once', 'historically', 'never', 'earlier',
];

// Words that may stand after an operand, and do not compare.
const INFIXES = [
  'and', 'or', 'implies', 'iff', 'until', 'unless', 'release', 'since', 'only', 'leads', 'immediately', 'at',
  'exactly', 'within',
];

// Words that begin an item.
const ITEMS = [
  'module', 'import', 'include', 'tools', 'tool', 'group', 'event', 'context', 'lookup', 'predicate',
  'contract', 'test',
];

// A line end inside the quotes ends a literal without closing it.
const ESCAPE = /\\(u\{[0-9A-Fa-f]*\}|[^\r\n])/;

module.exports = grammar({
  name: 'ctr',

  word: ($) => $.identifier,

  // A carriage return alone ends no line.
  extras: ($) => [/[ \t\n\f]|\r\n/, $.line_comment, $.block_comment, $.doc_comment, $.file_doc],

  supertypes: ($) => [$._item, $._clause, $._step, $._type, $._literal],

  conflicts: ($) => [
    // `expect block pay` and a step `pay(..)` on the next line.
    [$.expectation],
    // `call starts with "x"` and `call starts(x)`.
    [$._keyword_name, $.event_pattern],
    // `call a` and on the next line the event `with(..)`.
    [$.context_step],
    [$.lookup_step],
    [$.after_step],
    [$.message_step],
    [$.event_step],
    [$.call_step],
    [$.return_step],
    [$.end_step],
  ],

  rules: {
    source_file: ($) => repeat($._item),

    // ------------------------------------------------------------------------------ comments

    line_comment: (_) => token(choice(/\/\/([^\/!\r\n][^\r\n]*)?/, /\/\/\/\/[^\r\n]*/)),
    doc_comment: (_) => /\/\/\/([^\/\r\n][^\r\n]*)?/,
    file_doc: (_) => /\/\/![^\r\n]*/,
    block_comment: (_) => /\/\*([^*]|\*+[^*\/])*\*+\//,

    // ------------------------------------------------------------------------------ names

    identifier: (_) => /[A-Za-z_][A-Za-z0-9_]*/,
    quoted_identifier: (_) => /`[^`\r\n]+`/,

    _name: ($) => choice($.identifier, $.quoted_identifier),

    path: ($) => seq($._name, repeat(seq('.', $._name))),

    // Words that begin an operand, where a comparison shows them to be fields: `success == true`.
    _keyword_name: ($) =>
      choice(prec(1, names($, ['input', 'output'])), names($, [...PATTERNS.slice(0, 5), ...PREFIXES])),

    // Words that begin an operand only before certain words.
    _soft_name: ($) => choice(names($, ['weak']), prec(-1, names($, ['every', 'some']))),

    // Words that begin an operand, where a colon shows them to be lists: `every x in output: ..`.
    _keyword_list: ($) => prec(1, names($, [...PATTERNS, ...PREFIXES, 'not'])),

    // Words that could go on after a name, and are names after `every`.
    _keyword_variable: ($) => names($, [...INFIXES, ...ITEMS]),

    // Words that begin an operand, where a colon shows them to be fields: `{ not: 1 }`.
    _keyword_field: ($) =>
      names($, [
        ...PATTERNS, ...PREFIXES, 'weak', 'every', 'some', 'not', 'true', 'false', 'null',
      ]),

    // ------------------------------------------------------------------------------ items

    _item: ($) =>
      choice(
        $.module_declaration,
        $.import_declaration,
        $.include_declaration,
        $.tools_declaration,
        $.tool_declaration,
        $.group_declaration,
        $.event_declaration,
        $.context_declaration,
        $.lookup_declaration,
        $.predicate_declaration,
        $.contract_declaration,
        $.test_declaration,
      ),

    _attributes: ($) => repeat1($.attribute),

    attribute: ($) => seq('@', field('name', $._name), optional(field('arguments', $.arguments))),

    module_declaration: ($) => seq(optional($._attributes), 'module', field('name', $.path)),

    import_declaration: ($) =>
      seq(
        optional($._attributes),
        'import',
        field('target', choice($.path, $.string)),
        optional(seq('as', field('alias', $._name))),
      ),

    include_declaration: ($) =>
      seq(
        optional($._attributes),
        'include',
        field('target', choice($.path, $.string)),
        optional(seq('{', list(field('contract', $._name)), '}')),
      ),

    tools_declaration: ($) =>
      seq(
        optional($._attributes),
        'tools', 'from',
        field('file', $.string),
        optional(seq('as', field('server', $._name))),
      ),

    tool_declaration: ($) =>
      seq(
        optional($._attributes),
        'tool',
        field('name', $.path),
        field('parameters', $.parameters),
        optional(seq('->', field('result', $._type))),
      ),

    group_declaration: ($) =>
      seq(
        optional($._attributes),
        'group',
        field('name', $._name),
        '=',
        choice(
          seq('{', list(field('member', $.path)), '}'),
          seq('tools', 'where', field('condition', $._expression)),
        ),
      ),

    event_declaration: ($) =>
      seq(
        optional($._attributes),
        'event',
        field('name', $._name),
        optional(field('parameters', $.parameters)),
      ),

    context_declaration: ($) =>
      seq(optional($._attributes), 'context', field('name', $._name), ':', field('type', $._type)),

    lookup_declaration: ($) =>
      seq(
        optional($._attributes),
        'lookup',
        field('name', $._name),
        field('parameters', $.parameters),
        '->',
        field('result', $._type),
      ),

    predicate_declaration: ($) =>
      seq(
        optional($._attributes),
        'predicate',
        field('name', $._name),
        field('parameters', $.parameters),
        '=',
        field('body', $._expression),
      ),

    contract_declaration: ($) =>
      seq(
        optional($._attributes),
        'contract',
        field('name', $._name),
        optional(field('keys', $.keys)),
        field('body', $.contract_body),
      ),

    keys: ($) =>
      seq(
        'for', 'each',
        choice(list1(field('key', $._name)), seq('(', list(field('key', $._name)), ')')),
      ),

    contract_body: ($) => seq('{', repeat($._clause), '}'),

    test_declaration: ($) =>
      seq(
        optional($._attributes),
        'test',
        field('name', $.string),
        optional(seq('for', list1(field('contract', $.path)))),
        field('body', $.test_body),
      ),

    test_body: ($) => seq('{', repeat($._step), '}'),

    parameters: ($) => seq('(', list($.parameter), ')'),

    parameter: ($) =>
      seq(
        field('name', choice($._name, $.string)),
        optional('?'),
        ':',
        field('type', $._type),
      ),

    // ------------------------------------------------------------------------------ types

    _type: ($) =>
      choice($.primitive_type, $.type_name, $.generic_type, $.enum_type, $.record_type, $.union_type),

    primitive_type: (_) =>
      choice('string', 'int', 'number', 'bool', 'timestamp', 'duration', 'null', 'any', 'event'),

    type_name: ($) => choice($._name, names($, ['list', 'map', 'enum'])),

    generic_type: ($) =>
      seq(field('name', choice('list', 'map')), '<', field('element', $._type), '>'),

    enum_type: ($) => seq('enum', '(', list($.string), ')'),

    record_type: ($) => seq('{', list($.parameter), '}'),

    union_type: ($) => prec.left(seq($._type, '|', $._type)),

    // ------------------------------------------------------------------------------ clauses

    _clause: ($) =>
      choice($.let_clause, $.assume_clause, $.guarantee_clause, $.otherwise_clause),

    let_clause: ($) => seq('let', field('name', $._name), '=', field('value', $._expression)),

    assume_clause: ($) => seq('assume', field('formula', $._expression)),

    guarantee_clause: ($) => seq('guarantee', field('formula', $._expression)),

    otherwise_clause: ($) => seq('otherwise', field('action', $.action)),

    action: ($) =>
      choice(
        seq(
          field('kind', choice('block', 'warn', 'escalate', 'repair')),
          optional(field('message', $.message)),
        ),
        seq(
          field('kind', 'redirect'),
          field('tool', $.path),
          field('arguments', $.named_arguments),
          optional(field('message', $.message)),
        ),
      ),

    // A string in which `{expr}` is a value.
    message: ($) =>
      seq(
        '"',
        repeat(choice(
          alias($._message_text, $.string_content),
          $.escape_sequence,
          $.interpolation,
        )),
        token.immediate('"'),
      ),

    _message_text: (_) => token.immediate(prec(1, /[^"\\{\r\n]+/)),

    interpolation: ($) => seq(token.immediate('{'), $._expression, '}'),

    // ------------------------------------------------------------------------------ tests

    _step: ($) =>
      choice(
        $.context_step,
        $.lookup_step,
        $.after_step,
        $.message_step,
        $.event_step,
        $.call_step,
        $.return_step,
        $.end_step,
      ),

    context_step: ($) =>
      seq('context', field('name', $.path), '=', field('value', $._value), repeat($._tail)),

    lookup_step: ($) =>
      seq(
        'lookup',
        field('name', $._name),
        field('arguments', $.arguments),
        '=',
        field('value', $._value),
        repeat($._tail),
      ),

    after_step: ($) => seq('after', field('time', $.duration), repeat($._tail)),

    message_step: ($) =>
      seq(field('kind', choice('input', 'output')), field('text', $.string), repeat($._tail)),

    event_step: ($) =>
      seq(
        choice(
          seq('event', field('name', $._name), optional(field('arguments', $.named_arguments))),
          seq(
            field('name', choice($._name, $._step_word)),
            field('arguments', $.named_arguments),
          ),
        ),
        repeat($._tail),
      ),

    // Words of steps that are names before a parenthesis.
    _step_word: ($) => names($, ['context', 'lookup', 'event', 'end', 'with', 'at', 'by']),

    call_step: ($) =>
      seq(
        'call',
        field('tool', $.path),
        optional(field('arguments', $.named_arguments)),
        optional(seq('->', field('outcome', $._outcome))),
        repeat($._tail),
      ),

    return_step: ($) =>
      seq('return', field('tool', $.path), '->', field('outcome', $._outcome), repeat($._tail)),

    end_step: ($) => seq('end', repeat($._tail)),

    _outcome: ($) => choice($._value, $.failure, $.unknown),

    failure: ($) => seq('failure', optional(field('text', $.string))),

    unknown: (_) => 'unknown',

    _tail: ($) => choice($.expect_tail, $.with_tail, $.at_tail),

    expect_tail: ($) =>
      choice(seq('expect', $.expectation), seq('and', optional('expect'), $.expectation)),

    expectation: ($) =>
      seq(
        field('what', $._name),
        optional(seq(optional('by'), list1(field('contract', $.path)))),
      ),

    with_tail: ($) => seq('with', list1($.fact)),

    fact: ($) => seq(field('name', $._name), '=', field('value', $._value)),

    at_tail: ($) => seq('at', field('time', choice($.string, $.duration, $.number))),

    _value: ($) => choice($._primary, alias($.negative_value, $.unary_expression)),

    negative_value: ($) => seq(field('operator', '-'), field('operand', $._primary)),

    // ------------------------------------------------------------------------------ formulas and conditions

    _expression: ($) => choice($._form, $._term, $.windowed_expression),

    // A readable form is the whole of its expression, and its sides are single operands.
    _form: ($) =>
      choice(
        $.never_form,
        $.order_form,
        $.only_form,
        $.response_form,
        $.times_form,
      ),

    never_form: ($) =>
      seq(
        'never',
        field('event', $._operand),
        optional(seq(field('relation', choice('after', 'before')), field('other', $._operand))),
      ),

    order_form: ($) =>
      seq(
        field('event', $._operand),
        field('relation', seq('only', choice('after', 'before'))),
        field('other', $._operand),
        optional(field('bound', $.bound)),
      ),

    only_form: ($) =>
      seq(
        field('event', $._operand),
        field('relation', seq('only', choice('if', 'while'))),
        field('condition', choice($._term, $.windowed_expression)),
      ),

    response_form: ($) =>
      seq(
        field('event', $._operand),
        field('relation', seq(optional('immediately'), 'leads', 'to')),
        field('other', $._operand),
        optional(field('bound', $.bound)),
      ),

    times_form: ($) =>
      seq(
        field('event', $._operand),
        field('relation', choice(seq('at', choice('most', 'least')), 'exactly')),
        field('count', $.number),
        optional('consecutive'),
        choice('time', 'times'),
        optional(field('bound', $.bound)),
      ),

    bound: ($) =>
      seq('within', choice($.duration, seq($.number, choice('step', 'steps')))),

    windowed_expression: ($) =>
      seq(field('event', choice($._operand, $.earlier_expression)), field('bound', $.bound)),

    _term: ($) =>
      choice(
        $._operand,
        $.quantified_expression,
        $.unary_expression,
        $.binary_expression,
        $.earlier_expression,
      ),

    quantified_expression: ($) =>
      prec(
        PREC.quantified,
        seq(
          field('quantifier', choice('every', 'some')),
          field('variable', choice($._name, $._keyword_variable)),
          'in',
          field('list', choice($._expression, alias($._keyword_list, $.variable))),
          ':',
          field('condition', $._term),
        ),
      ),

    earlier_expression: ($) =>
      prec(
        PREC.earlier,
        seq(
          'earlier',
          field('event', choice(
            $._operand,
            $.unary_expression,
            $.quantified_expression,
            $.earlier_expression,
          )),
        ),
      ),

    unary_expression: ($) =>
      choice(
        prec(
          PREC.temporal_prefix,
          seq(
            field('operator', choice(
              'always', 'eventually', 'previously', 'once', 'historically',
              seq(optional('weak'), 'next'),
              seq('weak', 'previously'),
            )),
            field('operand', $._term),
          ),
        ),
        prec(PREC.not, seq(field('operator', 'not'), field('operand', $._term))),
        prec(PREC.negation, seq(field('operator', '-'), field('operand', $._term))),
      ),

    binary_expression: ($) => {
      /**
       * @param {RuleOrLiteral} operator
       * @param {RuleOrLiteral} left */
      const infix = (operator, left = $._term) =>
        seq(field('left', left), field('operator', operator), field('right', $._term));
      const compared = choice($._term, alias($._keyword_name, $.variable));
      return choice(
        prec.left(PREC.iff, infix('iff')),
        prec.right(PREC.implies, infix('implies')),
        prec.left(PREC.or, infix('or')),
        prec.left(PREC.and, infix('and')),
        prec.left(PREC.temporal, infix(choice('until', 'unless', 'release', 'since'))),
        prec.left(
          PREC.comparison,
          infix(
            choice(
              '==', '!=', '<', '<=', '>', '>=',
              'in', seq('not', 'in'), 'matches', 'like', 'contains', 'inside',
              seq('starts', 'with'), seq('ends', 'with'),
            ),
            compared,
          ),
        ),
        prec.left(PREC.coalesce, infix('??', compared)),
        prec.left(PREC.sum, infix(choice('+', '-'))),
        prec.left(PREC.product, infix('*')),
      );
    },

    _operand: ($) => choice($._primary, $.event_pattern),

    event_pattern: ($) =>
      choice(
        seq(
          field('kind', choice('call', 'return', 'success', 'failure', 'unknown')),
          field('tools', $.tool_selection),
          optional(field('conditions', $.conditions)),
        ),
        seq(field('kind', choice('input', 'output')), optional(field('conditions', $.conditions))),
      ),

    tool_selection: ($) =>
      choice('any', seq('any', 'except', $._paths), $._paths),

    _paths: ($) =>
      seq(choice($.path, alias($._keyword_path, $.path)), repeat(seq('|', $.path))),

    // Tools with the first word of `starts with`.
    _keyword_path: ($) => seq(names($, ['starts', 'ends']), repeat(seq('.', $._name))),

    conditions: ($) => seq('(', list($._expression), ')'),

    _primary: ($) =>
      choice(
        $._literal,
        $.variable,
        $.parenthesized_expression,
        $.state_expression,
        $.list,
        $.record,
        $.field_access,
        $.index_access,
        $.projection,
        $.call_expression,
      ),

    variable: ($) => choice($._name, $._soft_name),

    _literal: ($) =>
      choice(
        $.number,
        $.duration,
        $.string,
        alias($._escaped_string, $.string),
        $.regex,
        $.boolean,
        $.null,
      ),

    parenthesized_expression: ($) => seq('(', $._expression, ')'),

    // A condition that stands as a formula.
    state_expression: ($) => seq('{', $._expression, '}'),

    list: ($) => seq('[', list($._expression), ']'),

    record: ($) => seq('{', list($.field), '}'),

    field: ($) =>
      seq(
        field('name', choice($._name, $.string, $._keyword_field)),
        ':',
        field('value', $._expression),
      ),

    field_access: ($) => seq(field('value', $._primary), '.', field('name', $.field_name)),

    field_name: ($) => $._name,

    index_access: ($) => seq(field('value', $._primary), '[', field('index', $.number), ']'),

    projection: ($) => seq(field('value', $._primary), '[', '*', ']'),

    call_expression: ($) =>
      seq(field('function', $._primary), field('arguments', $.arguments)),

    arguments: ($) => seq('(', list($._expression), ')'),

    named_arguments: ($) => seq('(', list($.argument), ')'),

    argument: ($) =>
      seq(field('name', choice($._name, $.string)), ':', field('value', $._expression)),

    // ------------------------------------------------------------------------------ literals

    number: (_) => /[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/,

    duration: (_) => /[0-9]+(ms|s|min|h|d)/,

    boolean: (_) => choice('true', 'false'),

    null: (_) => 'null',

    string: ($) =>
      seq('"', repeat(choice($.string_content, $.escape_sequence)), token.immediate('"')),

    string_content: (_) => token.immediate(prec(1, /[^"\\\r\n]+/)),

    escape_sequence: (_) => token.immediate(ESCAPE),

    // A string inside the `{..}` of a message: its quotes are escaped.
    _escaped_string: ($) =>
      seq('\\"', repeat(alias($._escaped_text, $.string_content)), token.immediate('\\"')),

    _escaped_text: (_) => token.immediate(prec(1, /([^"\\\r\n]|\\[^"\r\n])+/)),

    regex: ($) =>
      seq(
        '/',
        field('pattern', $.regex_pattern),
        token.immediate('/'),
        optional(field('flags', $.regex_flags)),
      ),

    // A class may hold the slash.
    regex_pattern: (_) =>
      token.immediate(prec(1, /([^\/\\\[\r\n]|\\[^\r\n]|\[([^\]\\\r\n]|\\[^\r\n])*\])+/)),

    regex_flags: (_) => token.immediate(/[A-Za-z]+/),
  },
});
