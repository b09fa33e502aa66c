// Which advisories an update fixes, introduces and keeps: the difference between those of the old and of the new version.
import type {
  Advisory,
  Answer,
  GraphAdvisory,
  PackageAdvisories,
  PublishedAdvisory,
} from "../domain/dependency-update.ts";
import { SEVERITIES } from "../domain/finding.ts";
import { inRange } from "./compare-versions.ts";
import type { FoundPackage } from "./find-packages.ts";
import { packageKey } from "./update-step.ts";

type Asked = Answer<readonly PublishedAdvisory[]>;

/** Answers about the packages of one ecosystem, at their old and at their new versions; null if not asked. */
export interface AskedAdvisories {
  readonly before: Asked | null;
  readonly after: Asked | null;
  readonly malware: Asked | null;
}

/** GitHub's alphabet for these ids leaves out characters that are easily confused. */
const GHSA = /^GHSA(?:-[23456789cfghjmpqrvwx]{4}){3}$/;
const MOST = 30;

/** @param asked the answers; or why this package was not looked up, as a fragment of a sentence */
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

/** By id, most severe first. */
function usable(advisories: readonly Advisory[]): ReadonlyMap<string, Advisory> {
  const known = advisories.filter(({ id }) => GHSA.test(id)).slice(0, MOST);
  const ordered = known.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
  return new Map(ordered.map((one) => [one.id, one]));
}

function ofGraph({ id, severity, summary }: GraphAdvisory): Advisory {
  return { id, severity, summary, malware: false, range: null, patched: null };
}

/**
 * The advisories of an answer that apply to a version of this package. The answer covers several packages, so each range is
 * checked again; an unreadable range counts as it was answered.
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
