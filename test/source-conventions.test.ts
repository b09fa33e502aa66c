import { globSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";

const FORBIDDEN_FOLDERS = ["lib", "utils", "helpers", "types", "services", "handlers", "core"];

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => join("src", file));

test("file names are kebab-case", () => {
  expect(files.map((file) => basename(file)).filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(name))).toEqual([]);
});

test("no folder is a drawer for everything", () => {
  const folders = files.flatMap((file) => file.split("/").slice(1, -1));
  expect(folders.filter((folder) => FORBIDDEN_FOLDERS.includes(folder))).toEqual([]);
});

test("nothing is re-exported but by entry modules, and nothing is unfinished", () => {
  const offending = files.filter((file) => {
    const text = readFileSync(file, "utf8");
    const isEntry = /\/([\w-]+)\/\1\.ts$/.test(file);
    return (!isEntry && /^export (\*|\{[^}]*\}) from/m.test(text)) || /\b(TODO|FIXME|XXX)\b(?! #\d+)/.test(text);
  });
  expect(offending).toEqual([]);
});

test("comments are wrapped at 100 columns", () => {
  const sources = globSync("{src,test,eval,bench,chaos,demo,scripts}/**/*.{ts,mjs}", {
    exclude: (path) => path.includes("node_modules"),
  });
  expect(sources.length).toBeGreaterThan(1_000);
  const wide = sources.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .map((line, index) => ({ line, at: `${file}:${index + 1}` }))
      // An address and a directive of a tool cannot be broken.
      .filter(
        ({ line }) => line.length > 100 && /^\s*(\/\/|\/?\*)/.test(line) && !/https?:\/\/|biome-ignore/.test(line),
      ),
  );
  expect(wide.map(({ at }) => at)).toEqual([]);
});
