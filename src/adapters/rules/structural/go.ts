// Errors of Go that are dropped or answered without stopping, and deferred calls that come too late.
import type { StructuralRule } from "../rule.ts";
import { example, has, kinds, node, not, text } from "./shapes.ts";

export const GO: readonly StructuralRule[] = [
  {
    id: "discarded-error",
    title: "Error of a call that can fail is discarded",
    severity: "medium",
    category: "reliability",
    confidence: 0.7,
    why: "When the call fails the program goes on with an empty value, and the cause is lost.",
    fix: "Check the error and return it.",
    onlyWith: /_\s*:?=/,
    match: {
      go: {
        all: [
          kinds("short_var_declaration", "assignment_statement"),
          has("left", String.raw`(^|,\s*)_$`),
          has(
            "right",
            String.raw`^(json\.(Unmarshal|NewDecoder\([^()]*\)\.Decode)|yaml\.Unmarshal|xml\.Unmarshal|proto\.Unmarshal|io\.ReadAll|ioutil\.ReadAll|os\.(Open|Create|ReadFile|WriteFile|OpenFile)|http\.NewRequest(WithContext)?|rand\.Read|net\.Dial|sql\.Open)\(`,
          ),
        ],
      },
    },
    bad: example("load.go", "_ = json.Unmarshal(body, &order)"),
    good: example("load.go", "if err := json.Unmarshal(body, &order); err != nil {", "\treturn err", "}"),
  },
  {
    id: "response-without-return",
    title: "Handler goes on after it has answered with an error",
    severity: "major",
    category: "correctness",
    confidence: 0.8,
    why: "What follows runs although the check failed, and writes a second answer.",
    fix: "Put `return` after the answer.",
    onlyWith: /http\.Error/,
    wholeFile: true,
    match: {
      go: node(
        "if_statement",
        not(has("alternative", ".")),
        {
          has: {
            field: "consequence",
            has: {
              kind: "statement_list",
              has: {
                nthChild: { position: 1, reverse: true },
                kind: "expression_statement",
                regex: String.raw`(?s)^http\.Error\(`,
              },
            },
          },
        },
        { precedes: { regex: String.raw`(?s)^[^\s}]`, not: { kind: "comment" } } },
        {
          any: [
            {
              inside: {
                kind: "statement_list",
                inside: { kind: "block", inside: kinds("function_declaration", "method_declaration", "func_literal") },
              },
            },
            { inside: { kind: "source_file" } },
          ],
        },
      ),
    },
    bad: example(
      "orders.go",
      "func orders(w http.ResponseWriter, r *http.Request) {",
      "\tif !allowed(r) {",
      '\t\thttp.Error(w, "forbidden", http.StatusForbidden)',
      "\t}",
      "\tlist(w)",
      "}",
    ),
    good: example(
      "orders.go",
      "func orders(w http.ResponseWriter, r *http.Request) {",
      "\tif !allowed(r) {",
      '\t\thttp.Error(w, "forbidden", http.StatusForbidden)',
      "\t\treturn",
      "\t}",
      "\tlist(w)",
      "}",
    ),
  },
  {
    id: "defer-in-loop",
    title: "`defer` in a loop runs only when the function ends",
    severity: "medium",
    category: "reliability",
    confidence: 0.8,
    why: "Files, rows and locks of every round stay open until then, and a long loop runs out of them.",
    fix: "Close at the end of the round, or move its body into a function.",
    onlyWith: /defer/,
    match: {
      go: node("defer_statement", text(String.raw`\.(Close|Unlock|RUnlock|Release|Rollback|Stop)\(\)$`), {
        inside: { kind: "for_statement", stopBy: kinds("func_literal", "function_declaration", "method_declaration") },
      }),
    },
    bad: example(
      "read.go",
      "for _, name := range names {",
      "\tf, err := os.Open(name)",
      "\tif err != nil {",
      "\t\treturn err",
      "\t}",
      "\tdefer f.Close()",
      "}",
    ),
    good: example(
      "read.go",
      "for _, name := range names {",
      "\tfunc() {",
      "\t\tf := open(name)",
      "\t\tdefer f.Close()",
      "\t}()",
      "}",
    ),
  },
];
