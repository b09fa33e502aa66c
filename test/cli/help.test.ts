import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { HELP, helpOf } from "../../src/cli/help.ts";

const main = readFileSync("src/cli/main.ts", "utf8");
const VERBS = [...main.matchAll(/^ {2}\[\s*"([a-z-]+)",/gm)].map(([, verb = ""]) => verb);

test("every verb is told of, with its own options and those that all take", () => {
  expect(VERBS.length).toBeGreaterThan(20);
  for (const verb of VERBS) {
    expect(HELP).toMatch(new RegExp(`^ {2}${verb} `, "m"));
    const lines = (helpOf(verb) ?? "").split("\n");
    expect(lines[0]).toBe(`usage: kodiai ${verb} [options]`);
    expect(lines.filter((line) => /^ {2}[a-z]/.test(line)).map((line) => line.split(" ")[2])).toEqual([verb]);
    expect(lines.some((line) => line.startsWith("  --data-dir"))).toBe(true);
  }
});

test("a word that is no verb has no page of its own", () => {
  for (const word of ["", "no-such", "constructor", "--repo"]) expect(helpOf(word)).toBeNull();
});
