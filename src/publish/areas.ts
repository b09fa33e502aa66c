// Where to look in a change: its risks in one line, its files by area. The author's access is left out: it steers the review, and
// only the review uses it.

import type { Review } from "../domain/review.ts";
import type { Intent, Risk } from "../domain/signals.ts";
import { counted, listed } from "../domain/text/counted.ts";
import { fitList, folded } from "./fit-list.ts";
import { linkedLine } from "./permalink.ts";
import { codeSpan, sanitizeInline } from "./sanitize.ts";

const PLACES_SHOWN = 3;
const FILES_SHOWN = 20;

/** What the change announces beyond its kind, which the title shows: one line, or none. */
export function announced({ signals: { intent }, update }: Pick<Review, "signals" | "update">): readonly string[] {
  const { breaking, reverts, bump } = intent;
  const parts = [
    breaking.length === 0 ? "" : `**breaking** (${[...new Set(breaking.map(({ where }) => where))].join(", ")})`,
    reverts === null ? "" : "reverts an earlier change",
    // The table of a dependency update shows the same.
    bump === null || update ? "" : bumpWords(bump),
  ].filter((part) => part !== "");
  return parts.length === 0 ? [] : [`Announced: ${parts.join(", ")}.`];
}

function bumpWords(bump: NonNullable<Intent["bump"]>): string {
  const name = bump.packageName === null ? "several packages" : codeSpan(bump.packageName, 100);
  const from = bump.from === null ? "" : ` from ${codeSpan(bump.from, 40)}`;
  const to = bump.to === null ? "" : ` to ${codeSpan(bump.to, 40)}`;
  return `dependency ${name}${from}${to}${bump.step === "unknown" ? "" : ` (${bump.step})`}`;
}

/** The areas to look at in one line, with their places folded below. `maxLength` in UTF-16 units. */
export function riskLines(review: Review, maxLength: number): readonly string[] {
  const { risks } = review.signals;
  const areas = [...new Set(risks.map(({ id }) => id.replaceAll("-", " ")))].join(", ");
  const lines = fitList(risks, (risk) => riskLine(review, risk), maxLength, risks.length);
  return folded(`Look closer: ${areas}`, lines);
}

function riskLine(review: Review, risk: Risk): string {
  const { repo, headSha } = review;
  const where = listed(risk.evidence, PLACES_SHOWN, ({ path, line }) => linkedLine(repo, headSha, path, line));
  return `- ${sanitizeInline(risk.text, 120)}${where === "" ? "" : `: ${where}`}`;
}

/** The reviewed files by their topmost folder, folded under their kinds. `maxLength` in UTF-16 units. */
export function fileLines({ reviewed, signals }: Review, maxLength: number): readonly string[] {
  const byArea = Map.groupBy(reviewed, (path) => path.slice(0, path.indexOf("/") + 1));
  const write = ([area, paths]: readonly [string, readonly string[]]) => {
    const shown = listed(paths, FILES_SHOWN, (path) => codeSpan(path.slice(area.length), 120));
    return `- ${area === "" ? "top level" : codeSpan(area, 120)} (${paths.length}): ${shown}`;
  };
  const more = (count: number) => `- and ${counted(count, "more folder")}`;
  const kinds = Object.entries(signals.metrics.filesByKind).filter(([, count]) => count > 0);
  const title = `${counted(reviewed.length, "file")} reviewed (${kinds.map(([kind, count]) => `${count} ${kind}`).join(", ")})`;
  return folded(title, fitList([...byArea], write, maxLength, 100, more));
}
