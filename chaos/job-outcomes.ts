// Turns rows of a store into outcomes of reviews for the checker, the same for SQLite and
// PostgreSQL.
import type { Learnt, ReviewEnd } from "./ground-truth.ts";
import type { PullName } from "./history.ts";

export interface JobRow {
  readonly id: number;
  readonly key: string;
  readonly state: string;
  readonly attempt: number;
  readonly token: number;
  readonly outcome: string | null;
  readonly head: string | null;
}

type PullOf = (key: string) => PullName;

export function settledReview(
  { key, head, outcome }: { readonly key: string; readonly head: string; readonly outcome: string },
  pullOf: PullOf,
): ReviewEnd {
  const end = outcome === "posted" || outcome === "superseded" || outcome === "stopped" ? outcome : "skipped";
  return { pull: pullOf(key), head, end, reason: outcome };
}

/** A job that posted is recognised by the review that it settled. */
export function endedJob({ key, state, outcome, head }: JobRow, pullOf: PullOf): ReviewEnd[] {
  if (head === null) return [];
  const reported = { pull: pullOf(key), head, reason: outcome ?? "" };
  if (state === "parked" || state === "cancelled" || state === "superseded") return [{ ...reported, end: state }];
  if (state !== "done" || outcome?.startsWith("posted") === true) return [];
  return [{ ...reported, end: outcome?.startsWith("superseded") === true ? "superseded" : "skipped" }];
}

/** A finding's own name is `#PULL/FINDING`. */
const FROM_FINDINGS = "records r JOIN repositories p ON p.id = r.repo JOIN contents c ON c.id = r.id";
export const FINDINGS = `SELECT p.host, p.github_id AS repo, r.pull, c.source_id AS source FROM ${FROM_FINDINGS} WHERE r.corpus = 'finding'`;
export const EVIDENCE = `SELECT p.host, p.github_id AS repo, r.pull, c.source_id AS source, e.key
  FROM ${FROM_FINDINGS} JOIN evidence e ON e.id = r.id WHERE r.corpus = 'finding'`;

export interface FindingRow {
  readonly host: string;
  readonly repo: number;
  readonly pull: number;
  readonly source: string;
}

export interface EvidenceRow extends FindingRow {
  readonly key: string;
}

export function learntFrom(findings: readonly FindingRow[], evidence: readonly EvidenceRow[], pullOf: PullOf): Learnt {
  const nameOf = ({ host, repo, pull, source }: FindingRow) =>
    `${pullOf(`${host}/${repo}#${pull}`)} ${source.slice(source.indexOf("/") + 1)}`;
  return {
    findings: new Set(findings.map(nameOf)),
    evidence: new Set(evidence.map((one) => `${nameOf(one)} ${one.key}`)),
  };
}
