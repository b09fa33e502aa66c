// Advisories that an update brings become findings: one a package, at the line that brings it.

import type { RuleSetting } from "../config/repo-config.ts";
import { ADVISORY_RULE, type Advisory, type PackageUpdate } from "../domain/dependency-update.ts";
import { type Finding, findingId } from "../domain/finding.ts";
import { cutText } from "../domain/text/cut-text.ts";

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
