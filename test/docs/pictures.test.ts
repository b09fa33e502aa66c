// The pictures of the documents show titles that exist: `npm run screenshots` writes both.
// test/dashboard/dashboard.slow.test.ts compares them with the pages themselves, where there is a
// browser.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const FOLDER = "docs/img";
const titles: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(join(FOLDER, "titles.json"), "utf8"),
);

/** What people can be shown, with ids as they are written out. */
const words = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => readFileSync(join("src", path), "utf8").replaceAll("-", " ").toLowerCase())
  .join("\n");

test("every picture has its titles", () => {
  const pictures = readdirSync(FOLDER).filter((name) => name.endsWith(".png"));
  expect(Object.keys(titles).toSorted()).toEqual(pictures.toSorted());
  for (const name of pictures) expect(titles[name]?.length).toBeGreaterThan(3);
});

test.each(Object.keys(titles))("every title that %s shows is one of ours", (picture) => {
  // A list of areas is put together from their names.
  const parts = (titles[picture] ?? []).flatMap((title) => title.split(/: |, /));
  expect(parts.filter((part) => !words.includes(part.replaceAll("-", " ").toLowerCase()))).toEqual([]);
});
