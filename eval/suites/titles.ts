// Titles against the reference parser's values: how often type, scope and breaking mark are the
// same.
import { z } from "zod";
import { parseIntent } from "../../src/analyze/intent.ts";
import { dataFingerprint, fingerprint, readRows } from "../read-data.ts";
import type { Suite } from "../suite.ts";
import { answered } from "../unanswered.ts";

const TYPES = ["feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "chore", "revert"];

const TitleRow = z.object({
  repo: z.string(),
  pr: z.number(),
  title: z.string(),
  expected: z
    .object({
      titleOnly: z
        .object({ type: z.string().nullable(), scope: z.string().nullable(), breaking: z.boolean() })
        .nullish(),
    })
    .nullish(),
});

type Part = "type" | "scope" | "breaking";
const PARTS: readonly Part[] = ["type", "scope", "breaking"];

/**
 * Scores rows whose reference type, lower-cased, is one of our eleven; rows with an empty title are
 * skipped. The reference takes any word as a type and knows nothing of tags, so its other rows are
 * no truth for us.
 */
export const suite: Suite = async ({ data }) => {
  const files = await readRows(data);
  const read = files.flatMap(({ name, rows: all }) => all.map((row, at) => ({ row, id: `${name}[${at}]` })));
  const rows = answered(
    read,
    ({ id }) => id,
    ({ row }) => TitleRow.parse(row),
  );
  const scored = rows.flatMap(({ title, expected, repo, pr }) => {
    const wanted = expected?.titleOnly;
    const type = wanted?.type?.toLowerCase() ?? "";
    if (!wanted || title === "" || !TYPES.includes(type)) return [];
    return [{ where: `${repo}#${pr}`, title, wanted: { ...wanted, type }, got: parts(title) }];
  });
  const mistakes = scored.flatMap(({ where, title, wanted, got }) =>
    PARTS.filter((part) => wanted[part] !== got[part]).map((part) => ({
      part,
      line: `${part}: ${where} ${JSON.stringify(title)}: wanted ${wanted[part]}, got ${got[part]}`,
    })),
  );
  const share = (part: Part) => 1 - mistakes.filter((mistake) => mistake.part === part).length / scored.length;
  return {
    data: { n: read.length, fingerprint: dataFingerprint(files) },
    config: { fingerprint: fingerprint({ suite: "titles", types: TYPES }) },
    rows: [
      {
        name: "default",
        n: scored.length,
        metrics: { type: share("type"), scope: share("scope"), breaking: share("breaking") },
      },
    ],
    notes: mistakes.length === 0 ? ["no mistakes"] : mistakes.map((mistake) => mistake.line),
  };
};

function parts(title: string): Readonly<Record<Part, string | boolean | null>> {
  const intent = parseIntent({
    title,
    body: null,
    commits: [],
    labels: [],
    headRef: "",
    author: { login: "" },
  });
  return {
    type: intent.type,
    scope: intent.scope,
    breaking: intent.breaking.some((source) => source.where === "title"),
  };
}
