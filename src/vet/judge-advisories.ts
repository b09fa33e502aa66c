// Which advisories an update fixes, brings and keeps: those that hold before are held against those that hold after.
import type {
  Advisory,
  Answer,
  GraphAdvisory,
  PackageAdvisories,
  PublishedAdvisory,
} from "../domain/dependency-update.ts";
import { SEVERITIES } from "../domain/finding.ts";
import type { FoundPackage } from "./find-packages.ts";
import { packageKey } from "./package-key.ts";
import { inRange } from "./version-range.ts";

type Asked = Answer<readonly PublishedAdvisory[]>;

/** Answers about the packages of one ecosystem, at their old and at their new versions; null where nothing was asked. */
export interface AskedAdvisories {
  readonly before: Asked | null;
  readonly after: Asked | null;
  readonly malware: Asked | null;
}

/** GitHub's alphabet for these ids leaves out what is easily confused. */
const GHSA = /^GHSA(?:-[23456789cfghjmpqrvwx]{4}){3}$/;
const MOST = 30;

/** @param asked the answers; or why nothing was asked about this package, as a fragment of a sentence */
export function judgeAdvisories(one: FoundPackage, asked: AskedAdvisories | string): PackageAdvisories {
  const malware = typeof asked === "string" ? [] : heldBy(asked.malware, one, one.to);
  if (one.graph !== null) return compared(one.graph.before.map(ofGraph), [...one.graph.after.map(ofGraph), ...malware]);
  if (typeof asked === "string") return { kind: "unknown", reason: asked };
  if (one.to === null && one.change !== "removed") return { kind: "unknown", reason: "the new version is not known" };
  const failed = [asked.after, asked.before].find((answer) => answer?.kind === "unknown");
  if (failed?.kind === "unknown") return { kind: "unknown", reason: failed.reason };
  return compared(heldBy(asked.before, one, one.from), [...heldBy(asked.after, one, one.to), ...malware]);
}

function compared(before: readonly Advisory[], after: readonly Advisory[]): PackageAdvisories {
  const [old, now] = [usable(before), usable(after)];
  return {
    kind: "known",
    fixed: [...old.values()].filter(({ id }) => !now.has(id)),
    brought: [...now.values()].filter(({ id }) => !old.has(id)),
    remaining: [...now.values()].filter(({ id }) => old.has(id)),
  };
}

/** By id, gravest first. */
function usable(advisories: readonly Advisory[]): ReadonlyMap<string, Advisory> {
  const known = advisories.filter(({ id }) => GHSA.test(id)).slice(0, MOST);
  const ordered = known.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
  return new Map(ordered.map((one) => [one.id, one]));
}

function ofGraph({ id, severity, summary }: GraphAdvisory): Advisory {
  return { id, severity, summary, malware: false, range: null, patched: null };
}

/**
 * Those of an answer that hold at a version of this package. The answer is about several packages, so that each range is
 * read once more; what cannot be read is taken as it was answered.
 */
function heldBy(answer: Asked | null, { name, ecosystem }: FoundPackage, version: string | null): readonly Advisory[] {
  if (answer === null || answer.kind === "unknown" || version === null) return [];
  const key = packageKey(ecosystem, name);
  return answer.value.flatMap(({ id, severity, summary, malware, ranges }): Advisory[] => {
    const own = ranges.filter((one) => packageKey(ecosystem, one.name) === key);
    const holds = (range: string | null) => (range === null ? "unknown" : inRange(ecosystem, range, version));
    const held = own.find(({ range }) => holds(range) === "yes") ?? own.find(({ range }) => holds(range) === "unknown");
    return held === undefined ? [] : [{ id, severity, summary, malware, range: held.range, patched: held.patched }];
  });
}
