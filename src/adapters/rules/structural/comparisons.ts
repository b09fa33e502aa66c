// Comparisons that are always false, or that compare something else than values.
import type { Shape, StructuralRule } from "../rule.ts";
import { calls, example, has, node, not, script, text, withArguments } from "./shapes.ts";

const NAN: Readonly<Record<string, string>> = {
  script: String.raw`(Number\.)?NaN`,
  python: String.raw`float\(["']nan["']\)|(np|numpy|math)\.nan`,
  go: String.raw`math\.NaN\(\)`,
  java: String.raw`(Double|Float)\.NaN`,
  rust: "(std::)?f(32|64)(::consts)?::NAN",
  ruby: "Float::NAN",
  php: "NAN",
};

/** One operand of == or the like is NaN. */
function nanOperand(kind: string, nan: string | undefined): Shape {
  const regex = `^(${nan})$`;
  return node(kind, has("operator", "^([=!]==?|[<>]=?)$"), { any: [has("left", regex), has("right", regex)] });
}

export const COMPARISONS: readonly StructuralRule[] = [
  {
    id: "nan-comparison",
    title: "Comparison with NaN is always false",
    severity: "major",
    category: "correctness",
    confidence: 0.95,
    why: "NaN is not equal to anything, itself included, so the branch never runs.",
    fix: "Ask with the function for it: `Number.isNaN(x)`, `math.isnan(x)`, `math.IsNaN(x)`, `x.is_nan()`.",
    inTests: true,
    onlyWith: /nan/i,
    match: {
      ...script(nanOperand("binary_expression", NAN.script)),
      python: { kind: "comparison_operator", regex: `(?s)(^(${NAN.python})\\s*[=!]=|[=!]=\\s*(${NAN.python})$)` },
      go: nanOperand("binary_expression", NAN.go),
      java: nanOperand("binary_expression", NAN.java),
      rust: nanOperand("binary_expression", NAN.rust),
      ruby: nanOperand("binary", NAN.ruby),
      php: nanOperand("binary_expression", NAN.php),
    },
    fixes: [
      {
        from: /^([\w.$]+)\s*===?\s*(?:Number\.)?NaN$/,
        to: "Number.isNaN($1)",
        languages: ["javascript", "typescript"],
      },
      {
        from: /^([\w.$]+)\s*!==?\s*(?:Number\.)?NaN$/,
        to: "!Number.isNaN($1)",
        languages: ["javascript", "typescript"],
      },
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
    category: "correctness",
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
    category: "correctness",
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
    category: "correctness",
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
        calls.php("strpos|stripos|mb_strpos", {
          any: [
            { inside: { kind: "unary_op_expression" } },
            { inside: { kind: "parenthesized_expression", inside: { kind: "if_statement" } } },
          ],
        }),
      ],
      ...calls.inScript(String.raw`(?s).*\.(indexOf|lastIndexOf)`, withArguments("^\\([\"'`]"), {
        any: [
          { inside: { kind: "unary_expression", regex: "^!" } },
          { inside: { kind: "parenthesized_expression", inside: { kind: "if_statement" } } },
        ],
      }),
    },
    fixes: [
      { from: /\)\s*([=!])=\s*(false|true)$/i, to: ") $1== $2", languages: ["php"] },
      { from: /^(mb_)?strpos\(/, to: "str_contains(", languages: ["php"] },
    ],
    bad: example("search.php", '<?php if (strpos($path, "/admin") == false) { allow(); }'),
    good: example("search.php", '<?php if (strpos($path, "/admin") === false) { allow(); }'),
  },
];
