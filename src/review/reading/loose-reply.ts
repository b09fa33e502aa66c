// Reads what a model meant: smaller ones write severities in other words, numbers as text, or leave
// out a field. One such finding must not cost the others.

import { CATEGORIES, type Category, SEVERITIES, type Severity } from "../../domain/finding.ts";
import { cutText } from "../../domain/text/cut-text.ts";

/** The fields of an object by their names in lower case, without `_`, `-` and spaces. */
export type Fields = ReadonlyMap<string, unknown>;

export function fieldsOf(value: unknown): Fields | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  return new Map(Object.entries(value).map(([name, one]) => [name.toLowerCase().replace(/[\s_-]/g, ""), one]));
}

/**
 * The list under a name; a list or an object in its place; null for anything else. An empty list
 * counts only under its name: that nothing was found must have been said.
 */
export function listIn(value: unknown, name: string): readonly unknown[] | null {
  if (Array.isArray(value)) return value.length === 0 ? null : value;
  const fields = fieldsOf(value);
  const own = fields?.get(name);
  if (Array.isArray(own)) return own;
  if (fieldsOf(own) !== null) return [own];
  const [only, second] = fields === null ? [] : [...fields.values()];
  // `{"review": {"findings": […]}}`
  const inner = second === undefined && fieldsOf(only) !== null ? listIn(only, name) : null;
  return inner === null || inner.length === 0 ? null : inner;
}

/** The first of these fields that is a text or a number; null without one. */
export function textIn(fields: Fields, ...names: readonly string[]): string | null {
  for (const name of names) {
    const value = fields.get(name);
    if (typeof value === "string") return value;
    if (typeof value === "number") return String(value);
  }
  return null;
}

/** 0–1 from a number, `"0.9"`, `"90%"`, a yes or no, or a word; null for anything else. */
export function shareIn(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string") return null;
  const [, digits, percent] = /^\s*(\d{1,3}(?:\.\d{1,9})?|\.\d{1,9})\s*(%?)\s*$/.exec(value) ?? [];
  if (digits !== undefined) return Number(digits) / (percent === "%" ? 100 : 1);
  return SHARES.get(value.trim().toLowerCase()) ?? null;
}

const SHARES: ReadonlyMap<string, number> = new Map([
  ["certain", 1],
  ["true", 1],
  ["yes", 1],
  ["high", 0.9],
  ["likely", 0.8],
  ["medium", 0.6],
  ["low", 0.3],
  ["no", 0],
  ["false", 0],
]);

/** Our words, each with those that models use for it. */
const SEVERITY_WORDS: Readonly<Record<Severity, string>> = {
  critical: "blocker blocking severe fatal emergency urgent showstopper p0 s0 sev0 s1 sev1",
  major: "high error important serious significant p1 s2 sev2",
  medium: "moderate warning warn normal average mid p2 s3 sev3",
  minor:
    "low info information informational notice note nit nitpick trivial suggestion hint cosmetic optional negligible p3 p4 s4 sev4",
};
const CATEGORY_WORDS: Readonly<Record<Category, string>> = {
  security: "vulnerability vulnerabilities vuln auth authentication authorization secret secrets privacy injection xss",
  correctness:
    "bug bugs logic functional functionality defect error errors regression incorrect data validation typing compile",
  performance: "perf efficiency speed memory scalability latency",
  reliability: "robustness concurrency race availability resilience stability crash leak exception handling",
  maintainability:
    "readability quality refactor refactoring complexity duplication design architecture practice practices smell",
  tests: "test testing coverage",
  docs: "doc documentation comment comments typo",
  style: "formatting format lint convention conventions naming nitpick",
};

function wordsOf<Word extends string>(own: readonly Word[], others: Readonly<Record<Word, string>>) {
  return new Map(own.flatMap((word) => [word, ...others[word].split(" ")].map((one) => [one, word] as const)));
}

const SEVERITY_OF = wordsOf(SEVERITIES, SEVERITY_WORDS);
const CATEGORY_OF = wordsOf(CATEGORIES, CATEGORY_WORDS);

function meantBy<Word>(text: string, words: ReadonlyMap<string, Word>): Word | null {
  const found = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return found.flatMap((word) => words.get(word) ?? [])[0] ?? null;
}

/** The severity that a word stands for; null for an unknown one. */
export function severityOf(text: string): Severity | null {
  return meantBy(text, SEVERITY_OF);
}

/** The category that a word stands for; null for an unknown one. */
export function categoryOf(text: string): Category | null {
  return meantBy(text, CATEGORY_OF);
}

/** A verdict by our word, or one of those given for it (as in `not shown`). */
export function verdictOf<Verdict extends string>(
  text: string,
  words: Readonly<Record<Verdict, string>>,
): Verdict | null {
  const plain = text
    .toLowerCase()
    .replace(/[^a-z]+/g, " ")
    .trim();
  const found = (Object.entries(words) as [Verdict, string][]).find(
    ([own, others]) => own.replace(/-/g, " ") === plain || others.split(", ").includes(plain),
  );
  return found?.[0] ?? null;
}

/** What is wrong with a part of a reply, for people and for the model that is asked again. */
export function problemWith(field: string, value: unknown, title: string | null): string {
  const shown = value === undefined ? "is missing" : cutText(JSON.stringify(value) ?? "", 60);
  return `${field} ${shown}${title === null ? "" : ` (${cutText(title, 80)})`}`;
}
