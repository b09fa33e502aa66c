// Branches and comparisons that never run, do not differ, or cannot mean what they say.

import type { SgNode } from "@ast-grep/napi";
import { rulesOf, type Shape, type StructuralRule } from "../rule.ts";
import { calls, example, has, node, not, SCRIPTS, script, text, withArguments, within } from "./shapes.ts";

const PYTHON_NAN = String.raw`float\(["']nan["']\)|(np|numpy|math)\.nan`;

/** One operand of == or the like is NaN. */
function nanOperand(kind: string, nan: string): Shape {
  const regex = `^(${nan})$`;
  return node(kind, has("operator", "^([=!]==?|[<>]=?)$"), { any: [has("left", regex), has("right", regex)] });
}

/** Every field that this is asked of holds the same. */
function same(field: string): Shape {
  return { has: { field, pattern: "$SAME" } };
}

/** Both operands are the same expression, and evaluating it twice has no effect of its own. */
function sameOperands(kind: string, operators: string, effects: readonly string[]): Shape {
  return node(
    kind,
    has("operator", `^(${operators})$`),
    same("left"),
    same("right"),
    ...effects.map((effect) => not(within({ kind: effect }))),
  );
}

/** Whether the first part reads like the last, white space aside. */
function sameEnds(node: SgNode): boolean {
  const parts = node.children();
  const [first, last] = [parts.at(0), parts.at(-1)].map((part) => part?.text().replace(/\s+/g, ""));
  return first === last;
}

/** An expression that is negated, or the condition of an `if`. */
function asBoolean(negation: Shape): Shape {
  return {
    any: [{ inside: negation }, { inside: { kind: "parenthesized_expression", inside: { kind: "if_statement" } } }],
  };
}

/** A condition that is nothing but an assignment. */
function assigned(right: string): Shape {
  return {
    kind: "assignment_expression",
    has: { field: "right", regex: right },
    inside: { kind: "parenthesized_expression", inside: { kind: "if_statement", field: "condition" } },
  };
}

const LITERAL = String.raw`^(true|false|null|undefined|\d+|["'][^"']*["'])$`;

export const CONDITIONS = rulesOf<StructuralRule>("correctness", [
  {
    id: "same-branches",
    title: "Both branches do the same",
    severity: "medium",
    confidence: 0.8,
    why: "The condition decides nothing, so one branch was probably left over from a copy.",
    fix: "Change the branch that is wrong, or drop the condition.",
    onlyWith: /else|\?/,
    match: {
      ...script(
        node(
          "if_statement",
          { pattern: "if ($C) { $$$SAME } else { $$$SAME }" },
          not({ pattern: "if ($C) {} else {}" }),
        ),
        node("ternary_expression", same("consequence"), same("alternative")),
      ),
      python: node(
        "conditional_expression",
        { has: { nthChild: 1, pattern: "$SAME" } },
        { has: { nthChild: 3, pattern: "$SAME" } },
        not(within({ kind: "escape_sequence" })),
      ),
      go: node(
        "if_statement",
        same("consequence"),
        { has: { field: "alternative", kind: "block", pattern: "$SAME" } },
        not(has("consequence", String.raw`^\{\s*\}$`)),
      ),
      java: [
        node("ternary_expression", same("consequence"), same("alternative")),
        node(
          "if_statement",
          { has: { field: "consequence", kind: "block", pattern: "$SAME" } },
          { has: { field: "alternative", kind: "block", pattern: "$SAME" } },
          not(has("consequence", String.raw`^\{\s*\}$`)),
        ),
      ],
      php: node("conditional_expression", same("body"), same("alternative")),
      ruby: node("conditional", same("consequence"), same("alternative")),
    },
    bad: example("src/sort.ts", "const step = ascending ? 1 : 1;"),
    good: example("src/sort.ts", "const step = ascending ? 1 : -1;"),
  },
  {
    id: "duplicate-condition",
    title: "Condition was already tested by the branch before",
    severity: "major",
    confidence: 0.9,
    why: "The branch before takes every such case, so this one never runs.",
    fix: "Test what was meant here, or remove the branch.",
    inTests: true,
    onlyWith: /if\b/,
    among: (nodes) => nodes.filter((node) => node.is("elif_clause") || node.parent()?.is("if_statement") === true),
    onlyIn: /else|elif/,
    match: {
      java: node(
        "if_statement",
        same("condition"),
        { inside: { kind: "if_statement", field: "alternative", ...same("condition") } },
        not({
          has: {
            field: "condition",
            any: [{ kind: "method_invocation" }, { has: { kind: "method_invocation", stopBy: "end" } }],
          },
        }),
      ),
      python: node(
        "elif_clause",
        same("condition"),
        {
          any: [
            { inside: { kind: "if_statement", ...same("condition") } },
            { follows: { kind: "elif_clause", ...same("condition"), stopBy: "end" } },
          ],
        },
        {
          any: [
            has("condition", String.raw`^(not )?isinstance\([^()]*\)$`),
            not({ has: { field: "condition", any: [{ kind: "call" }, { has: { kind: "call", stopBy: "end" } }] } }),
          ],
        },
        // ast-grep takes Python strings with escapes for equal when they are not.
        not({ has: { field: "condition", has: { kind: "escape_sequence", stopBy: "end" } } }),
      ),
    },
    bad: example("app/size.py", "if size > 10:", "    big()", "elif size > 10:", "    bigger()"),
    good: example("Size.java", "class Size { void run() { if (size > 100) bigger(); else if (size > 10) big(); } }"),
  },
  {
    id: "nan-comparison",
    title: "Comparison with NaN is always false",
    severity: "major",
    confidence: 0.95,
    why: "NaN is not equal to anything, itself included, so the branch never runs.",
    fix: "Ask with the function for it: `Number.isNaN(x)`, `math.isnan(x)`, `math.IsNaN(x)`, `x.is_nan()`.",
    inTests: true,
    onlyWith: /nan/i,
    match: {
      ...script(nanOperand("binary_expression", String.raw`(Number\.)?NaN`)),
      python: { kind: "comparison_operator", regex: `(?s)(^(${PYTHON_NAN})\\s*[=!]=|[=!]=\\s*(${PYTHON_NAN})$)` },
      go: nanOperand("binary_expression", String.raw`math\.NaN\(\)`),
      java: nanOperand("binary_expression", String.raw`(Double|Float)\.NaN`),
      rust: nanOperand("binary_expression", "(std::)?f(32|64)(::consts)?::NAN"),
      ruby: nanOperand("binary", "Float::NAN"),
      php: nanOperand("binary_expression", "NAN"),
    },
    fixes: [
      { from: /^([\w.$]+)\s*===?\s*(?:Number\.)?NaN$/, to: "Number.isNaN($1)", languages: SCRIPTS },
      { from: /^([\w.$]+)\s*!==?\s*(?:Number\.)?NaN$/, to: "!Number.isNaN($1)", languages: SCRIPTS },
      { from: /^([\w.]+)\s*==\s*(np|numpy|math)\.nan$/, to: "$2.isnan($1)", languages: ["python"] },
      { from: /^(\w+)\s*==\s*math\.NaN\(\)$/, to: "math.IsNaN($1)", languages: ["go"] },
      { from: /^([\w.]+)\s*==\s*(Double|Float)\.NaN$/, to: "$2.isNaN($1)", languages: ["java"] },
      { from: /^([\w.]+)\s*==\s*f(?:32|64)::NAN$/, to: "$1.is_nan()", languages: ["rust"] },
      { from: /^([\w.]+)\s*==\s*Float::NAN$/, to: "$1.nan?", languages: ["ruby"] },
      { from: /^(\$\w+)\s*===?\s*NAN$/, to: "is_nan($1)", languages: ["php"] },
    ],
    bad: example("src/mean.ts", "if (mean === NaN) return 0;"),
    good: example("src/mean.ts", "if (Number.isNaN(mean)) return 0;"),
  },
  {
    id: "is-literal",
    title: "`is` compares identity with a literal",
    severity: "major",
    confidence: 0.95,
    why: "Whether two equal strings or numbers are one object depends on the interpreter, so this works in one run and fails in another.",
    fix: "Compare values with `==` or `!=`.",
    inTests: true,
    wholeFile: true,
    onlyWith: /\sis\s/,
    match: {
      python: node(
        "comparison_operator",
        {
          any: ["string", "integer", "float", "list", "dictionary", "tuple", "set"].map((kind) => ({ has: { kind } })),
        },
        text(String.raw`\sis\s+(not\s+)?(["'\[{(]|\d|[rbuf]["'])|^(["']|\d).*\sis\s`),
        not(text(String.raw`\bis\s+(not\s+)?\(\s*$`)),
      ),
    },
    fixes: [
      { from: /\bis not\b/, to: "!=" },
      { from: /\bis\b/, to: "==" },
    ],
    bad: example("app/state.py", 'if state is "paid":', "    ship()"),
    good: example("app/state.py", 'if state == "paid":', "    ship()"),
  },
  {
    id: "string-identity",
    title: "Strings are compared by identity",
    severity: "major",
    confidence: 0.9,
    why: "`==` asks whether both are one object; equal strings that were read or built at run time are not.",
    fix: 'Use `equals`: `"paid".equals(state)`.',
    inTests: true,
    onlyWith: /[=!]=/,
    match: {
      java: node("binary_expression", has("operator", "^[=!]=$"), {
        any: [{ has: { field: "left", kind: "string_literal" } }, { has: { field: "right", kind: "string_literal" } }],
      }),
    },
    fixes: [
      { from: /^(\w+)\s*==\s*("[^"]*")$/, to: "$2.equals($1)" },
      { from: /^("[^"]*")\s*==\s*(\w+)$/, to: "$1.equals($2)" },
      { from: /^(\w+)\s*!=\s*("[^"]*")$/, to: "!$2.equals($1)" },
    ],
    bad: example("Order.java", 'class Order { boolean paid() { return state == "paid"; } }'),
    good: example("Order.java", 'class Order { boolean paid() { return "paid".equals(state); } }'),
  },
  {
    id: "strpos-as-boolean",
    title: "Position 0 is taken for not found",
    severity: "major",
    confidence: 0.9,
    why: "When the text begins with the needle the position is 0, which is false too.",
    fix: "Write `str_contains(…)`, or compare with `!== false`.",
    inTests: true,
    onlyWith: /str(r|i)?i?pos|array_search|ndexOf\s*\(["'`]/,
    match: {
      php: [
        node(
          "binary_expression",
          has("operator", "^(==|!=)$"),
          has("left", String.raw`(?s)^(strpos|stripos|strrpos|mb_strpos|array_search)\(`),
          has("right", "^(?i:false|true)$"),
        ),
        calls.php("strpos|stripos|mb_strpos", asBoolean({ kind: "unary_op_expression" })),
      ],
      ...calls.inScript(
        String.raw`(?s).*\.(indexOf|lastIndexOf)`,
        withArguments("^\\([\"'`]"),
        asBoolean({ kind: "unary_expression", regex: "^!" }),
      ),
    },
    fixes: [
      { from: /\)\s*([=!])=\s*(false|true)$/i, to: ") $1== $2", languages: ["php"] },
      { from: /^(mb_)?strpos\(/, to: "str_contains(", languages: ["php"] },
    ],
    bad: example("search.php", '<?php if (strpos($path, "/admin") == false) { allow(); }'),
    good: example("search.php", '<?php if (strpos($path, "/admin") === false) { allow(); }'),
  },
  {
    id: "self-comparison",
    title: "Both sides of the operator are the same",
    severity: "major",
    confidence: 0.85,
    why: "The result is always the same, so one side was probably meant to be something else.",
    fix: "Compare with the other value; to test for NaN write `Number.isNaN`, `math.isnan` or the like.",
    among: (nodes) => nodes.filter(sameEnds),
    match: {
      // `!=` is left out: x != x is the old way to ask for NaN.
      ...script(
        sameOperands("binary_expression", String.raw`===?|<=?|>=?|&&|\|\||-`, [
          "call_expression",
          "update_expression",
          "await_expression",
          "number",
        ]),
      ),
      python: [
        node(
          "comparison_operator",
          {
            any: [
              { pattern: "$SAME == $SAME" },
              { pattern: "$SAME < $SAME" },
              { pattern: "$SAME > $SAME" },
              { pattern: "$SAME is $SAME" },
            ],
          },
          not(within({ kind: "call" })),
          not(within({ kind: "integer" })),
          not(within({ kind: "escape_sequence" })),
        ),
        sameOperands("boolean_operator", "and|or", ["call"]),
      ],
      java: sameOperands("binary_expression", String.raw`==|<=?|>=?|&&|\|\||-`, [
        "method_invocation",
        "decimal_integer_literal",
      ]),
      php: sameOperands("binary_expression", String.raw`===?|<=?|>=?|&&|\|\|`, [
        "function_call_expression",
        "member_call_expression",
        "integer",
      ]),
    },
    bad: example("src/range.ts", "if (range.start === range.start) return;"),
    good: example("src/range.ts", "if (range.start === other.start) return;"),
  },
  {
    id: "assignment-in-condition",
    title: "Condition assigns instead of comparing",
    severity: "major",
    confidence: 0.95,
    why: "The variable is overwritten, and the condition is always the same.",
    fix: "Write `===` (`==` in PHP and Ruby).",
    inTests: true,
    onlyWith: /=\s*(true|false|null|undefined|nil|\d+|:\S+|"[^"]*"|'[^']*'|"[^']*'|'[^"]*")$/i,
    match: {
      ...script(assigned(LITERAL)),
      php: assigned(`(?i)${LITERAL}`),
      ruby: {
        kind: "assignment",
        has: { field: "right", regex: String.raw`^(true|false|nil|\d+|:\w+|"[^"#]*"|'[^']*')$` },
        inside: { any: [{ kind: "if" }, { kind: "unless" }, { kind: "if_modifier" }], field: "condition" },
      },
    },
    fixes: [
      { from: /(?<!\s)\s*=\s*/, to: " === ", languages: SCRIPTS },
      { from: /(?<!\s)\s*=\s*/, to: " == ", languages: ["php", "ruby"] },
    ],
    bad: example("src/order.ts", 'if (order.state = "paid") ship(order);'),
    good: example("src/order.ts", 'if (order.state === "paid") ship(order);'),
  },
]);
