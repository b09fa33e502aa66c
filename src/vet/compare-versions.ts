// Which of two versions comes first, in the order of their ecosystem. Unreadable versions give null; nothing is guessed.

import pep440 from "@renovatebot/pep440";
import * as rubyGems from "@renovatebot/ruby-semver";
import semver from "semver";
import type { UpdateStep } from "../domain/dependency-update.ts";
import { compareTexts } from "../domain/text/compare-texts.ts";

/** Longer texts are not versions; a Go pseudo-version has about 60 characters. */
const LONGEST = 100;

/** Commits, and versions with a wildcard, which some orders would read as words. */
const NO_VERSION = /^(?=[0-9]{0,40}[a-f])[0-9a-f]{7,40}$|[.-][x*](?:[.-]|$)/i;

type Order = (a: string, b: string) => number | null;

/** Ecosystems that do not order by semver, named as in DependencyBump. */
const ORDERS: ReadonlyMap<string, Order> = new Map<string, Order>([
  ["python", comparePython],
  ["java", compareMaven],
  ["ruby", compareGems],
  ["dotnet", compareNuget],
  ["php", (a, b) => byKeys(composerKeys(a), composerKeys(b))],
]);

/**
 * Negative when `a` comes before `b`, 0 when they are the same version, positive when it comes after; null when one of them
 * is not a version of the ecosystem. Ecosystems without an order here use semver's, with partial versions completed by `.0`.
 */
export function compareVersions(ecosystem: string | null, a: string, b: string): number | null {
  if ([a, b].some((text) => text.length > LONGEST || NO_VERSION.test(text.trim()))) return null;
  return (ORDERS.get(ecosystem ?? "") ?? compareSemver)(a.trim(), b.trim());
}

const SEMVER = /^v?(\d{1,15})(?:\.(\d{1,15}))?(?:\.(\d{1,15}))?(?:-([0-9A-Za-z.-]{1,90}))?(?:\+[0-9A-Za-z.-]{1,90})?$/;

function compareSemver(a: string, b: string): number | null {
  const [first, second] = [a, b].map((text) => {
    const [whole, major = 0, minor = 0, patch = 0, pre] = SEMVER.exec(text) ?? [];
    if (whole === undefined) return null;
    // Calendar versions such as 2024.01.05 have zeros that semver does not allow.
    const numbers = [major, minor, patch].map(Number).join(".");
    return semver.parse(pre === undefined ? numbers : `${numbers}-${pre}`);
  });
  return first && second ? semver.compare(first, second) : null;
}

const NUGET = /^v?(\d{1,9}(?:\.\d{1,9}){0,3})(?:-([0-9a-z.-]{1,90}))?(?:\+[0-9a-z.-]{1,90})?$/i;

/** Four numbers, and prereleases compared without case: learn.microsoft.com, "NuGet package versioning". */
function compareNuget(a: string, b: string): number | null {
  const [first, second] = [NUGET.exec(a), NUGET.exec(b)];
  if (first === null || second === null) return null;
  const numbers = byKeys(numbersOf(first[1]), numbersOf(second[1]));
  if (numbers !== 0) return numbers;
  const [pre, other] = [first[2], second[2]].map((text) =>
    semver.parse(`0.0.0${text ? `-${text.toLowerCase()}` : ""}`),
  );
  return pre && other ? semver.compare(pre, other) : null;
}

function numbersOf(text = ""): number[] {
  return text.split(".").map(Number);
}

/** Compares number by number; a missing one counts as 0. */
function byKeys(a: readonly number[] | null, b: readonly number[] | null): number | null {
  if (a === null || b === null) return null;
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const order = (a[at] ?? 0) - (b[at] ?? 0);
    if (order !== 0) return order;
  }
  return 0;
}

/** A local version (+cpu) equals the version that it was built from. */
function comparePython(a: string, b: string): number | null {
  if (pep440.valid(a) === null || pep440.valid(b) === null) return null;
  return pep440.compare(a.replace(/\+.*/, ""), b.replace(/\+.*/, ""));
}

function compareGems(a: string, b: string): number | null {
  const [first = "", second = ""] = [a, b].map((text) => text.replace(/^v(?=\d)/i, ""));
  // Ruby reads an empty text as version 0.
  if ([first, second].some((text) => text === "" || rubyGems.valid(text) === null)) return null;
  return Number(rubyGems.gt(first, second)) - Number(rubyGems.lt(first, second));
}

const COMPOSER =
  /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:[-._]?(dev|alpha|a|beta|b|rc|stable|patch|pl|p)[.-]?(\d{0,9}))?$/i;

/** As PHP's version_compare: dev, alpha, beta, RC, the release, patches of it. */
const COMPOSER_PHASES: ReadonlyMap<string, number> = new Map(
  Object.entries({ dev: 0, a: 1, alpha: 1, b: 2, beta: 2, rc: 3, stable: 4, p: 5, pl: 5, patch: 5 }),
);

function composerKeys(text: string): number[] | null {
  const match = COMPOSER.exec(text);
  if (match === null) return null;
  const numbers = match.slice(1, 5).map((number) => Number(number ?? 0));
  return [...numbers, COMPOSER_PHASES.get((match[5] ?? "stable").toLowerCase()) ?? 4, Number(match[6] ?? 0)];
}

// Maven's order of versions, after its "POM Reference, Version Order Specification".

/** Qualifiers in their order; "" is the release itself. */
const QUALIFIERS: readonly string[] = ["alpha", "beta", "milestone", "rc", "snapshot", "", "sp"];

const SAME: ReadonlyMap<string, string> = new Map(Object.entries({ cr: "rc", final: "", ga: "", release: "" }));

/** Before a digit these letters are qualifiers. */
const SHORT: ReadonlyMap<string, string> = new Map(Object.entries({ a: "alpha", b: "beta", m: "milestone" }));

interface Token {
  readonly dash: boolean;
  readonly value: number | string;
}

/** Negative, 0 or positive; null when one is no version that begins with a number. */
function compareMaven(a: string, b: string): number | null {
  const [first, second] = [tokens(a), tokens(b)];
  if (first === null || second === null) return null;
  for (let at = 0; at < Math.max(first.length, second.length); at++) {
    const order = compareTokens(first[at] ?? padFor(second[at]), second[at] ?? padFor(first[at]));
    if (order !== 0) return order;
  }
  return 0;
}

function tokens(text: string): readonly Token[] | null {
  if (!/^v?\d[\w.+-]{0,99}$/i.test(text)) return null;
  const found: Token[] = [];
  const lower = text.replace(/^v/i, "").toLowerCase();
  let dash = true;
  for (const match of lower.matchAll(/(\d{1,15})|([a-z_+]+)|([.-])/g)) {
    const [all, digits, word = "", separator] = match;
    if (separator !== undefined) dash = separator === "-";
    else {
      const isShort = /\d/.test(lower.charAt(match.index + all.length));
      const value = SAME.get(word) ?? (isShort ? SHORT.get(word) : undefined) ?? word;
      if (dash) dropNulls(found);
      found.push({ dash, value: digits === undefined ? value : Number(digits) });
      // A change from digits to letters, or back, counts as a dash.
      dash = true;
    }
  }
  dropNulls(found);
  return found;
}

/** Before each dash and at the end, zeros and empty words mean nothing: 1.0.0-rc1 is 1-rc-1. */
function dropNulls(kept: Token[]): void {
  while (kept.length > 0 && (kept.at(-1)?.value === 0 || kept.at(-1)?.value === "")) kept.pop();
}

function padFor(other: Token | undefined): Token {
  const dash = other?.dash ?? false;
  return { dash, value: typeof other?.value === "number" && !dash ? 0 : "" };
}

function compareTokens(a: Token, b: Token): number {
  const kinds = kindOf(a) - kindOf(b);
  if (kinds !== 0) return kinds;
  if (typeof a.value === "number" && typeof b.value === "number") return a.value - b.value;
  const rank = (word: string) => {
    const known = QUALIFIERS.indexOf(word);
    return known === -1 ? QUALIFIERS.length : known;
  };
  const [one, other] = [String(a.value), String(b.value)];
  return rank(one) - rank(other) || compareTexts(one, other);
}

/** Words, then -number, then .number. */
function kindOf({ dash, value }: Token): number {
  if (typeof value === "string") return 0;
  return dash ? 1 : 2;
}

// Whether a range of an advisory contains a version. GitHub writes `< 1.2.3`, `>= 1.0, < 2.0`, `= 1.0.0`: all parts must hold.

const PART = /^(<=|>=|<|>|=)?\s{0,10}([^\s<>=,]{1,100})$/;
/** Real ranges have two parts. */
const MAX_PARTS = 20;

/** `unknown` when a part of the range or the version cannot be read and no other part rules the version out. */
export function inRange(ecosystem: string | null, range: string, version: string): "yes" | "no" | "unknown" {
  if (range.length > 2_000) return "unknown";
  const parts = range.split(",").map((part) => part.trim());
  if (parts.length > MAX_PARTS) return "unknown";
  const answers = parts.map((part) => partHolds(ecosystem, part, version));
  if (answers.includes(false)) return "no";
  return answers.includes(null) ? "unknown" : "yes";
}

function partHolds(ecosystem: string | null, part: string, version: string): boolean | null {
  const match = PART.exec(part);
  if (match === null) return null;
  const order = compareVersions(ecosystem, version, match[2] ?? "");
  if (order === null) return null;
  const operator = match[1] ?? "=";
  if (order === 0) return operator.includes("=");
  return operator.startsWith(order < 0 ? "<" : ">");
}

// The step of an update from its two versions. Lower than before is a downgrade, even if the title says update.

const NUMBERS = /^v?(?:(\d{1,9})!)?(\d{1,15})(?:\.(\d{1,15}))?(?:\.(\d{1,15}))?/i;
const HASH = /^[0-9a-f]{7,40}$/i;

/**
 * The first of the numbers that differs names the step. "unknown" when a version is missing, cannot be read (a commit, a
 * branch), or is the same as before.
 */
export function updateStep(ecosystem: string | null, from: string | null, to: string | null): UpdateStep {
  if (from === null || to === null || HASH.test(from) || HASH.test(to)) return "unknown";
  const order = compareVersions(ecosystem, from, to);
  if (order === null || order === 0) return "unknown";
  if (order > 0) return "downgrade";
  const [a, b] = [NUMBERS.exec(from), NUMBERS.exec(to)];
  if (a === null || b === null) return "unknown";
  const differs = [1, 2, 3, 4].find((at) => Number(a[at] ?? 0) !== Number(b[at] ?? 0));
  if (differs === undefined) return isPrerelease(from) || isPrerelease(to) ? "prerelease" : "patch";
  if (differs <= 2) return "major";
  return differs === 3 ? "minor" : "patch";
}

/** Words that occur only in prereleases, in any ecosystem. */
const PRERELEASE =
  /\d[-_.]?(?:a|b|c|rc|cr|alpha|beta|pre|preview|dev|m|milestone|snapshot|next|canary|nightly|insiders)(?![a-z])/i;

/** Go's pseudo-versions also count: they name commits and not releases. */
export function isPrerelease(version: string): boolean {
  return PRERELEASE.test(version.slice(0, 100)) || /-(?:0\.)?\d{14}-[0-9a-f]{12}/.test(version.slice(0, 100));
}

const COMMIT = /^(?=\d{0,40}[a-f])[0-9a-f]{7,40}$/i;

/** A version without a manifest's prefix: `^1.2.3`, `~> 1.2`, `==1.2`, `v1.2`; null when the rest is not a version. */
export function bareVersion(text: string): string | null {
  const bare = text
    .trim()
    .slice(0, 120)
    .replace(/^(?:\^|~>|[~=<>]{1,3})\s{0,5}/, "")
    .replace(/^v(?=\d)/i, "");
  return /^\d[\w.!+~-]{0,99}$/.test(bare) && !COMMIT.test(bare) ? bare : null;
}

/**
 * The key that identifies a package across sources. Case never distinguishes packages in practice; PyPI treats `-`, `_` and
 * `.` alike.
 */
export function packageKey(ecosystem: string | null, name: string): string {
  const lower = name.toLowerCase();
  return `${ecosystem ?? ""}:${ecosystem === "python" ? lower.replace(/[-_.]{1,200}/g, "-") : lower}`;
}
