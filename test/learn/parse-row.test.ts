import fc from "fast-check";
import { expect, test } from "vitest";
import { memoryId } from "../../src/domain/memory.ts";
import { evaluationRepo, exportLine, parseRow } from "../../src/learn/remember/parse-row.ts";
import { givenRecord } from "./memory-builders.ts";

/** Shaped as the evaluation's corpus.jsonl. */
const ROW = {
  id: "ar:2188028",
  repo: "expressjs/express",
  pr: 1421,
  filePath: "lib/response.js",
  language: "JavaScript",
  text: "might as well do `if (app.settings.etag && len > ..)`",
  replies: ["sure"],
  reviewer: "546b0590",
  isBot: false,
  isThreadRoot: true,
  createdAt: "2012-11-20T22:43:10+00:00",
  line: 135,
  side: "RIGHT",
  hunk: "@@ -128,9 +131,11 @@ res.send = function(body){\n",
  category: "Configurations",
  lowInfo: false,
};

test("a row of a corpus is a comment of a repository of the evaluation", () => {
  expect(parseRow(JSON.stringify(ROW))).toMatchObject({
    kind: "comment",
    repo: { host: "eval", owner: "expressjs", name: "express" },
    comment: { sourceId: "ar:2188028", pull: 1421, at: Date.parse(ROW.createdAt), category: null, replies: ["sure"] },
  });
});

test("a repository of the evaluation has one number, the same in every call", () => {
  expect(evaluationRepo("expressjs/express")).toEqual(evaluationRepo("expressjs/express"));
  expect(evaluationRepo("expressjs/express").id).not.toBe(evaluationRepo("expressjs/body-parser").id);
  expect(evaluationRepo("expressjs/express").ownerId).toBe(evaluationRepo("expressjs/body-parser").ownerId);
  expect(Number.isSafeInteger(evaluationRepo("expressjs/express").id)).toBe(true);
});

test("what is exported is read back as it was", () => {
  const record = givenRecord({ tags: ["retry loop"], outcome: "accepted", text: 'a\u2028b \u0000 "c"' });
  expect(parseRow(exportLine(record))).toEqual({ kind: "record", record });
});

test("flagged and fixed code are exported and read back with it", () => {
  const record = givenRecord({ flaggedCode: "listen(port)", fixedCode: "listen(port + BASE)" });
  expect(parseRow(exportLine(record))).toEqual({ kind: "record", record });
});

test("an exported row cannot take the place of another memory: its id is made of its source", () => {
  const record = givenRecord({ id: "mem_000000000000" });
  expect(parseRow(exportLine(record))).toHaveProperty(
    "record.id",
    memoryId(record.repo, record.corpus, record.sourceId),
  );
});

test("a wrong line says what is wrong with it", () => {
  const reason = (line: string) => {
    const row = parseRow(line);
    return row.kind === "wrong" ? row.reason : row.kind;
  };
  expect(reason("{")).toBe("not JSON");
  expect(reason("[1]")).toBe("not a JSON object");
  expect(reason('{"a": 1}')).toMatch(/^neither an export of Kodiai/);
  expect(reason('{"version": 9, "record": {}}')).toBe("written by a newer Kodiai (version 9, this one reads 1)");
  expect(reason('{"version": "1"}')).toMatch(/^version: /);
  expect(reason(JSON.stringify({ ...ROW, text: 7 }))).toMatch(/^text: /);
  expect(reason(JSON.stringify({ ...ROW, createdAt: "yesterday" }))).toMatch(/^createdAt: /);
  expect(reason(JSON.stringify({ ...ROW, repo: "../../etc" }))).toMatch(/^repo: /);
  const record = { ...givenRecord(), outcome: "loved" };
  expect(reason(JSON.stringify({ version: 1, record }))).toMatch(/^record\.outcome: /);
});

test("no line makes it throw", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.string(),
        fc.anything().map((value) => JSON.stringify(value) ?? ""),
      ),
      (line) => {
        expect(["record", "comment", "wrong"]).toContain(parseRow(line).kind);
      },
    ),
  );
});
