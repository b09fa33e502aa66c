// Repository rules over one change: files with their text before it, and the head if asked for.

import type { RuleSetting } from "../../../config/repo-config.ts";
import { ignoreReason } from "../../../domain/code/ignore-comment.ts";
import { type Finding, findingId } from "../../../domain/finding.ts";
import type { Degraded } from "../../../domain/omissions.ts";
import type { FileDiff } from "../../../domain/pull-request.ts";
import type { Snapshot } from "../../../ports/snapshot.ts";
import type { InspectedFile, InspectedRepository, Inspection } from "../../../ports.ts";
import { inspectionOf, joinInspections, onlyDegraded, wordsOfRule } from "../inspection.ts";
import { lineTexts } from "../known-lines.ts";
import type { Change, ChangedFile, RepositoryRule, Sighting } from "../rule.ts";
import { checkRemoved } from "./checks.ts";
import { callersNotChanged, importOfRemovedExport } from "./users.ts";

/** Findings of the rules that need more than one file, in the order of the files. */
export async function inspectRepository(
  files: readonly InspectedFile[],
  settings: ReadonlyMap<string, RuleSetting>,
  repository: InspectedRepository,
): Promise<Inspection> {
  const degraded: Degraded[] = [];
  let reading: Promise<Snapshot | null> | null = null;
  const read = async (): Promise<Snapshot | null> => {
    const { snapshot, degraded: why } = await repository.at();
    degraded.push(...why);
    return snapshot;
  };
  const changed = files
    .filter(({ diff, facts }) => !diff.binary && diff.complete && facts.kind !== "test")
    .map((file) => changedFile(file, repository));
  const change: Pick<Change, "symbols" | "head"> = { symbols: repository.symbols, head: () => (reading ??= read()) };
  const parts: Inspection[] = [];
  for (const rule of REPOSITORY_RULES.filter(({ id }) => settings.get(id) !== "off")) {
    const leave = (reason: string) => void degraded.push({ part: `rule ${rule.id}`, reason });
    const found = await rule.look({ ...change, leave, files: changed });
    parts.push(inspectionOfRule(rule, found, settings.get(rule.id)));
  }
  return joinInspections([...parts, onlyDegraded(...degraded, ...repository.symbols.missed())]);
}

function changedFile(file: InspectedFile, { symbols }: InspectedRepository): ChangedFile {
  const { diff, headText } = file;
  const basePath = diff.previousPath ?? diff.path;
  const baseText = baseOf(diff, headText);
  const sides = { base: [basePath, baseText], head: [diff.path, headText] } as const;
  const links = new Map<string, ReturnType<ChangedFile["links"]>>();
  return {
    ...file,
    basePath,
    baseText,
    links(of) {
      const [path, text] = sides[of];
      const read = links.get(of) ?? (text === null ? Promise.resolve(null) : symbols.links(path, text, new Set()));
      links.set(of, read);
      return read;
    },
  };
}

/** The head with the change taken back; null where there was no file, or it is not known. */
function baseOf({ status, hunks }: FileDiff, headText: string | null): string | null {
  if (status === "added" || status === "copied") return null;
  if (status === "removed") return hunks.flatMap(({ lines }) => lines.map(({ text }) => text)).join("\n");
  if (headText === null) return null;
  const lines = headText.split("\n");
  const parts: string[] = [];
  let at = 0;
  for (const { newStart, newLines, lines: own } of hunks) {
    // A hunk without lines of the head names the line before it.
    const from = newLines === 0 ? newStart : newStart - 1;
    for (; at < from; at++) parts.push(lines[at] ?? "");
    for (const { kind, text } of own) if (kind !== "added") parts.push(text);
    at = from + newLines;
  }
  for (; at < lines.length; at++) parts.push(lines[at] ?? "");
  return parts.join("\n");
}

function inspectionOfRule(
  rule: RepositoryRule,
  sightings: readonly Sighting[],
  setting: RuleSetting | undefined,
): Inspection {
  const found = sightings.map(({ file, side, line, detail, note: where }) => {
    const place = { startLine: line ?? 1, line: line ?? 1 };
    const finding: Finding = {
      id: findingId(rule.id, file.basePath, [detail], 0),
      path: file.diff.path,
      side,
      ...place,
      ...wordsOfRule(rule, setting, detail, { where }),
      suggestion: null,
      ...(line === null ? { locMethod: "none" } : {}),
    };
    const isOfHead = side === "RIGHT" && line !== null;
    return { finding, ignored: isOfHead ? ignoreReason(rule.id, place, lineTexts(file)) : null };
  });
  return inspectionOf(found);
}

/** Rules that hold a change against the whole repository. */
export const REPOSITORY_RULES: readonly RepositoryRule[] = [callersNotChanged, checkRemoved, importOfRemovedExport];
