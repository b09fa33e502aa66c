// What every reader of names keeps, in languages with a grammar and in those read by words.
import { describe, expect, test } from "vitest";
import { blobSha } from "../../../src/adapters/blob-cache.ts";
import type { Snapshot } from "../../../src/ports/snapshot.ts";
import type { SoughtNames, Symbols } from "../../../src/ports/symbols.ts";

/** A snapshot of these texts. */
export function snapshotOf(texts: Readonly<Record<string, string>>): Snapshot {
  const files = Object.entries(texts).map(([path, text]) => {
    const bytes = Buffer.from(text);
    return [path, { path, blob: blobSha(bytes), bytes: bytes.length }] as const;
  });
  return { sha: "a".repeat(40), files: new Map(files), text: async (path) => texts[path] ?? null };
}

export function changed(...names: readonly string[]): SoughtNames {
  return { used: new Set(), changed: new Set(names), near: [] };
}

/**
 * A definition of `priceOf` on line 2, a use on line 2 of another file, and words that are neither.
 */
const LANGUAGES: readonly (readonly [language: string, defines: readonly string[], uses: readonly string[]])[] = [
  [
    "ts",
    ["// priceOf", "export function priceOf(n: number) {", "  return n;", "}"],
    ['const s = "priceOf";', "priceOf(1);"],
  ],
  ["js", ["// priceOf", "function priceOf(n) {", "  return n;", "}"], ["// priceOf", "priceOf(1);"]],
  ["py", ["# priceOf", "def priceOf(n):", "    return n", ""], ['s = "priceOf"', "priceOf(1)"]],
  ["go", ["package a", "func priceOf(n int) int {", "  return n", "}"], ["package b", "var x = priceOf(1)"]],
  [
    "java",
    ["class A {", "  int priceOf(int n) {", "    return n;", "} }"],
    ["class B {", "  int x = priceOf(1);", "}"],
  ],
  ["rb", ["# priceOf", "def priceOf(n)", "  n", "end"], ["# priceOf", "priceOf(1)"]],
  ["rs", ["// priceOf", "fn priceOf(n: i32) -> i32 {", "  n", "}"], ["fn main() {", "  priceOf(1);", "}"]],
  ["kt", ["// priceOf", "fun priceOf(n: Int): Int {", "  return n", "}"], ["fun main() {", "  priceOf(1)", "}"]],
  ["swift", ["// priceOf", "func priceOf(n: Int) -> Int {", "  return n", "}"], ["// priceOf", "priceOf(n: 1)"]],
  ["php", ["<?php", "function priceOf($n) {", "  return $n;", "}"], ["<?php", "priceOf(1);"]],
];

type Taken = readonly [ending: string, text: string, takes: object | null, calls: readonly (readonly unknown[])[]];

/**
 * One function in each language, and calls of it: what stands before the name, and the arguments.
 */
const TAKES: readonly Taken[] = [
  [
    "ts",
    "function priceOf(this: X, a: number, { b }: Y, c?: string, ...d: string[]) {}\nx.priceOf(1, y);\npriceOf(...z);",
    { names: ["a", "", "c"], least: 2, most: null },
    [
      ["x", ["1", "y"]],
      [null, null],
    ],
  ],
  ["js", "const priceOf = (a, b = 1) => priceOf(a);", { names: ["a", "b"], least: 0, most: null }, [[null, ["a"]]]],
  [
    "py",
    "class A:\n  @staticmethod\n  def priceOf(a: int, b=1, *, c):\n    A.priceOf(1, c=2)\n    priceOf(*a)\n",
    { names: ["a", "b", "c"], least: 2, most: 3 },
    [
      ["A", ["1", "c=2"]],
      [null, null],
    ],
  ],
  ["py", "@cached\ndef priceOf(a):\n  pass\n", null, []],
  [
    "go",
    "package a\nfunc (s *Shop) priceOf(a, b int, c ...string) { s.priceOf(1, 2); priceOf(f()) }",
    { names: ["a", "b"], least: 2, most: null },
    [
      ["s", ["1", "2"]],
      [null, null],
    ],
  ],
  [
    "java",
    'class A { int priceOf(int a, String... b) { return this.priceOf(1, "x, y"); } }',
    { names: ["a"], least: 1, most: null },
    [["this", ["1", '"x, y"']]],
  ],
  [
    "rb",
    "def priceOf(a, b = 2, &c)\n  priceOf(a, x: 1)\nend",
    { names: ["a", "b"], least: 1, most: 2 },
    [[null, null]],
  ],
  ["rb", "def priceOf(a:)\nend", null, []],
  [
    "rs",
    "impl A { fn priceOf(&self, a: i32) { self.priceOf(1); } }",
    { names: ["a"], least: 1, most: 1 },
    [["self", ["1"]]],
  ],
  [
    "php",
    "<?php function priceOf($a, $b = 1) { $this->priceOf(2); priceOf(...$a); }",
    { names: ["a", "b"], least: 1, most: null },
    [
      ["$this", ["2"]],
      [null, null],
    ],
  ],
];

/** @param reader makes one of a review */
export function symbolsContract(name: string, reader: () => Symbols): void {
  describe(`${name} keeps the promises of a reader of names`, () => {
    test.each(LANGUAGES)(
      "%s: a name is found where it is defined and where it is used",
      async (ending, defines, uses) => {
        const head = snapshotOf({ [`a.${ending}`]: defines.join("\n"), [`b.${ending}`]: uses.join("\n") });
        const { symbols, degraded } = await reader().find(head, changed("priceOf", "isNowhere"));
        expect(degraded).toEqual([]);
        expect([...symbols.keys()]).toEqual(["priceOf"]);
        const { definitions = [], references = [] } = symbols.get("priceOf") ?? {};
        expect(definitions).toMatchObject([{ name: "priceOf", path: `a.${ending}`, startLine: 2 }]);
        expect(definitions[0]?.signature).toBe(defines[1]?.trim());
        expect(references).toEqual([{ path: `b.${ending}`, line: 2, text: uses[1]?.trim() }]);
      },
    );

    test.each(LANGUAGES)("%s: an outline has the whole of a definition", async (ending, defines) => {
      const [first] = (await reader().outline(`a.${ending}`, defines.join("\n"))).filter(
        (one) => one.name === "priceOf",
      );
      expect(first).toMatchObject({ path: `a.${ending}`, startLine: 2 });
      expect(first?.endLine).toBeGreaterThanOrEqual(3);
    });

    test("a name that is only used has no references: of those the definitions are wanted", async () => {
      const head = snapshotOf({ "a.ts": "export const rate = 1;\n", "b.ts": "use(rate);\n" });
      const { symbols } = await reader().find(head, { used: new Set(["rate"]), changed: new Set(), near: [] });
      expect(symbols.get("rate")).toMatchObject({ definitions: [{ path: "a.ts", startLine: 1 }], references: [] });
    });

    test("files are found by all of their words, in code or not", async () => {
      const head = snapshotOf({ "a.ts": "const rate = 1;\n", "b.md": "The rate of a land.\n", "c.ts": "rates\n" });
      expect(await reader().having(head, new Set(["rate", "land", "nowhere"]))).toEqual(
        new Map([
          ["rate", ["a.ts", "b.md"]],
          ["land", ["b.md"]],
        ]),
      );
    });

    test.each(TAKES)("%s: what a function takes, and how it is called", async (ending, text, takes, args) => {
      const links = await reader().links(`a.${ending}`, text, new Set(["priceOf"]));
      expect(links?.functions.map((one) => one.takes)).toEqual([takes]);
      expect(links?.calls.map((one) => [one.of, one.args])).toEqual(args);
    });

    test("what a script exports and imports", async () => {
      const text = `import a, { b as c, type D } from "./x.ts";
import * as all from "./y.ts";
import "./z.ts";
export const one = 1, { two } = all;
export { a as three };
export default class Four {}
`;
      const links = await reader().links("a.ts", text, new Set());
      expect([...(links?.exports ?? [])].sort()).toEqual(["Four", "default", "one", "three", "two"]);
      expect(links?.imports.map(({ from, name, local }) => `${from} ${name} ${local}`)).toEqual([
        "./x.ts default a",
        "./x.ts b c",
        "./x.ts D D",
        "./y.ts * all",
        "./z.ts  ",
      ]);
      expect((await reader().links("a.ts", 'export * from "./x.ts";\n', new Set()))?.exports).toBeNull();
    });

    test("what no grammar reads has no links", async () => {
      expect(await reader().links("a.kt", "fun priceOf(n: Int) = n", new Set())).toBeNull();
    });

    test("a text that cannot be read any more is left out, and nothing throws", async () => {
      const head = snapshotOf({ "a.ts": "export const rate = 1;\n", "gone.ts": "export const rate = 2;\n" });
      const text: Snapshot["text"] = async (path) => (path === "gone.ts" ? null : head.text(path));
      const { symbols } = await reader().find({ ...head, text }, changed("rate"));
      expect(symbols.get("rate")?.definitions.map(({ path }) => path)).toEqual(["a.ts"]);
    });
  });
}
