// Texts that users read are in the plain English of the trade: words that readers stumbled over
// stay out of them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PAGES } from "./docs/markdown.ts";

/** Each with what to write in its place. */
const AVOIDED = new RegExp(
  `\\b(?:${[
    "tells?|told", // report, show, print
    "nobody|somebody|anybody|everybody|whoever|whatever", // an active subject: a person, the model, none
    "mend\\w*", // fix
    "anew", // again
    "heed\\w*", // use, follow
    "purses?", // budget
    "shelf|shelves", // store
    "stands|stood", // is
    "gone", // removed, deleted
    "corridor", // pipeline
    "overtaken", // superseded
    "remarks?", // comment
  ].join("|")})\\b`,
  "gi",
);

/** Made from texts that have tests of their own, or a log of released versions. */
const NOT_READ = ["docs/rules.md", "docs/walkthrough.md", "CHANGELOG.md"];

/** Outside code: what is quoted there is the name of something. */
function avoidedIn(text: string): readonly string[] {
  const prose = text.replace(/^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm, "").replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(AVOIDED)].map(([word]) => word);
}

test.each(PAGES.filter((page) => !NOT_READ.includes(page)))("%s is in plain words", (page) => {
  expect(avoidedIn(readFileSync(page, "utf8"))).toEqual([]);
});

/**
 * Strings and templates with a space in them: the rest are names. Without comments, and without
 * what a template fills in.
 */
function stringsOf(source: string): readonly string[] {
  const code = source.replace(/^\s*(?:\/\/|\/?\*).*$/gm, "");
  const strings = code.match(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g) ?? [];
  const texts = strings.map((text) => text.slice(1, -1).replace(/\$\{[^}]*\}/g, "…"));
  return texts.filter((text) => /\S \S/.test(text));
}

const SOURCES = ["cli", "publish", "dashboard", "server", "config"].flatMap((folder) =>
  readdirSync(join("src", folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join("src", folder, name)),
);

test("help, errors, logs, comments, the dashboard and descriptions of keys are in plain words", () => {
  const hits = [...SOURCES, "src/domain/command.ts"].flatMap((file) =>
    stringsOf(readFileSync(file, "utf8")).flatMap((text) => {
      const words = avoidedIn(text);
      return words.length === 0 ? [] : [`${file}: ${words.join(", ")}: ${text}`];
    }),
  );
  expect(hits).toEqual([]);
});

test("a word to avoid is found in prose and in a string, and not in code", () => {
  expect(avoidedIn("Nobody told us.\n\n```sh\nmend\n```\n`gone`")).toEqual(["Nobody", "told"]);
  const source = `// "told in a comment"\nlog("it is told", \`a $\{told} b\`, "told");`;
  expect(stringsOf(source)).toEqual(["it is told", "a … b"]);
});
