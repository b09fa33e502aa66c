// Branches that never run, or that do not differ.
import type { StructuralRule } from "../rule.ts";
import { example, has, node, not, script, within } from "./shapes.ts";

export const BRANCHES: readonly StructuralRule[] = [
  {
    id: "same-branches",
    title: "Both branches do the same",
    severity: "medium",
    category: "correctness",
    confidence: 0.8,
    why: "The condition decides nothing, so one branch was probably left over from a copy.",
    fix: "Change the branch that is wrong, or drop the condition.",
    onlyWith: /else|\?/,
    match: {
      ...script(
        {
          all: [
            { kind: "if_statement", pattern: "if ($C) { $$$SAME } else { $$$SAME }" },
            not({ pattern: "if ($C) {} else {}" }),
          ],
        },
        node(
          "ternary_expression",
          { has: { field: "consequence", pattern: "$SAME" } },
          { has: { field: "alternative", pattern: "$SAME" } },
        ),
      ),
      python: node(
        "conditional_expression",
        { has: { nthChild: 1, pattern: "$SAME" } },
        { has: { nthChild: 3, pattern: "$SAME" } },
        not(within({ kind: "escape_sequence" })),
      ),
      go: node(
        "if_statement",
        { has: { field: "consequence", pattern: "$SAME" } },
        { has: { field: "alternative", kind: "block", pattern: "$SAME" } },
        not(has("consequence", String.raw`^\{\s*\}$`)),
      ),
      java: [
        node(
          "ternary_expression",
          { has: { field: "consequence", pattern: "$SAME" } },
          { has: { field: "alternative", pattern: "$SAME" } },
        ),
        node(
          "if_statement",
          { has: { field: "consequence", kind: "block", pattern: "$SAME" } },
          { has: { field: "alternative", kind: "block", pattern: "$SAME" } },
          not(has("consequence", String.raw`^\{\s*\}$`)),
        ),
      ],
      php: node(
        "conditional_expression",
        { has: { field: "body", pattern: "$SAME" } },
        { has: { field: "alternative", pattern: "$SAME" } },
      ),
      ruby: node(
        "conditional",
        { has: { field: "consequence", pattern: "$SAME" } },
        { has: { field: "alternative", pattern: "$SAME" } },
      ),
    },
    bad: example("src/sort.ts", "const step = ascending ? 1 : 1;"),
    good: example("src/sort.ts", "const step = ascending ? 1 : -1;"),
  },
  {
    id: "duplicate-condition",
    title: "Condition was already tested by the branch before",
    severity: "major",
    category: "correctness",
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
        { has: { field: "condition", pattern: "$SAME" } },
        { inside: { kind: "if_statement", field: "alternative", has: { field: "condition", pattern: "$SAME" } } },
        not({
          has: {
            field: "condition",
            any: [{ kind: "method_invocation" }, { has: { kind: "method_invocation", stopBy: "end" } }],
          },
        }),
      ),
      python: node(
        "elif_clause",
        { has: { field: "condition", pattern: "$SAME" } },
        {
          any: [
            { inside: { kind: "if_statement", has: { field: "condition", pattern: "$SAME" } } },
            { follows: { kind: "elif_clause", has: { field: "condition", pattern: "$SAME" }, stopBy: "end" } },
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
];
