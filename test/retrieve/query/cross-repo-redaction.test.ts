import fc from "fast-check";
import { expect, test } from "vitest";
import { abstractPattern } from "../../../src/retrieve/query/scope.ts";
import { memory } from "../retrieve-builders.ts";

const GOOD = "Please close the connection before the function returns, also when an error is thrown.";
const pattern = (text: string, more: Parameters<typeof memory>[1] = {}) => {
  const reported = abstractPattern(memory("m", { text, repoName: "acme/quokka", ...more }));
  return reported.kind === "pattern" ? reported.record.text : reported.reason;
};

test("advice in common words is shared unchanged", () => {
  expect(pattern(GOOD)).toBe("Please close the connection before the function returns also when an error is thrown");
});

test("code, quotes, names, numbers, addresses and paths leave a gap", () => {
  const said = [
    "Nit for @wren: `vault.open()` should be closed before the function returns, also when an error is thrown.",
    "See https://wiki.acme.io/vault or src/vault/open.ts:17, PAY-4711, openVault and VAULT_KEY;",
    '"the vault is open" said Marvin.',
    "> the vault is open",
    "```ts\nvault.open()\n```",
    "    vault.close()",
  ].join("\n");
  const reported = pattern(said, { provenance: { ...memory("x").provenance, author: "wren" } });
  expect(reported).toBe(
    "Nit for … should be closed before the function returns also when an error is thrown See … or … and … said …",
  );
});

/** Quoted words that would cross if they stood alone. */
const QUOTED = "the user is never checked here";
test.each([
  ["a fence that is closed", `${GOOD}\n~~~\n${QUOTED}\n~~~`],
  ["a fence that never ends", `${GOOD}\n\`\`\`\n${QUOTED}\n${QUOTED}`],
  ["a quoted line", `> ${QUOTED}\n${GOOD}`],
  ["an indented quoted line", `${GOOD}\n   > ${QUOTED}`],
  ["code by four spaces", `${GOOD}\n    ${QUOTED}`],
  ["code by a tab", `${GOOD}\n\t${QUOTED}`],
  ["a code span", `\`${QUOTED}\` ${GOOD}`],
  ["a code span that never ends", `${GOOD} \`${QUOTED}`],
  ...['""', "“”", "«»", "„“", "‘’", "''"].map(([open, close]) => [
    `${open}…${close}`,
    `${open}${QUOTED}${close} ${GOOD}`,
  ]),
  ...['"', "“", "«", "„"].map((open) => [`${open}… without an end`, `${GOOD} ${open}${QUOTED}`]),
] as [string, string][])("%s does not cross", (_, text) => {
  expect(pattern(text)).not.toMatch(/user|never|checked/);
  expect(pattern(text)).toMatch(/Please close the connection before the function returns/);
});

test("names of a repository, its people and its files are not shared, even as common words", () => {
  const more = { repoName: "acme/error", path: "src/connection.ts", symbol: "closeFunction" };
  expect(pattern(`${GOOD} Please always check that the value was also set here.`, more)).toBe(
    "Please … the … before the … returns also when an … is thrown Please always check that the value was also set here",
  );
});

test("a word of several parts is shared if all of them are known, and a name in capitals is a name", () => {
  const ending = (word: string, more = {}) => pattern(`${GOOD} Check ${word}`, more).split(" ").at(-1);
  for (const word of ["re-check", "HTTP", "don't"]) expect(ending(word)).toBe(word);
  for (const word of ["error-quokka", "quokka-error", "error's-quokka", "ERRORS", "Xerror", "eRror"])
    expect(ending(word)).toBe("…");
  expect(ending("error", { symbol: "ERROR" })).toBe("…");
  expect(ending("closefunction", { symbol: "closeFunction" })).toBe("…");
});

test("where too little is left nothing crosses, and it is said why", () => {
  const nothing = "nothing abstract is left without its code, names and quotes";
  for (const text of [
    "LGTM",
    "`a` `b` `c` should be",
    "Bitte die Verbindung vor dem Rücksprung schließen, auch im Fehlerfall.",
    "",
  ])
    expect(pattern(text)).toBe(nothing);
  for (const corpus of ["doc", "wiki"] as const)
    expect(pattern(GOOD, { corpus })).toBe("documents stay in their repository");
});

test("a pattern has five different words that say something, and six of ten words", () => {
  const nothing = /^nothing abstract/;
  expect(pattern("close connection before function returns")).not.toMatch(nothing);
  expect(pattern("close connection before function close")).toMatch(nothing);
  const six = "close connection before function returns error";
  expect(pattern(`${six} quokka wombat numbat bilby`)).toBe(`${six} …`);
  expect(pattern(`${six} quokka wombat numbat bilby quoll`)).toMatch(nothing);
});

test("people, reasons, replies, places and links stay; outcome, kind and day go along", () => {
  const record = memory("mem_1", {
    text: GOOD,
    repo: "github.com/4711",
    repoName: "acme/quokka",
    replies: ["quokka"],
    situation: "quokka",
    tags: ["error handling", "quokka leak"],
    path: "src/quokka.ts",
    hunk: "+quokka()",
    symbol: "quokka",
    flaggedCode: "quokka()",
    fixedCode: "quokka(1)",
    outcome: "declined",
    decided: { at: 5, by: "quokka", reason: "quokka", sha: "quokka", weight: "reason" },
    provenance: { url: "https://quokka", author: "quokka", authorIsBot: false, sha: "quokka", pull: 4711, at: 7 },
    sharing: "given",
  });
  const reported = abstractPattern(record);
  expect(JSON.stringify(reported)).not.toMatch(/quokka|4711|acme/);
  expect(reported).toMatchObject({
    record: {
      id: "mem_1",
      tags: ["error handling"],
      outcome: "declined",
      decided: { at: 5, weight: "reason" },
      language: record.language,
      provenance: { at: 7 },
      replies: [],
    },
  });
});

test("a model's lesson goes before the person's words, and through the same sieve", () => {
  expect(pattern("quokka", { lesson: GOOD })).toBe(
    "Please close the connection before the function returns also when an error is thrown",
  );
  expect(pattern(GOOD, { lesson: "Close quokka" })).toMatch(/^nothing abstract/);
});

test("no uncommon word is shared, in any place", () => {
  const noise = fc.constantFrom(
    " ",
    "`",
    '"',
    "@",
    "/",
    "\n",
    "> ",
    "'",
    "(",
    "**",
    "_",
    "-",
    "’",
    "\u200b",
    "…",
    "```",
  );
  fc.assert(
    fc.property(fc.array(noise, { maxLength: 6 }), fc.array(noise, { maxLength: 6 }), (before, after) => {
      const reported = pattern(`${GOOD} ${before.join("")}quokka${after.join("")} and ${GOOD}`);
      expect(reported.toLowerCase()).not.toContain("quokka");
    }),
  );
});
