// Conditions that cannot mean what they say.
import type { SgNode } from "@ast-grep/napi";
import type { Shape, StructuralRule } from "../rule.ts";
import { example, has, node, not, script, within } from "./shapes.ts";

/** Both operands are the same expression, and evaluating it twice has no effect of its own. */
function sameOperands(kind: string, operators: string, calls: readonly string[]): Shape {
  return node(
    kind,
    has("operator", `^(${operators})$`),
    { has: { field: "left", pattern: "$SAME" } },
    { has: { field: "right", pattern: "$SAME" } },
    ...calls.map((call) => not(within({ kind: call }))),
  );
}

/** Whether the first part reads like the last, white space aside. */
function sameEnds(node: SgNode): boolean {
  const parts = node.children();
  const [first, last] = [parts.at(0), parts.at(-1)].map((part) => part?.text().replace(/\s+/g, ""));
  return first === last;
}

const literalAssigned = (right: string): Shape => ({
  kind: "assignment_expression",
  has: { field: "right", regex: right },
});

const LITERAL = String.raw`^(true|false|null|undefined|\d+|["'][^"']*["'])$`;

export const CONDITIONS: readonly StructuralRule[] = [
  {
    id: "self-comparison",
    title: "Both sides of the operator are the same",
    severity: "major",
    category: "correctness",
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
    category: "correctness",
    confidence: 0.95,
    why: "The variable is overwritten, and the condition is always the same.",
    fix: "Write `===` (`==` in PHP and Ruby).",
    inTests: true,
    onlyWith: /=\s*(true|false|null|undefined|nil|\d+|:\S+|"[^"]*"|'[^']*'|"[^']*'|'[^"]*")$/i,
    match: {
      ...script({
        ...literalAssigned(LITERAL),
        inside: { kind: "parenthesized_expression", inside: { kind: "if_statement", field: "condition" } },
      }),
      php: {
        ...literalAssigned(`(?i)${LITERAL}`),
        inside: { kind: "parenthesized_expression", inside: { kind: "if_statement", field: "condition" } },
      },
      ruby: {
        kind: "assignment",
        has: { field: "right", regex: String.raw`^(true|false|nil|\d+|:\w+|"[^"#]*"|'[^']*')$` },
        inside: { any: [{ kind: "if" }, { kind: "unless" }, { kind: "if_modifier" }], field: "condition" },
      },
    },
    fixes: [
      { from: /(?<!\s)\s*=\s*/, to: " === ", languages: ["javascript", "typescript"] },
      { from: /(?<!\s)\s*=\s*/, to: " == ", languages: ["php", "ruby"] },
    ],
    bad: example("src/order.ts", 'if (order.state = "paid") ship(order);'),
    good: example("src/order.ts", 'if (order.state === "paid") ship(order);'),
  },
];
