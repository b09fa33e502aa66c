// Lists, maps and switches that hold something else than written.
import type { SgNode } from "@ast-grep/napi";
import type { StructuralRule } from "../rule.ts";
import { call, example, has, kinds, not, script, text, withArguments } from "./shapes.ts";

/** An entry whose key, a literal or a plain name, stood before in the same literal. */
function repeated(kind: string, key: string) {
  return {
    all: [
      { kind, has: { field: "key", pattern: "$KEY", regex: key } },
      { follows: { kind, stopBy: "end", has: { field: "key", pattern: "$KEY" } } },
    ],
  };
}

/** Entries whose key occurs more than once in their literal. */
function withSharedKey(entries: readonly SgNode[]): SgNode[] {
  const shared = new Map<number, ReadonlySet<string>>();
  return entries.filter((entry) => {
    const literal = entry.parent();
    if (literal === null) return false;
    const keys = shared.get(literal.id()) ?? sharedKeys(literal);
    shared.set(literal.id(), keys);
    return keys.has(keyOf(entry));
  });
}

function sharedKeys(literal: SgNode): ReadonlySet<string> {
  const keys = literal.namedChildren().map(keyOf);
  const once = new Set<string>();
  return new Set(keys.filter((key) => once.has(key) || !once.add(key)));
}

function keyOf(entry: SgNode): string {
  return entry.field("key")?.text() ?? "";
}

export const COLLECTIONS: readonly StructuralRule[] = [
  {
    id: "duplicate-key",
    title: "Key stands twice in the same literal",
    severity: "medium",
    category: "correctness",
    confidence: 0.9,
    why: "The later value silently replaces the earlier one.",
    fix: "Remove one of them, or rename the key that was meant to differ.",
    inTests: true,
    onlyWith: /:|=>/,
    among: withSharedKey,
    match: {
      ...script(repeated("pair", String.raw`^([\w$]+|"[^"]*"|'[^']*')$`)),
      // ast-grep takes Python strings with escapes for equal when they are not.
      python: repeated("pair", String.raw`^("[^"\\]*"|'[^'\\]*'|\d+)$`),
      ruby: repeated("pair", String.raw`^([\w:]+|"[^"#]*"|'[^']*')$`),
    },
    bad: [
      example("src/labels.js", "const labels = { open: 1, closed: 2, open: 3 };"),
      example("app/labels.py", 'labels = {"open": 1, "closed": 2, "open": 3}'),
      example("lib/labels.rb", "labels = { open: 1, closed: 2, open: 3 }"),
    ],
    good: [
      example("src/labels.js", "const labels = { open: 1, nested: { open: 3 } };"),
      example("app/labels.py", 'labels = {"open": 1, key(): 2, key(): 3}'),
    ],
  },
  {
    id: "duplicate-case",
    title: "Case stands twice in the same switch",
    severity: "major",
    category: "correctness",
    confidence: 0.9,
    why: "The first one takes every such value, so this one never runs.",
    fix: "Correct the value, or merge the two.",
    inTests: true,
    onlyWith: /case/,
    match: {
      ...script({
        all: [
          { kind: "switch_case", has: { field: "value", pattern: "$VALUE" } },
          { follows: { kind: "switch_case", stopBy: "end", has: { field: "value", pattern: "$VALUE" } } },
        ],
      }),
      php: {
        all: [
          { kind: "case_statement", has: { field: "value", pattern: "$VALUE" } },
          { follows: { kind: "case_statement", stopBy: "end", has: { field: "value", pattern: "$VALUE" } } },
        ],
      },
    },
    bad: [
      example(
        "src/keys.ts",
        "switch (key) {",
        '  case "Enter": open(); break;',
        '  case "Escape": close(); break;',
        '  case "Enter": submit(); break;',
        "}",
      ),
      example(
        "keys.php",
        '<?php switch ($key) { case "a": open(); break; case "b": close(); break; case "a": submit(); break; }',
      ),
    ],
    good: [
      example(
        "src/keys.ts",
        "switch (key) {",
        '  case "Enter": open(); break;',
        '  case "Escape": close(); break;',
        "}",
      ),
      example("keys.php", '<?php switch ($key) { case "a": open(); break; case "b": close(); break; }'),
    ],
  },
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
    bad: [
      example("src/median.ts", "const sorted = values.map(Number).sort();"),
      example("src/median.js", "const sorted = [10, 9, 1].sort();"),
      example("src/median.js", "const sizes = files.map((file) => file.lines.length).sort();"),
    ],
    good: [
      example("src/median.ts", "const sorted = values.map(Number).sort((a, b) => a - b);"),
      example("src/names.ts", "const sorted = users.map((user) => user.name).sort();"),
    ],
  },
  {
    id: "array-delete",
    title: "`delete` leaves a hole in the array",
    severity: "medium",
    category: "correctness",
    confidence: 0.8,
    why: "The length stays, and the element becomes an empty slot that loops and `map` treat differently.",
    fix: "Use `splice(index, 1)` or `filter`.",
    inTests: true,
    onlyWith: /delete\s/,
    match: script({
      kind: "unary_expression",
      regex: String.raw`^delete\s+[\w.]*([aA]rray|[lL]ist|[iI]tems|[rR]ows|[eE]lements|[aA]rr)\[(\d+|i|j|index|idx)\]$`,
    }),
    bad: [example("src/cart.ts", "delete items[index];"), example("src/cart.js", "delete this.rows[0];")],
    good: [example("src/cart.ts", "items.splice(index, 1);"), example("src/cart.js", "delete cache[key];")],
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
              call("python", ".*", { has: { field: "function", pattern: "$LIST.remove" } }),
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
    bad: [
      example("app/cart.py", "for item in items:", "    if item.gone:", "        items.remove(item)"),
      example("app/cart.py", "for key in cache:", "    del cache[key]"),
      example(
        "Cart.java",
        "class Cart { void clean() { for (Item item : items) { if (item.gone()) { items.remove(item); } } } }",
      ),
    ],
    good: [
      example("app/cart.py", "for item in list(items):", "    if item.gone:", "        items.remove(item)"),
      example("app/cart.py", "for item in items:", "    if item.gone:", "        items.remove(item)", "        break"),
      example("Cart.java", "class Cart { void clean() { items.removeIf(Item::gone); } }"),
    ],
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
      python: call(
        "python",
        String.raw`os\.path\.join`,
        withArguments(String.raw`^\(\s*[^,"']+,\s*(["'][^"']*["'],\s*)?[rf]?["']/`),
      ),
      ...script(
        call(
          "script",
          String.raw`path\.resolve`,
          withArguments(
            String.raw`^\(\s*(__dirname|import\.meta\.dirname|process\.cwd\(\)|\w*([rR]oot|[dD]ir|ROOT|DIR)\w*),\s*["']/\w`,
          ),
        ),
      ),
    },
    fixes: [{ from: /((?:,|\()\s*["'])\/+(?=\w)/, to: "$1" }],
    bad: [
      example("app/files.py", 'path = os.path.join(folder, "/report.csv")'),
      example("src/files.js", 'const path = path.resolve(__dirname, "/public");'),
    ],
    good: [
      example("app/files.py", 'path = os.path.join(folder, "report.csv")'),
      example("src/files.js", 'const file = path.join(__dirname, "/public");'),
    ],
  },
];
