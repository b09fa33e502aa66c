import { describe, expect, test } from "vitest";
import { buildRetrievalQuery, queryVariants } from "../../../src/retrieve/query/build-query.ts";
import { added, given, type Shape } from "../retrieve-builders.ts";

function variants(shape: Shape) {
  const { context, signals } = given(shape);
  const { text } = buildRetrievalQuery(context, signals);
  return queryVariants(text, context, signals);
}

const hunkPaths = (shape: Shape) => variants(shape).flatMap(({ kind, path }) => (kind === "hunk" ? [path] : []));

describe("the queries of one pull request", () => {
  const SHAPE: Shape = {
    title: "feat: round   prices in the cart",
    files: {
      "src/cart.ts": added("const total = Math.round(price * 100) / 100;"),
      "README.md": " a\n+Prices are rounded.",
    },
  };

  test("ask by intent, paths, shape of the code, and with each chosen hunk", () => {
    const all = variants(SHAPE);
    expect(all.map(({ kind }) => kind)).toEqual(["intent", "paths", "code", "hunk", "hunk"]);
    expect(all[1]?.text).toBe("feat: round prices in the cart\nfiles:\nsrc/cart.ts\nREADME.md");
    expect(all[2]?.text).toBe("feat: round prices in the cart\nlanguages: TypeScript\ntype: feat");
    expect(all[3]).toEqual({
      kind: "hunk",
      path: "src/cart.ts",
      text: "src/cart.ts\nconst total = Math.round(price * 100) / 100;",
    });
  });

  test("a text that another query has already is asked once", () => {
    const all = variants({ title: "Bump", files: {} });
    expect(all.map(({ text }) => text).toSorted()).toEqual([...new Set(all.map(({ text }) => text))].toSorted());
    expect(all.filter(({ text }) => text === "Bump")).toHaveLength(1);
  });

  test("every file gets its hunk before one file gets its second", () => {
    const big = added(...Array.from({ length: 60 }, (_, i) => `const a${i} = ${i};`));
    const twice = `${big}\n@@ 200\n x\n+const second = true;`;
    const paths = hunkPaths({ title: "T", files: { "src/big.ts": twice, "src/small.ts": added("const b = 1;") } });
    expect(paths).toEqual(["src/big.ts", "src/small.ts", "src/big.ts"]);
  });

  test("eight hunks at most, however many files a change has", () => {
    const files = Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [`src/file-${i}.ts`, added(`const a${i} = ${i};`)]),
    );
    expect(hunkPaths({ title: "T", files })).toHaveLength(8);
  });

  test("a hunk with a risk on its lines comes before larger ones without", () => {
    const large = added(...Array.from({ length: 40 }, (_, i) => `const a${i} = ${i};`));
    const risky = added("const digest = crypto.createHash('md5').update(password).digest();");
    const paths = hunkPaths({ title: "T", files: { "src/a.ts": large, "src/b.ts": risky } });
    expect(paths).toEqual(["src/b.ts", "src/a.ts"]);
  });

  test("a line of a megabyte and a hunk of a thousand lines stay within the text of one hunk", () => {
    const all = variants({
      title: "T",
      files: { "src/a.ts": added("x".repeat(1_000_000), ...Array(1000).fill("y = 1")) },
    });
    expect(all.find(({ kind }) => kind === "hunk")?.text.length).toBeLessThanOrEqual(1_500);
  });

  test("a hunk that only removes asks with what it removes", () => {
    const all = variants({ title: "T", files: { "src/a.ts": " a\n-if (user === null) return;" } });
    expect(all.find(({ kind }) => kind === "hunk")?.text).toBe("src/a.ts\nif (user === null) return;");
  });
});
