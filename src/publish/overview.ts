// What the pull request does, in a few lines: its announced intent, its size, its languages and where to look closer.
import type { Review } from "../domain/review.ts";
import type { Intent, LanguageShare, Risk } from "../domain/signals.ts";
import { counted } from "./fit-list.ts";
import { linkedCode, permalink } from "./permalink.ts";
import { codeSpan, sanitizeInline } from "./sanitize.ts";

const LANGUAGES_SHOWN = 5;
const RISKS_SHOWN = 12;
const PLACES_SHOWN = 3;

/** One list item a line. The author's standing is kept out: it steers the review and is nobody else's business. */
export function overview(review: Review): readonly string[] {
  const { intent, languages, risks } = review.signals;
  return [
    ...intentLine(intent),
    ...bumpLine(intent),
    sizeLine(review),
    ...languageLine(languages),
    ...riskLines(review, risks),
  ];
}

function intentLine(intent: Intent): readonly string[] {
  const parts = [
    intent.type === null ? "" : codeSpan(intent.type),
    intent.scope === null ? "" : `scope ${codeSpan(intent.scope, 60)}`,
    intent.breaking.length === 0 ? "" : `**breaking**, says the ${places(intent.breaking.map(({ where }) => where))}`,
    intent.reverts === null ? "" : "reverts an earlier change",
  ].filter((part) => part !== "");
  return parts.length === 0 ? [] : [`- Intent: ${parts.join(", ")}`];
}

function bumpLine(intent: Intent): readonly string[] {
  const { bump } = intent;
  if (bump === null) return [];
  const name = bump.packageName === null ? "several packages" : codeSpan(bump.packageName, 100);
  const from = bump.from === null ? "" : ` from ${codeSpan(bump.from, 40)}`;
  const to = bump.to === null ? "" : ` to ${codeSpan(bump.to, 40)}`;
  const step = bump.step === "unknown" ? "" : ` (${bump.step})`;
  return [`- Dependency: ${name}${from}${to}${step}`];
}

function sizeLine(review: Review): string {
  const { metrics } = review.signals;
  const kinds = Object.entries(metrics.filesByKind)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`);
  const detail = kinds.length > 1 ? ` (${kinds.join(", ")})` : "";
  return `- Size: ${counted(metrics.files, "file")}${detail}, ${metrics.added} lines added, ${metrics.removed} removed`;
}

function languageLine(languages: readonly LanguageShare[]): readonly string[] {
  if (languages.length === 0) return [];
  const shown = languages
    .slice(0, LANGUAGES_SHOWN)
    .map(({ name, share }) => `${sanitizeInline(name, 40)} ${percent(share)}`);
  const rest = languages.length - shown.length;
  return [`- Languages: ${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`];
}

function riskLines(review: Review, risks: readonly Risk[]): readonly string[] {
  const shown = risks.slice(0, RISKS_SHOWN).map((risk) => `- Look closer: ${riskText(review, risk)}`);
  const rest = risks.length - shown.length;
  return rest > 0 ? [...shown, `- and ${counted(rest, "more risk")}`] : shown;
}

function riskText(review: Review, risk: Risk): string {
  const shown = risk.evidence.slice(0, PLACES_SHOWN).map(({ path, line }) => {
    const at = line === null ? null : { startLine: line, line };
    return linkedCode(line === null ? path : `${path}:${line}`, permalink(review.repo, review.headSha, path, at));
  });
  const rest = risk.evidence.length - shown.length;
  const where = shown.length === 0 ? "" : ` (${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""})`;
  return `${sanitizeInline(risk.text, 120)}${where}`;
}

function places(words: readonly string[]): string {
  return [...new Set(words)].join(" and the ");
}

/** Whole per cent; a share that would round to none says so. */
function percent(share: number): string {
  const rounded = Math.round(share * 100);
  return rounded === 0 ? "under 1 %" : `${rounded} %`;
}
