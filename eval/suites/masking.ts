// How much of ordinary code is hidden from the model as if it were a secret, beside how many
// labelled secrets are found. DIR holds merged changes (manifest.jsonl and the diffs it names);
// `--fixtures FILE` names labelled secrets, one a row.

import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { detectSecrets } from "../../src/adapters/secrets/detect-secrets.ts";
import { subject } from "../../src/cli/subject.ts";
import type { PullRequestContext } from "../../src/domain/pull-request.ts";
import { gather } from "../../src/gather/gather.ts";
import { planReading } from "../../src/review/reading/plan-reading.ts";
import { maskedPart } from "../../src/review/reading/read-by-model.ts";
import { redact } from "../../src/wire/secrets.ts";
import { NOTHING_EARLIER } from "../../test/fakes/pull-requests.ts";
import { dataFingerprint, fingerprint, readRows } from "../read-data.ts";
import type { Row, Suite } from "../suite.ts";
import { unanswered } from "../unanswered.ts";

interface DiffEntry {
  readonly id: string;
  readonly file: string;
  readonly sha256: string;
}

interface Fixture {
  readonly label: "secret" | "not_secret";
  readonly b64: string;
}

/** Masked lines of merged changes per 1,000 added lines. */
const MOST_PER_1000 = 0.5;
/** All hunks of a change, at any cost. */
const EVERYTHING = {
  charsPerCall: 200_000,
  charsInAll: Number.POSITIVE_INFINITY,
  mostCalls: Number.POSITIVE_INFINITY,
};
const NO_SIGNALS = { files: [], risks: [] };

/**
 * Rows: `false masking` over the added lines of files that a review reads; `secrets` over the
 * labelled fixtures.
 */
export const suite: Suite = async ({ data, flags }) => {
  const [manifest] = await readRows(data);
  const entries = (manifest?.rows ?? []) as DiffEntry[];
  const notes: string[] = [];
  let added = 0;
  for (const entry of entries) {
    try {
      const context = await changeOf(join(data, entry.file));
      if (context === null) continue;
      const masked = await maskedLines(context);
      added += context.files.reduce((sum, file) => sum + file.additions, 0);
      for (const { path, text } of masked) notes.push(`${entry.id}  ${path}  ${text}`);
    } catch (error) {
      unanswered(entry.id, error);
    }
  }
  const per1000 = (notes.length * 1000) / Math.max(1, added);
  const fixtures = flags.get("fixtures");
  return {
    data: {
      n: entries.length,
      fingerprint: dataFingerprint(entries.map(({ file, sha256 }) => ({ name: file, sha256 }))),
    },
    config: { fingerprint: fingerprint(["masking", fixtures === undefined ? "" : basename(fixtures)]) },
    rows: [
      { name: "false masking", n: added, metrics: { per1000, lines: notes.length } },
      ...(fixtures === undefined ? [] : [await secretsRow(fixtures)]),
    ],
    notes: [
      `false masking: ${per1000.toFixed(2)} lines per 1,000, target at most ${MOST_PER_1000}: ${per1000 <= MOST_PER_1000 ? "met" : "missed"}`,
      ...notes,
    ],
  };
};

/** Null where policy leaves the change alone. */
async function changeOf(diff: string): Promise<PullRequestContext | null> {
  const { job, ports } = await subject({ diff, repo: "/", model: "off" }, [], () => {});
  const context = await gather(job, ports.pulls, ports.known, false, NOTHING_EARLIER, ports.tools);
  return context.kind === "skipped" ? null : context;
}

/** Added lines that a model would not be shown as they are. */
async function maskedLines({ files, headTexts }: PullRequestContext) {
  const { parts } = planReading(files, NO_SIGNALS as never, new Set(), headTexts, EVERYTHING);
  const seen = await Promise.all(parts.map((part) => maskedPart(part, redact)));
  return seen.flatMap(({ masked }) => masked.filter(({ text }) => /^\d+#[0-9a-f]+:\+/.test(text)));
}

async function secretsRow(path: string): Promise<Row> {
  const rows = (await readFile(path, "utf8"))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Fixture);
  const of = async (label: Fixture["label"]) => {
    const texts = rows.filter((row) => row.label === label).map(({ b64 }) => Buffer.from(b64, "base64").toString());
    const hits = await Promise.all(texts.map(async (text) => (await detectSecrets(text)).length > 0));
    return { hit: hits.filter(Boolean).length, of: hits.length };
  };
  const [secrets, others] = [await of("secret"), await of("not_secret")];
  return {
    name: "secrets",
    n: rows.length,
    metrics: { recall: secrets.hit / secrets.of, false: others.hit / others.of },
    remark: `${secrets.hit} of ${secrets.of} found, ${others.hit} of ${others.of} others touched`,
  };
}
