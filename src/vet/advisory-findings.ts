// Advisories that an update brings become findings: one a package, at the line that brings it.

import type { RuleSetting } from "../config/repo-config.ts";
import {
  ADVISORY_RULE,
  type Advisory,
  type Answer,
  type GraphAdvisory,
  type PackageAdvisories,
  type PackageUpdate,
  type PublishedAdvisory,
} from "../domain/dependency-update.ts";
import { type Finding, findingId, SEVERITIES } from "../domain/finding.ts";
import { cutText } from "../domain/text/cut-text.ts";
import { inRange, packageKey } from "./compare-versions.ts";
import type { FoundPackage } from "./find-packages.ts";

const MAX_ADVISORIES = 5;

/**
 * @param setting of this rule in `rules` of .kodiai.yml
 * @param fallbackPath the file to report on if a package's place is not known; null when the change has no file
 */
export function advisoryFindings(
  packages: readonly PackageUpdate[],
  setting: RuleSetting | undefined,
  fallbackPath: string | null,
): readonly Finding[] {
  if (setting === "off") return [];
  return packages.flatMap((one): Finding[] => {
    const path = one.place?.path ?? fallbackPath;
    const brought = one.advisories.kind === "known" ? one.advisories.brought : [];
    const [gravest] = brought;
    if (gravest === undefined || path === null) return [];
    const line = one.place?.line ?? null;
    const ids = [one.name, ...brought.map(({ id }) => id).toSorted()];
    return [
      {
        id: findingId(ADVISORY_RULE, path, ids, 0),
        path,
        side: "RIGHT",
        startLine: line ?? 1,
        line: line ?? 1,
        severity: setting ?? gravest.severity,
        category: "security",
        rule: ADVISORY_RULE,
        title: title(one, brought),
        body: body(one, brought),
        source: "rule",
        confidence: 0.95,
        suggestion: null,
        precedents: [],
        ...(line === null ? { locMethod: "none" as const } : {}),
      },
    ];
  });
}

function title({ name, to }: PackageUpdate, brought: readonly Advisory[]): string {
  const version = `${name} ${to ?? ""}`.trim();
  if (brought.some(({ malware }) => malware)) return `${version} is known malware`;
  return brought.length === 1
    ? `${version} has a known advisory that the update brings`
    : `${version} has ${brought.length} known advisories that the update brings`;
}

function body({ from, change }: PackageUpdate, brought: readonly Advisory[]): string {
  const before =
    from !== null
      ? `The version before (${from}) does not have ${brought.length === 1 ? "it" : "them"}:`
      : change === "added"
        ? "The package is new here:"
        : "Whether the version before has it, too, is not known:";
  const shown = brought.slice(0, MAX_ADVISORIES).map(advisoryLine);
  const more = brought.length - shown.length;
  return [before, "", ...shown, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n");
}

/** In code, characters such as `<` stay as they are. */
function asCode(text: string): string {
  return `\`${cutText(text.replaceAll("`", ""), 100)}\``;
}

function advisoryLine({ id, summary, range, patched }: Advisory): string {
  const words = cutText(summary.replace(/\s+/g, " ").trim(), 200);
  const where = range === null ? "" : `; affects ${asCode(range)}`;
  const until = patched === null ? "" : `; first fixed in ${asCode(patched)}`;
  return `- ${id}: ${words}${where}${until}`;
}

// Which advisories an update fixes, introduces and keeps: the difference between those of the old and of the new version.

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
