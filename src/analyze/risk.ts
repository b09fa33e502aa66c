// Reasons to look closer: what the change touches, by its paths, and what its added lines do, by whole words.

import type { LeftOut } from "../domain/omissions.ts";
import type { DiffLine, FileDiff } from "../domain/pull-request.ts";
import type { FileFacts, Risk, RiskId } from "../domain/signals.ts";
import { leftOutRisks, pathRisks } from "./risk-paths.ts";
import { CONTENT_RISKS, LINE_READ } from "./risk-words.ts";

/** Files whose added lines are read. A count, never a clock: the same change gives the same risks on any machine. */
const FILES_READ = 200;

/** Places kept for each risk. */
const EVIDENCE = 20;

const TEXTS: Readonly<Record<RiskId, string>> = {
  authentication: "touches authentication or authorization code",
  credentials: "touches credential or secret files",
  dependencies: "changes dependency manifests",
  infrastructure: "changes CI or infrastructure",
  schema: "changes a database schema or migrations",
  "error-handling": "changes error handling",
  cryptography: "uses cryptography",
  concurrency: "uses concurrency",
  network: "talks to the network",
  deserialization: "deserializes data",
  truncated: "has more files than were read for risks",
};

/** The order in which risks are listed. */
const ORDER = Object.keys(TEXTS) as readonly RiskId[];

type Evidence = Risk["evidence"][number];

/**
 * The risks of a change, in the fixed order of RiskId.
 *
 * Paths count for every file. Added lines count for the first 200 files that are not documentation; a `truncated` risk
 * says that there were more, with the first that was not read. Context and removed lines never count.
 *
 * @param files the reviewed files, with `facts` in the same order
 * @param leftOut files that are not reviewed: a lock file still changes dependencies, a keystore still is a secret
 */
export function risks(
  files: readonly FileDiff[],
  facts: readonly FileFacts[],
  leftOut: readonly LeftOut[] = [],
): readonly Risk[] {
  const found = new Map<RiskId, Evidence[]>();
  const add = (id: RiskId, evidence: Evidence) => {
    const places = found.get(id) ?? [];
    if (places.length < EVIDENCE) places.push(evidence);
    found.set(id, places);
  };
  for (const [index, file] of files.entries()) {
    for (const id of pathRisks(file.path, facts[index]?.kind)) add(id, { path: file.path, line: null });
  }
  for (const { path } of leftOut) {
    for (const id of leftOutRisks(path)) add(id, { path, line: null });
  }
  // Prose about cryptography is not cryptography.
  const readable = files.filter((file, index) => file.hunks.length > 0 && facts[index]?.kind !== "docs");
  for (const file of readable.slice(0, FILES_READ)) {
    for (const { id, line } of contentRisks(file)) add(id, { path: file.path, line });
  }
  const unread = readable[FILES_READ];
  if (unread !== undefined) add("truncated", { path: unread.path, line: null });
  return ORDER.flatMap((id) => {
    const evidence = found.get(id);
    return evidence === undefined ? [] : [{ id, text: TEXTS[id], evidence }];
  });
}

function* contentRisks(file: FileDiff): Iterable<{ id: RiskId; line: number | null }> {
  const added = file.hunks.flatMap((hunk) => hunk.lines).filter((line) => line.kind === "added");
  for (const [id, pattern] of CONTENT_RISKS) {
    const places = added.filter((line: DiffLine) => pattern.test(line.text.slice(0, LINE_READ)));
    for (const place of places.slice(0, EVIDENCE)) yield { id, line: place.newLine };
  }
}
