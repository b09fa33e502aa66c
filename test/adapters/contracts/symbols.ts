// What every reader of names keeps, in languages with a grammar and in those read by words.
import { afterEach, describe, expect, test } from "vitest";
import { blobSha } from "../../../src/adapters/blob-cache.ts";
import type { Snapshot } from "../../../src/ports/snapshot.ts";
import type { SoughtNames, Symbols } from "../../../src/ports/symbols.ts";

export interface GivenSymbols {
  readonly symbols: Symbols;
  close(): void;
}

/** A snapshot of these texts. */
export function snapshotOf(texts: Readonly<Record<string, string>>): Snapshot {
  const files = Object.entries(texts).map(([path, text]) => {
    const bytes = Buffer.from(text);
    return [path, { path, blob: blobSha(bytes), bytes: bytes.length }] as const;
  });
  return { sha: "a".repeat(40), files: new Map(files), unread: [], text: async (path) => texts[path] ?? null };
}

export function changed(...names: readonly string[]): SoughtNames {
  return { used: new Set(), changed: new Set(names), near: [] };
}

/** A definition of `priceOf` on line 2, a use on line 2 of another file, and words that are neither. */
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

export function symbolsContract(name: string, given: () => GivenSymbols): void {
  describe(`${name} keeps the promises of a reader of names`, () => {
    let open: GivenSymbols | null = null;
    const reader = (): Symbols => {
      open = given();
      return open.symbols;
    };
    afterEach(() => {
      open?.close();
      open = null;
    });

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

    test("a text that cannot be read any more is left out, and nothing throws", async () => {
      const head = snapshotOf({ "a.ts": "export const rate = 1;\n", "gone.ts": "export const rate = 2;\n" });
      const text: Snapshot["text"] = async (path) => (path === "gone.ts" ? null : head.text(path));
      const { symbols } = await reader().find({ ...head, text }, changed("rate"));
      expect(symbols.get("rate")?.definitions.map(({ path }) => path)).toEqual(["a.ts"]);
    });
  });
}
