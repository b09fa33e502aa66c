// Laws of the order: what the ranking promises of two memories that differ in one thing, asked of
// the real store and the real retrieve stage with defaults.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { inDatabase } from "../../bench/own-database.ts";
import { localWords } from "../../src/adapters/local/local-embedder.ts";
import { retrievalFingerprint } from "../configuration-fingerprint.ts";
import { type Expectation, type OrderCase, readOrderCase } from "../order-case.ts";
import { dataFingerprint } from "../read-data.ts";
import { askOrder, type RankedCase } from "../run-order-case.ts";
import type { Row, Suite } from "../suite.ts";
import { postgresStore, type TemporaryStore, withStore } from "../temporary-store.ts";

/** What came of one case. `unanswered`: it is malformed, or asking it failed. */
export interface OrderVerdict {
  readonly id: string;
  readonly group: string;
  readonly kind: "right" | "wrong" | "unanswered";
  /** Which expectations are not met and what was found instead, or why nothing was asked. */
  readonly remark: string;
}

/**
 * Rows: `default` and one for each group; with a PostgreSQL the same again, their names ending in
 * `, PostgreSQL`.
 *
 * A PostgreSQL server is named by `--database` or KODIAI_TEST_DATABASE_URL; its user may make
 * databases.
 */
export const suite: Suite = async ({ data, flags }) => {
  const { cases, fingerprint } = await readOrderCases(data);
  const server = flags.get("database") ?? process.env.KODIAI_TEST_DATABASE_URL;
  const stores = [{ suffix: "", verdicts: await orderVerdicts(cases) }];
  if (server) stores.push({ suffix: ", PostgreSQL", verdicts: await orderVerdictsOnPostgres(cases, server) });
  return {
    data: { n: cases.length, fingerprint },
    config: { fingerprint: retrievalFingerprint(localWords()) },
    rows: stores.flatMap(({ suffix, verdicts }) => [
      rowOf(`default${suffix}`, verdicts),
      ...[...Map.groupBy(verdicts, ({ group }) => group)].map(([group, some]) => rowOf(`${group}${suffix}`, some)),
    ]),
    notes: stores.flatMap(({ suffix, verdicts }) =>
      verdicts.flatMap(({ id, kind, remark }) => (kind === "right" ? [] : [`${kind}${suffix}: ${id}: ${remark}`])),
    ),
  };
};

/**
 * The lines of every `*.jsonl` of a folder, in the order of their names. Malformed lines are among
 * them.
 */
export async function readOrderCases(
  folder: string,
): Promise<{ readonly cases: readonly OrderCase[]; readonly fingerprint: string }> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".jsonl")).sort();
  const files = await Promise.all(
    names.map(async (name) => ({ name, text: await readFile(join(folder, name), "utf8") })),
  );
  const cases = files.flatMap(({ name, text }) =>
    text.split("\n").flatMap((line, at) => (line.trim() === "" ? [] : [readOrderCase(line, `${name}:${at + 1}`)])),
  );
  const hashes = files.map(({ name, text }) => ({ name, sha256: createHash("sha256").update(text).digest("hex") }));
  return { cases, fingerprint: dataFingerprint(hashes) };
}

/**
 * Every case, asked of a store that holds nothing else; SQLite unless another is opened. In the
 * order of the cases.
 */
export function orderVerdicts(
  cases: readonly OrderCase[],
  open?: Parameters<typeof withStore>[1],
): Promise<readonly OrderVerdict[]> {
  return withStore(async (store) => {
    const verdicts: OrderVerdict[] = [];
    for (const [at, one] of cases.entries()) verdicts.push(await verdictOf(one, at + 1, store));
    return verdicts;
  }, open);
}

/** The same in a database of its own, which is dropped afterwards. */
export function orderVerdictsOnPostgres(cases: readonly OrderCase[], server: string): Promise<readonly OrderVerdict[]> {
  return inDatabase(server, (url) => orderVerdicts(cases, () => postgresStore(url)));
}

async function verdictOf(one: OrderCase, number: number, store: TemporaryStore): Promise<OrderVerdict> {
  const { id, group } = one;
  if (one.kind === "malformed") return { id, group, kind: "unanswered", remark: one.reason };
  try {
    const found = await askOrder(one, number, store);
    const unmet = one.expect.filter((expectation) => !isMet(expectation, found));
    if (unmet.length === 0) return { id, group, kind: "right", remark: "" };
    const remark = `expected ${unmet.map((words) => words.join(" ")).join(", ")}; found ${shown(found)}`;
    return { id, group, kind: "wrong", remark };
  } catch (error) {
    return { id, group, kind: "unanswered", remark: error instanceof Error ? error.message : String(error) };
  }
}

/** Scores that differ by no more are the same: sums of the same terms in another order. */
const SAME_SCORE = 1e-9;

/** `before` asks for a higher score as well: of equal ones a hash decides, which is no law. */
function isMet([id, relation, other]: Expectation, { list }: RankedCase): boolean {
  const at = list.findIndex((hit) => hit.id === id);
  if (relation === "present") return at !== -1;
  if (relation === "absent") return at === -1;
  const behind = list.findIndex((hit) => hit.id === other);
  const [one, two] = [list[at], list[behind]];
  if (one === undefined || two === undefined) return false;
  const isSame = Math.abs(one.score - two.score) <= SAME_SCORE;
  return relation === "equal" ? isSame : at < behind && !isSame;
}

function shown({ list, cut, degraded }: RankedCase): string {
  const ranked = list.map(({ id, score }) => `${id} ${score.toFixed(4)}`).join(", ") || "nothing";
  const out = cut.map(({ id, reason }) => `${id} left out (${reason})`);
  return [ranked, ...out, ...degraded.map((reason) => `degraded (${reason})`)].join("; ");
}

function rowOf(name: string, verdicts: readonly OrderVerdict[]): Row {
  const count = (kind: OrderVerdict["kind"]) => verdicts.filter((verdict) => verdict.kind === kind).length;
  const total = verdicts.length;
  return { name, n: total, metrics: { right: count("right"), total, unanswered: count("unanswered") } };
}
