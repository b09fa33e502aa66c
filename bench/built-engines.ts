// The ways that ours is compared with: what one built on disk or in a database stays in a kept folder and is taken again.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allWays } from "./engines/all-engines.ts";
import type { Maker, Place, Stored, Way } from "./engines/engine.ts";
import { residentNow } from "./resident-memory.ts";

/** Measured when it was built. */
export interface Cost {
  readonly seconds: number;
  /** By how much the asking process grew; null for a server. */
  readonly memoryMb: number | null;
  readonly diskMb: number | null;
}

export interface BuiltWay {
  readonly name: string;
  readonly way: Way;
  readonly cost: Cost;
}

/**
 * @param folder one for each way is made in it
 * @param fingerprint of the rows
 * @param words names of the ways that are wanted hold one of these; null for all
 * @param stays whether the next run finds what was built
 */
export async function builtWays(
  stored: Stored,
  {
    folder,
    fingerprint,
    words,
    stays,
  }: { folder: string; fingerprint: string; words: string[] | null; stays: boolean },
): Promise<readonly BuiltWay[]> {
  const ways: BuiltWay[] = [];
  for (const maker of allWays(stored.rows, words)) {
    const own = join(folder, maker.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-"));
    const place = { folder: own, name: `bench_${fingerprint.slice(0, 12)}`, fingerprint, stays };
    const way = (await again(maker, stored, place)) ?? (await built(maker, stored, place));
    ways.push({ name: maker.name, ...way });
  }
  return ways;
}

const note = ({ folder }: Place) => join(folder, "built.json");

interface Note extends Cost {
  readonly fingerprint: string;
}

async function again(maker: Maker, stored: Stored, place: Place): Promise<Omit<BuiltWay, "name"> | null> {
  if (maker.open === undefined || !existsSync(note(place))) return null;
  const { fingerprint, ...cost } = JSON.parse(readFileSync(note(place), "utf8")) as Note;
  if (fingerprint !== place.fingerprint) return null;
  const way = await maker.open(stored, place);
  if (way !== null) console.error(`${maker.name}: as it was built before`);
  return way === null ? null : { way, cost };
}

async function built(maker: Maker, stored: Stored, place: Place): Promise<Omit<BuiltWay, "name">> {
  rmSync(place.folder, { recursive: true, force: true });
  mkdirSync(place.folder, { recursive: true });
  const before = residentNow().anonymous;
  const start = performance.now();
  const way = await maker.make(stored, place);
  const seconds = (performance.now() - start) / 1000;
  console.error(`${maker.name}: built in ${seconds.toFixed(1)} s`);
  const memoryMb = (residentNow().anonymous - before) / 1e6;
  const cost = { seconds, memoryMb, diskMb: way.diskBytes === null ? null : way.diskBytes / 1e6 };
  if (maker.open !== undefined) writeFileSync(note(place), JSON.stringify({ ...cost, fingerprint: place.fingerprint }));
  return { way, cost };
}
