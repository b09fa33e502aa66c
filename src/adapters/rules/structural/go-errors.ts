// Errors of Go that are dropped, looked at too late, or answered without stopping.
import type { StructuralRule } from "../rule.ts";
import { example, has, kinds, node, not } from "./shapes.ts";

export const GO_ERRORS: readonly StructuralRule[] = [
  {
    id: "defer-before-error-check",
    title: "Value is used before its error is checked",
    severity: "major",
    category: "correctness",
    confidence: 0.9,
    why: "When the call fails the value is nil, and the deferred call panics with it.",
    fix: "Check `err` first, then `defer`.",
    inTests: true,
    onlyWith: /defer/,
    match: {
      go: node(
        "defer_statement",
        { any: [{ pattern: "defer $VALUE.Body.Close()" }, { pattern: "defer $VALUE.Close()" }] },
        {
          follows: {
            any: [{ kind: "short_var_declaration" }, { kind: "assignment_statement" }],
            all: [
              { has: { field: "left", has: { pattern: "$VALUE" } } },
              { has: { field: "left", has: { regex: "^err$" } } },
            ],
          },
        },
      ),
    },
    bad: [
      example(
        "fetch.go",
        "resp, err := client.Do(req)",
        "defer resp.Body.Close()",
        "if err != nil {",
        "\treturn err",
        "}",
      ),
      example("read.go", "f, err := os.Open(name)", "defer f.Close()", "if err != nil {", "\treturn err", "}"),
    ],
    good: [
      example(
        "fetch.go",
        "resp, err := client.Do(req)",
        "if err != nil {",
        "\treturn err",
        "}",
        "defer resp.Body.Close()",
      ),
      example("read.go", "f := open(name)", "defer f.Close()"),
    ],
  },
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
    bad: [
      example("load.go", "_ = json.Unmarshal(body, &order)"),
      example("load.go", "body, _ := io.ReadAll(resp.Body)"),
    ],
    good: [
      example("load.go", "if err := json.Unmarshal(body, &order); err != nil {", "\treturn err", "}"),
      example("load.go", "_ = f.Close()"),
    ],
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
    bad: [
      example(
        "orders.go",
        "func orders(w http.ResponseWriter, r *http.Request) {",
        "\tif !allowed(r) {",
        '\t\thttp.Error(w, "forbidden", http.StatusForbidden)',
        "\t}",
        "\tlist(w)",
        "}",
      ),
      example(
        "orders.go",
        "func orders(w http.ResponseWriter, r *http.Request) {",
        "\trows, err := load()",
        "\tif err != nil {",
        "\t\thttp.Error(w, err.Error(), 500)",
        "\t}",
        "\tjson.NewEncoder(w).Encode(rows)",
        "}",
      ),
    ],
    good: [
      example(
        "orders.go",
        "func orders(w http.ResponseWriter, r *http.Request) {",
        "\tif !allowed(r) {",
        '\t\thttp.Error(w, "forbidden", http.StatusForbidden)',
        "\t\treturn",
        "\t}",
        "\tlist(w)",
        "}",
      ),
      example(
        "orders.go",
        "func orders(w http.ResponseWriter, r *http.Request) {",
        "\tif !allowed(r) {",
        '\t\thttp.Error(w, "forbidden", http.StatusForbidden)',
        "\t}",
        "}",
      ),
    ],
  },
];
