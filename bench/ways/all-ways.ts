// Every way that the retrieval benchmark compares with. One whose package is not installed says so in the table.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { databaseUrl } from "./pgvector.ts";
import type { Maker } from "./way.ts";

const NO_SERVER = "NO SERVER: KODIAI_TEST_DATABASE_URL, or npm run -s postgres -- --detach";

const installed = createRequire(import.meta.url);

export interface Absent {
  readonly name: string;
  readonly why: string;
}

/** @param names those that are wanted, or all */
export async function allWays(
  rows: number,
  names: readonly string[] | null,
): Promise<{ readonly makers: readonly Maker[]; readonly absent: readonly Absent[] }> {
  const absent: Absent[] = [];
  const files = [
    { file: "./plain-sqlite.ts", needs: [] },
    { file: "./in-memory.ts", needs: [] },
    { file: "./plain-bm25.ts", needs: [] },
    { file: "./exact-search.ts", needs: ["usearch"] },
    { file: "./graphs.ts", needs: ["usearch"] },
    { file: "./lancedb.ts", needs: [] },
    { file: "./libsql.ts", needs: [] },
    { file: "./pgvector.ts", needs: ["pg"] },
  ];
  const makers: Maker[] = [];
  for (const { file, needs } of files) {
    const missing = needs.filter((name) => !isInstalled(name));
    if (missing.length > 0) {
      absent.push({ name: file.slice(2, -3), why: howToInstall(missing) });
      continue;
    }
    makers.push(...(Object.values(await import(file)).filter(isMaker) as Maker[]));
  }
  const wanted = makers
    .filter(({ name }) => names === null || names.some((word) => name.includes(word)))
    .filter(({ needs }) => needs !== "hnswlib-wasm" || !isInstalled("hnswlib-node"));
  return { makers: wanted.filter((maker) => mayBeMade(maker, rows, absent)), absent };
}

function mayBeMade({ name, needs, mostRows }: Maker, rows: number, absent: Absent[]): boolean {
  if (needs !== null && !isInstalled(needs)) absent.push({ name, why: howToInstall([needs]) });
  else if (/Postgres|pgvector/.test(name) && databaseUrl() === null) absent.push({ name, why: NO_SERVER });
  else if (mostRows !== null && rows > mostRows.rows)
    absent.push({ name, why: `not with ${rows} rows: ${mostRows.why}` });
  else return true;
  return false;
}

function isMaker(value: unknown): boolean {
  return typeof value === "object" && value !== null && "make" in value;
}

function isInstalled(name: string): boolean {
  return (installed.resolve.paths(name) ?? []).some((folder) => existsSync(join(folder, name)));
}

function howToInstall(names: readonly string[]): string {
  return `NOT INSTALLED: ${names.join(", ")} (npm install --prefix bench)`;
}
