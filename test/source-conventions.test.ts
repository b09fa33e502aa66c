import { readdirSync, readFileSync } from "node:fs";
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

/** What screens count; one of them is singular, which `counted` knows. */
const COUNTED =
  "accounts|acts|alerts|candidates|comments|commits|excerpts|files|findings|folders|ids|jobs|logins|memories|people|places|problems|processes|pull requests|queries|records|repositories|results|reviews|rows|runs|tags|texts|times|tools|words";
/** Followed by "s" whatever the number: more than one by a condition before, or text for a model. */
const SEVERAL =
  /^(?:wordsOnly|count|rows|vectors|lines|times|planned|found\.length|MAX\w*|MOST\w*|most|least|outcome\.jobs\.length|answers\.length|findings\.length|asked\.length|candidates\.length|metrics\.files|searched \+ leftOut|small\.length|tree\.files\.length|files\.length|total|alerts\.length|rejecting\.length|knownRules\(\)\.ruleIds\.size|given|limits\.files\.toLocaleString\("en"\)|MOST\.files|tags\.length|before\.rows|deaths|REPLAY_LEAST|averageResults\.toFixed\(1\))$/;

test("what is counted on a screen is singular where it is one", () => {
  const said = new RegExp(`\\$\\{([^{}]*)\\} (?:${COUNTED})\\b`, "g");
  const wrong = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(said)].flatMap(([whole, value = ""]) =>
      /counted\(|listed\(|memories\(/.test(value) || SEVERAL.test(value.trim()) ? [] : [`${file}: ${whole}`],
    ),
  );
  expect(wrong).toEqual([]);
});
