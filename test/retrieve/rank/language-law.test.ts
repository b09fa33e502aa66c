// The law of language, over the real stage: whatever a memory is, another extension or language
// changes the term `language` of its score and nothing else, and never puts it below the same
// memory without a language.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { MemoryRecord } from "../../../src/domain/memory.ts";
import { runs } from "../../property-runs.ts";
import { added, atDistance, memory, type Shape } from "../retrieve-builders.ts";
import { enter, retrieved } from "../retrieve-harness.ts";

const LINES = added("const total = Math.round(price * 100) / 100;", "return cart.add(total);");
const of = (...paths: readonly string[]): Shape => ({
  title: "feat: round prices in the cart",
  files: Object.fromEntries(paths.map((path) => [path, LINES])),
});
const CHANGES: readonly Shape[] = [
  of("src/cart/price.ts"),
  of("src/cart/view.tsx", "tools/release.py"),
  of("src/cart/price.h", "lib/a.c", "lib/b.cpp"),
  of("src/cart/price.d.ts", "nb/price.ipynb"),
  of("src/cart/price.cc"),
  of("docs/price.md", "price.json"),
  of("price"),
  { ...of(), title: "Are prices rounded in the cart?" },
];
const EXTENSIONS = [
  "",
  ".ts",
  ".TS",
  ".tsx",
  ".d.ts",
  ".js",
  ".py",
  ".ipynb",
  ".vue",
  ".blade.php",
  ".md",
  ".json",
  ".sql",
].concat(...[".cc", ".CPP", ".h"]);
const LANGUAGES = ["", "unknown", "TypeScript", "javascript", "python", "C++", "c", "Markdown", "json", "Vue", "sql"];
const TEXT = "Prices are rounded twice: `Math.round` in the cart and again in the total of the JSON that SQL reads.";

interface Told {
  readonly extension: string;
  readonly language: string;
}

type Kind = (place: string, told: Told) => Partial<MemoryRecord>;

const KINDS: Readonly<Record<string, Kind>> = {
  "review comment": (place, { extension, language }) => ({ path: `${place}${extension}`, language }),
  finding: (place, { extension, language }) => ({ corpus: "finding", path: `${place}${extension}`, language }),
  document: (place, { extension, language }) => ({
    ...{ corpus: "doc", path: `${place}${extension}`, language: "markdown" },
    tags: language === "" ? ["general"] : ["general", language],
  }),
  "wiki page": (place, { extension, language }) => ({
    ...{ corpus: "wiki", path: `${place}${extension}`, language: "", tags: language === "" ? [] : [language] },
  }),
  "shared pattern": (place, { extension, language }) => ({
    ...{ repo: "github.com/77", repoName: "acme/other", visibility: "public", sharing: "given" },
    ...{ path: `${place}${extension}`, language },
  }),
};

const OTHERS = [
  memory("mem_naming", { text: "Name it after what it holds.", path: "src/cart/total.ts", language: "typescript" }),
  memory("mem_again", {
    ...{ text: "The total was rounded twice in the cart.", path: "lib/sum.py", language: "python" },
    provenance: { pull: 4 },
  }),
  memory("mem_thanks", { text: "LGTM", path: null }),
];

async function scored(shape: Shape, record: MemoryRecord) {
  const shelved = [...OTHERS, record].map((each) => ({ record: each, vector: atDistance(0.2) }));
  const precedents = await enter({
    ...{ shape, shelved, sharing: true },
    retrieval: { distanceThreshold: 2, topK: 20 },
    tuning: { floors: false, fold: false, budget: false },
  });
  const { terms, score, record: shown } = retrieved(precedents, record.id);
  const others = OTHERS.map(({ id }) => retrieved(precedents, id).terms);
  const language = terms.find(({ name }) => name === "language")?.value ?? 0;
  return { score, language, rest: [shown.text, terms.filter(({ name }) => name !== "language"), others] };
}

const told = fc.record({ extension: fc.constantFrom(...EXTENSIONS), language: fc.constantFrom(...LANGUAGES) });

test.each(Object.entries(KINDS))(
  "another extension or language of a %s changes only its term `language`, and only upwards [000-20][000-21][004-02][004-12]",
  async (_, kind) => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...CHANGES),
        fc.constantFrom("src/cart/price", "src/cart/old", "lib/a", "price", "docs/price"),
        told,
        async (shape, place, one) => {
          const scoredAs = (as: Told) =>
            scored(shape, memory("mem_one", { text: TEXT, provenance: { pull: 8 }, ...kind(place, as) }));
          const without = await scoredAs({ extension: "", language: "unknown" });
          const found = await scoredAs(one);
          expect(without.language).toBe(0);
          expect(found.rest).toEqual(without.rest);
          expect(found.language).toBeGreaterThanOrEqual(0);
          expect(found.language).toBeLessThanOrEqual(Math.log(1.25));
          expect(found.score).toBeGreaterThanOrEqual(without.score);
        },
      ),
      runs(400),
    );
  },
);
