// Turns a model's findings into findings with a proven place. Texts are only bounded here:
// publish/sanitize cleans what reaches GitHub.

import { type Finding, findingId, type HeldBack, type Precedent, type Suggestion } from "../../domain/finding.ts";
import type { FileDiff } from "../../domain/pull-request.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import { revealLine } from "../../domain/text/untrusted-text.ts";
import { type DiffLines, diffLines, type Located, locate, NOWHERE, parseAnchor } from "../placing/locate.ts";
import type { DraftedFinding } from "../reply.ts";
import { mergeReadings } from "./merge-readings.ts";

const MOST_FINDINGS = 100;
/** A finding that names more memories than this has no clear precedent. */
const MOST_PRECEDENTS = 5;
const TITLE_CHARS = 200;
const BODY_CHARS = 3_000;
const SUGGESTION_CHARS = 8_000;
const PATH_CHARS = 300;
const NOT_REVIEWED = "the model spoke about a file that is not part of the reviewed diff";

/**
 * Converts the findings of replies, and merges those of several readings. Unusable ones are held
 * back with a reason, and those over the limit counted as `dropped`.
 *
 * @param readings what each reading found
 * @param files the reviewed files; a finding on any other path is held back
 * @param remembered precedents in the prompt, by id
 * @param timesRead how many readings a path had
 */
export function draft(
  readings: readonly (readonly DraftedFinding[])[],
  files: readonly FileDiff[],
  remembered: ReadonlyMap<string, Precedent>,
  timesRead: (path: string) => number,
) {
  const byPath = new Map(files.map((file) => [revealLine(file.path), file]));
  const index = new Map<FileDiff, DiffLines>();
  const read = (one: DraftedFinding): Finding => {
    const file = byPath.get(one.path) ?? byPath.get(plainPath(one.path));
    if (file !== undefined && !index.has(file)) index.set(file, diffLines(file));
    const lines = file === undefined ? undefined : index.get(file);
    return findingOf(one, file?.path ?? cutText(plainPath(one.path), PATH_CHARS), lines, remembered);
  };
  const most = Math.floor(MOST_FINDINGS / Math.max(1, readings.length));
  const merged = mergeReadings(
    readings.map((drafted) => drafted.slice(0, most).map(read)),
    timesRead,
  );
  const reviewed = new Set(files.map(({ path }) => path));
  const findings: Finding[] = [];
  const heldBack: HeldBack[] = [];
  for (const finding of merged) {
    if (!reviewed.has(finding.path)) heldBack.push({ finding, reason: NOT_REVIEWED });
    else if (finding.title === "" || finding.body === "")
      heldBack.push({ finding, reason: "the model gave no reason" });
    else findings.push(finding);
  }
  const dropped = readings.reduce((sum, { length }) => sum + Math.max(0, length - most), 0);
  return { findings, heldBack, dropped };
}

/** Models write diff paths as `a/src/x.ts` and `./src/x.ts`. */
function plainPath(path: string): string {
  return path.trim().replace(/^(?:\.\/|[ab]\/)(?=.)/, "");
}

function findingOf(
  one: DraftedFinding,
  path: string,
  lines: DiffLines | undefined,
  remembered: ReadonlyMap<string, Precedent>,
): Finding {
  const place = lines === undefined ? NOWHERE : locate(one, lines);
  const odds = { real: share(one.true), wanted: share(one.wanted) };
  const named = new Set(one.precedents.slice(0, 20).map(plainId));
  return {
    id: idOf(one, path, lines, place),
    path,
    side: place.side,
    startLine: place.startLine,
    line: place.line,
    severity: one.severity,
    category: one.category,
    rule: null,
    title: cutText(one.title.trim(), TITLE_CHARS),
    body: cutText(one.body.trim(), BODY_CHARS),
    source: "model",
    confidence: odds.real * odds.wanted,
    odds,
    suggestion: suggestionOf(one, place),
    // Each once; invented ids are dropped.
    precedents: [...named].flatMap((id) => remembered.get(id) ?? []).slice(0, MOST_PRECEDENTS),
    locMethod: place.method,
  };
}

/**
 * From the first cited line and the category: the same defect reworded keeps its id. One without a
 * place is identified by its title.
 */
function idOf(one: DraftedFinding, path: string, lines: DiffLines | undefined, place: Located): string {
  const cited = lines === undefined || place.method === "none" ? null : lines.at(place.side, place.startLine);
  const kind = `model:${one.category}`;
  if (cited === null || lines === undefined) return findingId(kind, path, [one.title.toLowerCase()], 0);
  const alike = lines
    .starting(cited.text, "folded")
    .filter(({ first }) => first.side === place.side && first.line < place.startLine);
  return findingId(kind, path, [cited.text], alike.length);
}

/** How many lines a suggestion covers, from its anchors alone; NaN when one cannot be parsed. */
function linesCovered({ anchor, endAnchor }: DraftedFinding): number {
  if (endAnchor === null) return 1;
  return (parseAnchor(endAnchor)?.line ?? Number.NaN) - (parseAnchor(anchor)?.line ?? Number.NaN) + 1;
}

function suggestionOf(one: DraftedFinding, place: Located): Suggestion | null {
  if (one.suggestion === null || place.method === "none" || place.side !== "RIGHT") return null;
  if (linesCovered(one) !== place.line - place.startLine + 1) return null;
  if (one.suggestion.length > SUGGESTION_CHARS) return null;
  return { startLine: place.startLine, line: place.line, text: one.suggestion.replace(/\n$/, "") };
}

/** An id without the brackets that the prompt puts around it. */
export function plainId(id: string): string {
  return id.trim().replace(/^\[|\]$/g, "");
}

/** A model's confidence within 0–1; a value that is not a number counts as even odds. */
export function share(confidence: number): number {
  return Number.isFinite(confidence) ? Math.min(1, Math.max(0, confidence)) : 0.5;
}
