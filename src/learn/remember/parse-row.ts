// Parses a line of an import: of our own export or the evaluation's corpus, told by its shape.
import { z } from "zod";
import { CATEGORIES, SEVERITIES } from "../../domain/finding.ts";
import type { Repo } from "../../domain/job.ts";
import { canonicalLanguage } from "../../domain/language.ts";
import { CORPORA, type MemoryRecord, memoryId, OUTCOMES } from "../../domain/memory.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import { shortHash } from "../../domain/text/hash.ts";
import { BARE_COMMENT, type SaidComment } from "./from-comment.ts";

/** The version of an export line; this reader reports a later one. */
const EXPORT_VERSION = 1;

const text = z.string().max(200_000);
const name = z.string().min(1).max(2_000);
const whole = z.int();

const Exported = z.object({
  version: z.literal(EXPORT_VERSION),
  record: z.object({
    id: z.string().max(100),
    repo: z.string().regex(/^[^/\s]{1,253}\/[^/\s]{1,100}$/, "is not HOST/ID"),
    repoName: name,
    ownerId: whole,
    visibility: z.enum(["public", "private", "internal"]),
    corpus: z.enum(CORPORA),
    sourceId: name,
    text,
    replies: z.array(text).max(1_000),
    situation: text.nullable(),
    lesson: text.nullable(),
    tags: z.array(z.string().max(200)).max(100),
    severity: z.enum(SEVERITIES).nullable(),
    category: z.enum(CATEGORIES).nullable(),
    path: name.nullable(),
    language: z.string().max(100),
    symbol: z.string().max(2_000).nullable(),
    chunkType: z.string().max(100).nullable(),
    hunk: text.nullable(),
    flaggedCode: text.nullable().default(null),
    fixedCode: text.nullable().default(null),
    outcome: z.enum(OUTCOMES).nullable(),
    decided: z
      .object({
        at: whole.min(-8.64e15).max(8.64e15),
        by: z.string().max(200).nullable(),
        reason: z.string().max(1_000).nullable(),
        sha: z.string().max(64).nullable(),
        weight: z.enum(["reason", "repeated", "word", "reaction", "code"]),
      })
      .nullable()
      .default(null),
    provenance: z.object({
      url: z.string().max(4_000).nullable(),
      author: z.string().max(200).nullable(),
      authorIsBot: z.boolean(),
      sha: z.string().max(64).nullable(),
      pull: whole.nullable(),
      // The range of dates that JavaScript can print.
      at: whole.min(-8.64e15).max(8.64e15),
    }),
    stale: z.boolean(),
    described: z
      .object({
        by: z.string().max(200),
        source: z.string().max(64),
        confidence: z.number().min(0).max(1),
        problems: z.array(z.string().max(100)).max(100),
      })
      .nullable()
      .default(null),
  }),
});

const CorpusRow = z.object({
  id: name,
  repo: z.string().regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/, "is not OWNER/NAME"),
  pr: whole.nullish(),
  filePath: z.string().max(2_000).nullish(),
  language: z.string().max(100).nullish(),
  text,
  replies: z.array(text).max(1_000).default([]),
  reviewer: z.string().max(200).nullish(),
  isBot: z.boolean().default(false),
  createdAt: z.iso.datetime({ offset: true, error: "is not an ISO 8601 time with its offset" }).pipe(z.coerce.date()),
  hunk: text.nullish(),
  category: z.string().max(200).nullish(),
});

type ImportRow =
  | { readonly kind: "record"; readonly record: MemoryRecord }
  | { readonly kind: "comment"; readonly repo: Repo; readonly comment: SaidComment }
  | { readonly kind: "wrong"; readonly reason: string };

/**
 * @param line JSON; never throws for any text. The id of an exported record is computed again from
 * its source, so that a file cannot replace another memory
 */
export function parseRow(line: string): ImportRow {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { kind: "wrong", reason: "not JSON" };
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) return wrong("not a JSON object");
  if ("version" in value) return exported(value);
  return "text" in value && "repo" in value
    ? corpusRow(value)
    : wrong("neither an export of Kodiai (version, record) nor a row of a corpus (id, repo, text, createdAt)");
}

/** A record as a line of an export. */
export function exportLine(record: MemoryRecord): string {
  return JSON.stringify({ version: EXPORT_VERSION, record });
}

/** The evaluation's repositories have no numeric id: 48 bits of the name's hash replace it. */
export function evaluationRepo(fullName: string): Repo {
  const [owner = "", repoName = ""] = fullName.split("/");
  const [id = 0, ownerId = 0] = [fullName, owner].map((text) => Number.parseInt(shortHash(text), 16));
  return { host: "eval", id, ownerId, owner, name: repoName, visibility: "public" };
}

function exported(value: object): ImportRow {
  const version: unknown = "version" in value ? value.version : null;
  if (typeof version === "number" && version > EXPORT_VERSION) {
    return wrong(`written by a newer Kodiai (version ${version}, this one reads ${EXPORT_VERSION})`);
  }
  const read = Exported.safeParse(value);
  if (!read.success) return wrong(firstProblem(read.error));
  const { record } = read.data;
  const id = memoryId(record.repo, record.corpus, record.sourceId);
  return { kind: "record", record: { ...record, sharing: null, id, language: canonicalLanguage(record.language) } };
}

function corpusRow(value: object): ImportRow {
  const read = CorpusRow.safeParse(value);
  if (!read.success) return wrong(firstProblem(read.error));
  const row = read.data;
  return {
    kind: "comment",
    repo: evaluationRepo(row.repo),
    comment: {
      ...BARE_COMMENT,
      sourceId: row.id,
      text: row.text,
      at: row.createdAt.getTime(),
      replies: row.replies,
      path: row.filePath ?? null,
      language: row.language ?? null,
      hunk: row.hunk ?? null,
      // Only our categories: the authors of the ground truth wrote the evaluation's own labels.
      category: CATEGORIES.find((category) => category === row.category) ?? null,
      author: row.reviewer ?? null,
      isBot: row.isBot,
      pull: row.pr ?? null,
    },
  };
}

function wrong(reason: string): ImportRow {
  return { kind: "wrong", reason };
}

function firstProblem(error: z.ZodError): string {
  const [issue] = error.issues;
  const path = issue?.path.join(".") ?? "";
  return cutText(`${path === "" ? "" : `${path}: `}${issue?.message ?? "wrong"}`, 300);
}
