// Lists and paths that do not hold what they seem to.
import type { StructuralRule } from "../rule.ts";
import { calls, example, has, kinds, not, script, text, withArguments } from "./shapes.ts";

export const COLLECTIONS: readonly StructuralRule[] = [
  {
    id: "numeric-sort",
    title: "Numbers are sorted as text",
    severity: "major",
    category: "correctness",
    confidence: 0.85,
    why: "`sort()` without a comparator compares strings: 10 comes before 9.",
    fix: "Give it a comparator: `.sort((a, b) => a - b)`.",
    inTests: true,
    onlyWith: /sort(ed)?\(\s*\)/i,
    match: script({
      all: [
        { kind: "call_expression", has: { field: "function", regex: String.raw`(?s)\.(sort|toSorted)$` } },
        has("arguments", String.raw`^\(\s*\)$`),
        text(
          String.raw`(\.map\(\s*(Number|parseInt|parseFloat|(\(\s*)?\w+(\s*\))?\s*=>\s*(Number\(|parseInt\(|parseFloat\(|\+\w|[\w.]+\.(length|count|price|timestamp)\b))[^;]{0,40}\)|^\[\s*\d+(\.\d+)?(\s*,\s*\d+(\.\d+)?)+\s*,?\s*\])\.(sort|toSorted)\(\)$`,
        ),
      ],
    }),
    fixes: [{ from: /\.sort\(\)$/, to: ".sort((a, b) => a - b)" }],
    bad: example("src/median.ts", "const sorted = values.map(Number).sort();"),
    good: example("src/median.ts", "const sorted = values.map(Number).sort((a, b) => a - b);"),
  },
  {
    id: "modified-while-iterating",
    title: "Collection is changed while it is iterated",
    severity: "major",
    category: "correctness",
    confidence: 0.8,
    why: "The loop then skips elements, or fails (`ConcurrentModificationException`, `dictionary changed size during iteration`).",
    fix: "Iterate over a copy, collect the changes first, or use `removeIf` or a comprehension.",
    inTests: true,
    onlyWith: /\.remove|\.add|\bdel\b/,
    onlyIn: /\bfor\b/,
    match: {
      python: {
        all: [
          {
            any: [
              calls.python(".*", { has: { field: "function", pattern: "$LIST.remove" } }),
              { pattern: "del $LIST[$I]" },
            ],
          },
          {
            inside: {
              kind: "for_statement",
              // Not its `else`, which runs after the loop.
              field: "body",
              has: { field: "right", pattern: "$LIST" },
              stopBy: { kind: "function_definition" },
            },
          },
          // Leaving the loop right after the change is safe.
          not({
            inside: {
              kind: "expression_statement",
              precedes: { any: [{ kind: "break_statement" }, { kind: "return_statement" }], stopBy: "end" },
            },
          }),
          not({ precedes: { any: [{ kind: "break_statement" }, { kind: "return_statement" }], stopBy: "end" } }),
        ],
      },
      java: {
        all: [
          { any: [{ pattern: "$LIST.remove($X)" }, { pattern: "$LIST.add($X)" }] },
          {
            inside: {
              kind: "enhanced_for_statement",
              has: { field: "value", pattern: "$LIST" },
              stopBy: kinds("method_declaration", "lambda_expression"),
            },
          },
          not({
            inside: {
              kind: "expression_statement",
              precedes: { any: [{ kind: "break_statement" }, { kind: "return_statement" }], stopBy: "end" },
            },
          }),
        ],
      },
    },
    bad: example("app/cart.py", "for item in items:", "    if item.gone:", "        items.remove(item)"),
    good: example("app/cart.py", "for item in list(items):", "    if item.gone:", "        items.remove(item)"),
  },
  {
    id: "absolute-part-in-join",
    title: "Absolute part discards the path before it",
    severity: "medium",
    category: "correctness",
    confidence: 0.85,
    why: "Joining with a part that begins with `/` starts again at the root: the folder before it is ignored.",
    fix: "Take the leading slash away.",
    inTests: true,
    onlyWith: /path\.join|path\.resolve/,
    match: {
      python: calls.python(
        String.raw`os\.path\.join`,
        withArguments(String.raw`^\(\s*[^,"']+,\s*(["'][^"']*["'],\s*)?[rf]?["']/`),
      ),
      ...calls.inScript(
        String.raw`path\.resolve`,
        withArguments(
          String.raw`^\(\s*(__dirname|import\.meta\.dirname|process\.cwd\(\)|\w*([rR]oot|[dD]ir|ROOT|DIR)\w*),\s*["']/\w`,
        ),
      ),
    },
    fixes: [{ from: /((?:,|\()\s*["'])\/+(?=\w)/, to: "$1" }],
    bad: example("app/files.py", 'path = os.path.join(folder, "/report.csv")'),
    good: example("app/files.py", 'path = os.path.join(folder, "report.csv")'),
  },
];
