//! The policies of the conformance cases: each compiles without a finding, and its formulas are these.

use super::{clauses, ok};

/// Name, policy, clauses.
const POLICIES: &[(&str, &str, &[&str])] = &[
    (
        "allow_list",
        r##"contract only_these { guarantee never call any except read | list }
"##,
        &[r##"only_these Guarantee: G(!<call -read|list>)"##],
    ),
    (
        "assumption_broken_is_idle",
        r##"contract clean_inputs {
  assume never return read_mail(text(result) matches /ignore previous/i)
  guarantee call send only after success read_mail
}
"##,
        &[
            r##"clean_inputs Assume: G(!<return read_mail [(Text(result) ~ /(?i)ignore previous/)]>)"##,
            r##"clean_inputs Guarantee: (!<call send> W <success read_mail>)"##,
        ],
    ),
    (
        "at_most_counts_this_call",
        r##"contract few { guarantee call search at most 2 times }
"##,
        &[r##"few Guarantee: !F((<call search> & X(F((<call search> & X(F(<call search>)))))))"##],
    ),
    (
        "cap_exceeded",
        r##"tool refund(order_id: string, amount: number)
contract cap { guarantee call refund only if amount <= 500 }
"##,
        &[r##"cap Guarantee: G(!<call refund [!(args.amount:Number <= 500)]>)"##],
    ),
    (
        "consecutive",
        r##"contract no_loop { guarantee call ping at most 2 consecutive times }
"##,
        &[r##"no_loop Guarantee: G(!(<call ping> & X((<call ping> & X(<call ping>)))))"##],
    ),
    (
        "context_change_reopens",
        r##"context role: string
contract admin_only { guarantee call wipe only while {ctx.role == "admin"} }
"##,
        &[r##"admin_only Guarantee: G((<call wipe> -> (ctx.role == "admin")))"##],
    ),
    (
        "context_equality",
        r##"context customer_id: string
contract own_orders { guarantee call get_order only if owner == ctx.customer_id }
"##,
        &[r##"own_orders Guarantee: G(!<call get_order [!(args.owner == ctx.customer_id)]>)"##],
    ),
    (
        "declared_event",
        r##"event approval(by: string, amount: number)
contract approved { guarantee call wire only after approval(by == "lead") }
"##,
        &[r##"approved Guarantee: (!<call wire> W <approval [(fields.by == "lead")]>)"##],
    ),
    (
        "default_makes_optional_defined",
        r##"tool refund(order_id: string, amount?: number)
contract cap { guarantee never call refund((amount ?? 0) > 500) }
"##,
        &[r##"cap Guarantee: G(!<call refund [((args.amount:Number ?? 0) > 500)]>)"##],
    ),
    (
        "duty_per_key_failed_refund_owes_nothing",
        r##"contract receipt for each order {
  guarantee success refund(args.order_id == order) leads to call send_receipt(order_id == order)
}
"##,
        &[
            r##"receipt Guarantee: G((<success refund [k0=args.order_id]> -> F(<call send_receipt [k0=args.order_id]>)))"##,
        ],
    ),
    (
        "duty_within_steps",
        r##"contract fix_soon { guarantee call diagnose leads to call fix within 2 steps }
"##,
        &[r##"fix_soon Guarantee: G((<call diagnose> -> X((<call fix> | X(<call fix>)))))"##],
    ),
    (
        "duty_within_time",
        r##"contract ack { guarantee call page leads to call acknowledge within 30s }
"##,
        &[r##"ack Guarantee: true deadline <call page> => <call acknowledge> in 30s"##],
    ),
    (
        "empty_session_safety_and_duty",
        r##"contract safety { guarantee never call drop }
contract duty { guarantee eventually call report }
"##,
        &[
            r##"safety Guarantee: G(!<call drop>)"##,
            r##"duty Guarantee: F(<call report>)"##,
        ],
    ),
    (
        "exclusive_choice",
        r##"contract one_of_two {
  guarantee never call remove after call invite
  guarantee never call invite after call remove
}
"##,
        &[
            r##"one_of_two Guarantee: G((<call invite> -> WX(G(!<call remove>))))"##,
            r##"one_of_two Guarantee: G((<call remove> -> WX(G(!<call invite>))))"##,
        ],
    ),
    (
        "fresh_after",
        r##"contract fresh { guarantee call deploy only after success run_tests within 5min }
"##,
        &[r##"fresh Guarantee: G((<call deploy> -> fresh(Elapsed{<success run_tests>}, 300s)))"##],
    ),
    (
        "integers_and_floats_are_one",
        r##"contract qty { guarantee call set_qty only if qty == 42 }
"##,
        &[r##"qty Guarantee: G(!<call set_qty [!(args.qty == 42)]>)"##],
    ),
    (
        "keys_are_not_folded",
        r##"contract once for each order { guarantee call refund(order_id == order) at most 1 time }
"##,
        &[
            r##"once Guarantee: !F((<call refund [k0=args.order_id]> & X(F(<call refund [k0=args.order_id]>))))"##,
        ],
    ),
    (
        "latest_value_binds",
        r##"contract within_limit for each order {
  let limit = latest(success check(args.order_id == order), result.limit)
  guarantee call refund(order_id == order) only if amount <= limit
}
"##,
        &[
            r##"within_limit Guarantee: G(!<call refund [k0=args.order_id; !(args.amount <= Latest{<success check [k0=args.order_id]>, result.limit, keys 1})]>)"##,
        ],
    ),
    (
        "like_is_whole_value",
        r##"contract internal_only { guarantee call send_email only if every x in to: x like "*@corp.com" }
"##,
        &[
            r##"internal_only Guarantee: G(!<call send_email [!every(args.to: (var0 like "*@corp.com"))]>)"##,
        ],
    ),
    (
        "logout_reopens",
        r##"contract logged_in {
  guarantee call pay only while (not success logout since success login)
}
"##,
        &[r##"logged_in Guarantee: G((<call pay> -> (!<success logout> S <success login>)))"##],
    ),
    (
        "names_are_exact",
        r##"contract no_send { guarantee never call send }
"##,
        &[r##"no_send Guarantee: G(!<call send>)"##],
    ),
    (
        "negated_condition_fails_closed_too",
        r##"tool refund(order_id: string, amount?: number)
contract cap { guarantee never call refund(amount > 500) }
"##,
        &[r##"cap Guarantee: G(!<call refund [(args.amount:Number > 500)]>)"##],
    ),
    (
        "nested_text_is_searched_by_text",
        r##"contract no_key { guarantee never call upload(text(args) matches /AKIA[0-9A-Z]{16}/) }
"##,
        &[r##"no_key Guarantee: G(!<call upload [(Text(args) ~ /AKIA[0-9A-Z]{16}/)]>)"##],
    ),
    (
        "next_call_ignores_returns",
        r##"contract read_back { guarantee always (call write implies next call read) }
"##,
        &[r##"read_back Guarantee: G((<call write> -> X(<call read>)))"##],
    ),
    (
        "next_call_wrong_tool",
        r##"contract read_back { guarantee call write immediately leads to call read }
"##,
        &[r##"read_back Guarantee: G((<call write> -> X(<call read>)))"##],
    ),
    (
        "no_email_after_secret_read",
        r##"contract no_exfiltration { guarantee never call send_email after success read_secret }
"##,
        &[
            r##"no_exfiltration Guarantee: G((<success read_secret> -> WX(G(!<call send_email>))))"##,
        ],
    ),
    (
        "numeric_keys_are_exact",
        r##"contract once for each price { guarantee call bid(args.price == price) at most 1 time }
"##,
        &[
            r##"once Guarantee: !F((<call bid [k0=args.price]> & X(F(<call bid [k0=args.price]>))))"##,
        ],
    ),
    (
        "only_after_never_needed",
        r##"contract verify_first {
  guarantee call transfer only after call verify
}
"##,
        &[r##"verify_first Guarantee: (!<call transfer> W <call verify>)"##],
    ),
    (
        "only_after_success_not_satisfied_by_failure",
        r##"contract tests_pass_first { guarantee call deploy only after success run_tests }
"##,
        &[r##"tests_pass_first Guarantee: (!<call deploy> W <success run_tests>)"##],
    ),
    (
        "path_within",
        r##"contract stay { guarantee call read_file only if path inside "/srv" }
"##,
        &[r##"stay Guarantee: G(!<call read_file [!(args.path inside "/srv")]>)"##],
    ),
    (
        "per_key_next",
        r##"contract commit_follows for each o {
  guarantee call stage(order == o) immediately leads to call commit(order == o)
}
"##,
        &[
            r##"commit_follows Guarantee: G((<call stage [k0=args.order]> -> X(<call commit [k0=args.order]>)))"##,
        ],
    ),
    (
        "provenance_of_an_argument",
        r##"contract token_from_login {
  guarantee call list_files only if access_token in values(success login, result.access_token)
}
"##,
        &[
            r##"token_from_login Guarantee: G(!<call list_files [!(args.access_token in Values{<success login>, result.access_token})]>)"##,
        ],
    ),
    (
        "provenance_spreads_lists",
        r##"contract known_item {
  guarantee call buy only if item_id in values(success search, result.items[*].id)
}
"##,
        &[
            r##"known_item Guarantee: G(!<call buy [!(args.item_id in Values{<success search>, result.items[*].id})]>)"##,
        ],
    ),
    (
        "refused_calls_do_not_count",
        r##"contract few { guarantee call search at most 2 times }
contract no_x { guarantee call search only if q != "x" }
"##,
        &[
            r##"few Guarantee: !F((<call search> & X(F((<call search> & X(F(<call search>)))))))"##,
            r##"no_x Guarantee: G(!<call search [!(args.q != "x")]>)"##,
        ],
    ),
    (
        "regex_is_search_and_linear",
        r##"contract no_rm { guarantee never call bash(command matches /rm\s+-rf/) }
contract slow { guarantee never call bash(command matches /(a+)+$/) }
"##,
        &[
            r##"no_rm Guarantee: G(!<call bash [(args.command ~ /rm\s+-rf/)]>)"##,
            r##"slow Guarantee: G(!<call bash [(args.command ~ /(a+)+$/)]>)"##,
        ],
    ),
    (
        "result_content_is_not_held_against_a_call",
        r##"contract no_keys { guarantee never success read_file(text(result) matches /PRIVATE KEY/) }
"##,
        &[r##"no_keys Guarantee: G(!<success read_file [(Text(result) ~ /PRIVATE KEY/)]>)"##],
    ),
    (
        "returns_out_of_order",
        r##"contract order_known { guarantee call close only after success get_order }
"##,
        &[r##"order_known Guarantee: (!<call close> W <success get_order>)"##],
    ),
    (
        "same_agent_rule",
        r##"contract own_check for each a {
  guarantee call transfer(event.agent == a) only after success verify(event.agent == a)
}
"##,
        &[
            r##"own_check Guarantee: (!<call transfer [k0=event.agent]> W <success verify [k0=event.agent]>)"##,
        ],
    ),
    (
        "sliding_window",
        r##"contract rate { guarantee call api at most 2 times within 60s }
"##,
        &[r##"rate Guarantee: G((<call api> -> (Count{<call api>, within 60s} <= 2)))"##],
    ),
    (
        "success_cap_is_anticipated",
        r##"contract one_payment { guarantee success pay at most 1 time }
"##,
        &[r##"one_payment Guarantee: !F((<success pay> & X(F(<success pay>))))"##],
    ),
    (
        "sum_is_exact_decimal",
        r##"contract budget { guarantee call pay only if sum(call pay, amount) <= 0.3 }
"##,
        &[r##"budget Guarantee: G(!<call pay [!(Sum{<call pay>, args.amount} <= 0.3)]>)"##],
    ),
    (
        "undefined_where_it_does_not_matter",
        r##"contract cap {
  guarantee (call refund only after success approve)
}
contract labelled { guarantee never call tag(label == "bad" and color == "red") }
"##,
        &[
            r##"cap Guarantee: (!<call refund> W <success approve>)"##,
            r##"labelled Guarantee: G(!<call tag [((args.label == "bad") & (args.color == "red"))]>)"##,
        ],
    ),
    (
        "unkeyed_pattern_reaches_later_keys",
        r##"contract after_unlock for each door {
  guarantee call open(door_id == door) only after success master_unlock
}
"##,
        &[
            r##"after_unlock Guarantee: (!<call open [k0=args.door_id]> W <success master_unlock>)"##,
        ],
    ),
    (
        "unknown_outcome_uses_the_cap",
        r##"contract one_refund for each order { guarantee success refund(args.order_id == order) at most 1 time }
"##,
        &[
            r##"one_refund Guarantee: !F((<success refund [k0=args.order_id]> & X(F(<success refund [k0=args.order_id]>))))"##,
        ],
    ),
    (
        "untrusted_recipient",
        r##"contract named_by_user {
  guarantee call send_money only if mentioned(input, recipient) or not mentioned(return any, recipient)
}
"##,
        &[
            r##"named_by_user Guarantee: G(!<call send_money [!(Texts{<input>} mentions args.recipient | !Texts{<return>} mentions args.recipient)]>)"##,
        ],
    ),
    (
        "verdict_pair",
        r##"contract a { guarantee never call x }
contract b { assume never input(text matches /hack/)  guarantee never call y }
contract c { guarantee never call z }
"##,
        &[
            r##"a Guarantee: G(!<call x>)"##,
            r##"b Assume: G(!<input [(text ~ /hack/)]>)"##,
            r##"b Guarantee: G(!<call y>)"##,
            r##"c Guarantee: G(!<call z>)"##,
        ],
    ),
    (
        "wire_name_is_server_and_tool",
        r##"contract no_delete { guarantee never call gh.delete_repo }
"##,
        &[r##"no_delete Guarantee: G(!<call gh.delete_repo>)"##],
    ),
];

#[test]
fn formulas() {
    for (name, policy, want) in POLICIES {
        // One case is about an optional field that is read as it is, which is a warning.
        let library = if *name == "negated_condition_fails_closed_too" {
            super::built(policy)
        } else {
            ok(policy)
        };
        let got = clauses(&library);
        assert_eq!(got, *want, "{name}");
    }
}
