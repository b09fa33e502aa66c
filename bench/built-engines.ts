// The ways that ours is compared with: what one built on disk or in a database stays in a kept
// folder and is taken again.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allEngines } from "./engines/all-engines.ts";
import type { Engine, Maker, Place, Stored } from "./engines/engine.ts";
import { residentNow } from "./resident-memory.ts";

/** Measured when it was built. */
export interface Cost {
  readonly seconds: number;
  /** By how much the asking process grew; null for a server. */
  readonly memoryMb: number | null;
  readonly diskMb: number | null;
}

export interface BuiltEngine {
  readonly name: string;
  readonly engine: Engine;
  readonly cost: Cost;
}

/**
 * @param folder one for each way is made in it
 * @param fingerprint of the rows
 * @param words names of the ways that are wanted hold one of these; null for all
 * @param stays whether the next run finds what was built
 */
export async function builtEngines(
  stored: Stored,
  {
    folder,
    fingerprint,
    words,
    stays,
  }: { folder: string; fingerprint: string; words: string[] | null; stays: boolean },
): Promise<readonly BuiltEngine[]> {
  const engines: BuiltEngine[] = [];
  for (const maker of allEngines(stored.rows, words)) {
    const own = join(folder, maker.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-"));
    const place = { folder: own, name: `bench_${fingerprint.slice(0, 12)}`, fingerprint, stays };
    const engine = (await again(maker, stored, place)) ?? (await built(maker, stored, place));
    engines.push({ name: maker.name, ...engine });
  }
  return engines;
}

const note = ({ folder }: Place) => join(folder, "built.json");

interface Note extends Cost {
  readonly fingerprint: string;
}

async function again(maker: Maker, stored: Stored, place: Place): Promise<Omit<BuiltEngine, "name"> | null> {
  if (maker.open === undefined || !existsSync(note(place))) return null;
  const { fingerprint, ...cost } = JSON.parse(readFileSync(note(place), "utf8")) as Note;
  if (fingerprint !== place.fingerprint) return null;
  const engine = await maker.open(stored, place);
  if (engine !== null) console.error(`${maker.name}: as it was built before`);
  return engine === null ? null : { engine, cost };
}

async function built(maker: Maker, stored: Stored, place: Place): Promise<Omit<BuiltEngine, "name">> {
  rmSync(place.folder, { recursive: true, force: true });
  mkdirSync(place.folder, { recursive: true });
  const before = residentNow().anonymous;
  const start = performance.now();
  const engine = await maker.make(stored, place);
  const seconds = (performance.now() - start) / 1000;
  console.error(`${maker.name}: built in ${seconds.toFixed(1)} s`);
  const memoryMb = (residentNow().anonymous - before) / 1e6;
  const cost = { seconds, memoryMb, diskMb: engine.diskBytes === null ? null : engine.diskBytes / 1e6 };
  if (maker.open !== undefined) writeFileSync(note(place), JSON.stringify({ ...cost, fingerprint: place.fingerprint }));
  return { engine, cost };
}
