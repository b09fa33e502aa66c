// The section about a dependency update: a verdict in fixed words, a table of packages, what release notes announce, where the
// code names a package, and what was not looked up. Everything in it that others wrote is quoted and inert.

import type {
  Advisory,
  DependencyUpdate,
  PackageNotes,
  PackageUpdate,
  PackageUsage,
  UsagePlace,
} from "../domain/dependency-update.ts";
import type { Review } from "../domain/review.ts";
import { counted, listed } from "../domain/text/counted.ts";
import { publicErrorText } from "../domain/text/public-error-text.ts";
import { fitList } from "./fit-list.ts";
import { advisoryLink, linkedLine } from "./permalink.ts";
import { codeSpan, sanitizeInline } from "./sanitize.ts";

const MAX_PACKAGES = 20;
const MAX_ADVISORIES = 3;
const MAX_NOTES = 24;
const NOTE_LIMIT = 240;
const MAX_GAPS = 12;

/** How the section's length is shared out. */
const SHARE = { packages: 0.45, notes: 0.25, usage: 0.18, gaps: 0.1 } as const;

/** The section's lines; none without an update. `maxLength` in UTF-16 units. */
export function dependencyUpdateLines(review: Review, maxLength: number): readonly string[] {
  const { update } = review;
  if (update === undefined || update === null) return [];
  return [
    `**Dependency update**: ${updateVerdict(update)}.`,
    ...table(update, maxLength * SHARE.packages),
    ...noteLines(update.notes, maxLength * SHARE.notes),
    ...usageLines(review, update.usage, maxLength * SHARE.usage),
    ...gapLines(update, maxLength * SHARE.gaps),
  ];
}

function table({ packages, more }: DependencyUpdate, maxLength: number): readonly string[] {
  if (packages.length === 0) return [];
  const rows = packages.slice(0, MAX_PACKAGES).map(row);
  const fitting = rows.filter((_, index) => rows.slice(0, index + 1).join("\n").length <= maxLength);
  const rest = packages.length + more - fitting.length;
  return [
    "",
    "| Package | From → to | Step | Direct | Advisories fixed | New advisories |",
    "|-|-|-|-|-|-|",
    ...fitting,
    ...(rest > 0 ? ["", `And ${counted(rest, "more package")}.`] : []),
  ];
}

function row(one: PackageUpdate): string {
  const { name, from, to, direct, advisories, licence } = one;
  const isDirect = direct === null ? "not known" : direct ? "yes" : "no";
  const missing = one.source === "text" || one.change === "updated" ? "?" : "none";
  const versions = [from, to].map((version) => (version === null ? missing : code(version, 40))).join(" → ");
  const said = one.saidTo === null ? "" : ` (the text says ${code(one.saidTo, 40)})`;
  const changed = licence === null ? "" : `, licence ${code(licence.from, 40)} → ${code(licence.to, 40)}`;
  const known = advisories.kind === "known" ? advisories : null;
  const kept = known === null || known.remaining.length === 0 ? "" : `; kept: ${ids(known.remaining)}`;
  const cells = [
    `${code(name, 80)}${changed}`,
    `${versions}${said}`,
    stepWords(one),
    isDirect,
    known === null ? "not known" : ids(known.fixed),
    known === null ? "not known" : `${ids(known.brought)}${kept}`,
  ];
  return `| ${cells.join(" | ")} |`;
}

function stepWords({ step, change, from, toPrerelease }: PackageUpdate): string {
  if (change !== "updated") return change;
  const early = step === "minor" && from?.startsWith("0.") === true ? "minor, below 1.0" : step;
  return toPrerelease && step !== "prerelease" ? `${early}, to a prerelease` : early;
}

function ids(advisories: readonly Advisory[]): string {
  return listed(advisories, MAX_ADVISORIES, ({ id, severity }) => `${advisoryLink(id)} (${severity})`) || "none";
}

/** A bar ends a cell, even in code; the broken bar looks similar. */
function code(text: string, limit: number): string {
  return codeSpan(text, limit).replaceAll("|", "¦");
}

function noteLines(notes: readonly PackageNotes[], maxLength: number): readonly string[] {
  const shown = notes.flatMap(({ name, breaking }) =>
    breaking.flatMap(({ tag, lines }) => lines.map((line) => ({ name, tag, line }))),
  );
  if (shown.length === 0) return [];
  const write = ({ name, tag, line }: (typeof shown)[number]) =>
    `> - ${codeSpan(name, 60)} ${codeSpan(tag, 60)}: ${sanitizeInline(line, NOTE_LIMIT)}`;
  const more = (count: number) => `> - and ${counted(count, "more line")}`;
  return [
    "",
    "Release notes announce, in their own words:",
    "",
    ...fitList(shown, write, Math.max(maxLength, 200), MAX_NOTES, more),
  ];
}

function usageLines(review: Review, usage: readonly PackageUsage[], maxLength: number): readonly string[] {
  const used = usage.flatMap((one) => (one.kind === "looked" && one.places.length > 0 ? [one] : []));
  if (used.length === 0) return [];
  const write = ({ name, places, more }: (typeof used)[number]) =>
    `- ${codeSpan(name, 60)}: ${listed(places, places.length, (place) => placeWords(review, place), more)}`;
  return ["", "Places that name it:", "", ...fitList(used, write, Math.max(maxLength, 200), usage.length)];
}

/** Indexed code is the default branch's, at an unknown commit: only the base's text is sure to be close. */
function placeWords({ repo, baseSha }: Review, { path, line, broken }: UsagePlace): string {
  const place = linkedLine(repo, baseSha, path, line);
  const names = broken.slice(0, 3).map((name) => codeSpan(name, 60));
  return names.length === 0 ? place : `${place} (with ${names.join(", ")} of those notes)`;
}

function gapLines({ packages, notes, usage, notLooked }: DependencyUpdate, maxLength: number): readonly string[] {
  const gaps = [
    ...notLooked.map(({ what, reason }) => `${what}: ${sanitizeInline(publicErrorText(reason), 160)}`),
    ...grouped("advisories of", packages, ({ advisories: one }) => (one.kind === "unknown" ? one.reason : null)),
    ...grouped("release notes of", notes, ({ missing }) => missing),
    ...grouped("the use of", usage, (one) => (one.kind === "not-looked" ? one.reason : null)),
  ];
  if (gaps.length === 0) return [];
  return ["", "Not looked at:", "", ...fitList(gaps, (gap) => `- ${gap}`, Math.max(maxLength, 300), MAX_GAPS)];
}

const MAX_NAMES = 5;

/** One line for each reason, with the packages that it holds for. */
function grouped<T extends { readonly name: string }>(
  what: string,
  items: readonly T[],
  reasonOf: (item: T) => string | null,
): readonly string[] {
  return [...Map.groupBy(items, reasonOf)].flatMap(([reason, all]) => {
    if (reason === null) return [];
    const names = listed(all, MAX_NAMES, ({ name }) => codeSpan(name, 60));
    return `${what} ${names}: ${sanitizeInline(publicErrorText(reason), 160)}`;
  });
}

// The verdict on an update, from a closed set of sentences. None of them says that it may be merged: people decide that, and
// no lookup here could show it.

/** Clauses about advisories, steps, use and release notes, joined by semicolons; without a full stop. */
export function updateVerdict(update: DependencyUpdate): string {
  if (update.packages.length === 0)
    return "which packages it changes could not be read from title, description or manifests";
  return [...advisoryWords(update), ...allSteps(update), usageWords(update), noteWords(update)].join("; ");
}

function advisoryWords({ packages, more }: DependencyUpdate): readonly string[] {
  const known = packages.flatMap(({ advisories }) => (advisories.kind === "known" ? [advisories] : []));
  const all = packages.length + more;
  if (known.length === 0) return ["advisories were not looked up"];
  const sum = (part: "fixed" | "brought" | "remaining") => known.reduce((count, one) => count + one[part].length, 0);
  const [fixed, brought, remaining] = [sum("fixed"), sum("brought"), sum("remaining")];
  const none = brought + remaining === 0;
  return [
    none ? `no known advisory at the new ${all === 1 ? "version" : "versions"}` : "",
    known.length < all ? `advisories were looked up for ${known.length} of ${all} packages` : "",
    brought > 0 ? `${counted(brought, "known advisory", "known advisories")} new with the update` : "",
    remaining > 0 ? `${counted(remaining, "known advisory", "known advisories")} as before` : "",
    fixed > 0 ? `${counted(fixed, "known advisory", "known advisories")} fixed` : "",
  ].filter((words) => words !== "");
}

function allSteps({ packages }: DependencyUpdate): readonly string[] {
  const count = (step: string) => packages.filter((one) => one.step === step).length;
  return [
    count("major") > 0 ? counted(count("major"), "major step") : "",
    count("downgrade") > 0 ? counted(count("downgrade"), "downgrade") : "",
  ].filter((words) => words !== "");
}

function usageWords({ usage, packages }: DependencyUpdate): string {
  const looked = usage.flatMap((one) => (one.kind === "looked" ? [one] : []));
  if (looked.length === 0) return "where it is used was not looked at";
  const places = looked.reduce((count, one) => count + one.places.length + one.more, 0);
  const it = packages.length === 1 ? "it" : "them";
  return places === 0
    ? `no place in the changed files names ${it}`
    : `${counted(places, "place")} in the changed files ${places === 1 ? "names" : "name"} ${it}`;
}

function noteWords({ notes }: DependencyUpdate): string {
  const read = notes.reduce((count, one) => count + one.read, 0);
  if (read === 0) return "release notes were not read";
  const lines = notes.reduce((count, one) => count + one.breaking.reduce((sum, note) => sum + note.lines.length, 0), 0);
  const of = `in the ${read === 1 ? "release note" : `${read} release notes`} read`;
  return lines === 0 ? `breaking notes: none found ${of}` : `breaking notes: ${counted(lines, "line")} ${of}`;
}
