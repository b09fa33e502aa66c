// Behaviour of an earlier system worth keeping: our answer to each case, right outright or
// different on purpose.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import type { AreaCheck } from "../conformance/area-check.ts";
import { dataFingerprint, fingerprint, readRows } from "../read-data.ts";
import type { Row, Suite } from "../suite.ts";
import { answered, unanswered } from "../unanswered.ts";

interface Case {
  /** FILE[INDEX] where the case has none. */
  readonly id: string;
  readonly area: string;
  readonly input: unknown;
  readonly expected: unknown;
  /** Present on a correction: the old answer, which must not come back. */
  readonly wrong?: unknown;
}

type Verdict =
  | { readonly kind: "right" }
  | { readonly kind: "deliberate"; readonly name: string }
  | { readonly kind: "wrong"; readonly text: string }
  | { readonly kind: "unanswered" };

export const suite: Suite = async ({ data }) => {
  const files = await readRows(data);
  const cases = files.flatMap(({ name, rows: all }) => all.flatMap((one, at) => caseOf(one, `${name}[${at}]`)));
  const checks = await loadChecks();
  const owned = cases.filter(({ area }) => checks.has(area));
  const byArea = Map.groupBy(owned, rowName);
  const notes: string[] = [];
  const reasons = new Map<string, string>();
  const rows = [...byArea]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([area, group]) => row(area, group, checks, notes, reasons));
  const others = [...new Set(cases.filter(({ area }) => !checks.has(area)).map(rowName))].sort();
  return {
    data: { n: owned.length, fingerprint: dataFingerprint(files) },
    config: { fingerprint: fingerprint([...checks.keys()].sort()) },
    rows,
    notes: [
      ...[...reasons].map(([name, reason]) => `deliberate ${name}: ${reason}`),
      ...notes,
      `areas of no part built yet: ${others.join(", ") || "none"}`,
    ],
  };
};

function caseOf(row: unknown, place: string): Case[] {
  const { id, area } = row as { readonly id?: unknown; readonly area?: unknown };
  const known = typeof id === "string" || typeof id === "number" ? String(id) : place;
  if (typeof area === "string") return [{ ...(row as Case), id: known }];
  unanswered(known, "it names no area");
  return [];
}

/** A correction is counted apart: it must be right outright. */
function rowName({ area, wrong }: Case): string {
  return wrong === undefined ? area : `correction ${area}`;
}

async function loadChecks(): Promise<ReadonlyMap<string, AreaCheck>> {
  const folder = join(dirname(fileURLToPath(import.meta.url)), "../conformance");
  const checks = new Map<string, AreaCheck>();
  for (const name of readdirSync(folder)
    .filter((file) => file !== "area-check.ts")
    .sort()) {
    const { areas } = (await import(join(folder, name))) as { areas: readonly AreaCheck[] };
    for (const check of areas) checks.set(check.area, check);
  }
  return checks;
}

function row(
  name: string,
  group: readonly Case[],
  checks: ReadonlyMap<string, AreaCheck>,
  notes: string[],
  reasons: Map<string, string>,
): Row {
  const check = checks.get(group[0]?.area ?? "") as AreaCheck;
  const verdicts = group.map((one) => judge(one, check));
  for (const verdict of verdicts) {
    if (verdict.kind === "wrong") notes.push(`${name}: ${verdict.text}`);
    if (verdict.kind === "deliberate") {
      reasons.set(verdict.name, check.deliberate.find((difference) => difference.name === verdict.name)?.reason ?? "");
    }
  }
  const count = (kind: Verdict["kind"]) => verdicts.filter((verdict) => verdict.kind === kind).length;
  return {
    name,
    n: group.length,
    metrics: {
      ...{ right: count("right"), deliberate: count("deliberate") },
      ...{ unanswered: count("unanswered"), total: group.length },
    },
  };
}

/**
 * An input that lacks what an answer needs has none; neither has an expectation that cannot be
 * compared.
 */
function judge(one: Case, check: AreaCheck): Verdict {
  const [verdict] = answered(
    [one],
    ({ area, id }) => `${area} ${id}`,
    (asked) => verdictOf(asked, check),
  );
  return verdict ?? { kind: "unanswered" };
}

function verdictOf({ input, expected, wrong }: Case, check: AreaCheck): Verdict {
  const actual = check.answer(input);
  const same = check.same ?? containsExpected;
  if (same(actual, expected)) return { kind: "right" };
  const deliberate =
    wrong === undefined ? check.deliberate.find(({ applies }) => applies(input, expected, actual)) : undefined;
  if (deliberate !== undefined) return { kind: "deliberate", name: deliberate.name };
  return { kind: "wrong", text: `${short(input)} gave ${short(actual)}, expected ${short(expected)}` };
}

function containsExpected(actual: unknown, expected: unknown): boolean {
  if (typeof expected !== "object" || expected === null || Array.isArray(expected))
    return isDeepStrictEqual(actual, expected);
  if (typeof actual !== "object" || actual === null) return false;
  const answer = actual as Record<string, unknown>;
  return Object.entries(expected).every(([key, value]) => isDeepStrictEqual(answer[key], value));
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > 220 ? `${text.slice(0, 220)}…` : text;
}
