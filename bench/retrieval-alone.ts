// Our search in a process of its own that does nothing else: what it adds to the process, and then
// how long searches take, one after another, each with a question that was not asked before. Told
// by retrieval.ts beside what is seen in turns with other ways.
import { parseArgs } from "node:util";
import { openMemoryFile } from "../src/store/memory/memory-file.ts";
import { storedRecall } from "../src/store/memory/recall.ts";
import { type Stopwatch, stopwatch } from "./clocks.ts";
import { residentNow } from "./resident-memory.ts";
import { type Asked, MOST_QUESTIONS, retrievalCorpus } from "./retrieval-corpus.ts";
import {
  type Latenesses,
  latenesses,
  latenessesOf,
  searchByText,
  searchElsewhere,
  wholeSearch,
} from "./retrieval-turns.ts";

/** Searches until what the first ones took is given back. */
const SEARCHES = 10;

const { values } = parseArgs({
  options: {
    path: { type: "string", default: "" },
    rows: { type: "string", default: "" },
    repositories: { type: "string", default: "" },
    megabytes: { type: "string" },
  },
});
const all = await retrievalCorpus(Number(values.rows), Number(values.repositories), MOST_QUESTIONS);
const [asked, questions] = [all.asked.slice(0, SEARCHES + 1), all.asked.slice(SEARCHES + 1)];
const memoryBytes = values.megabytes === undefined ? {} : { memoryBytes: Number(values.megabytes) * 1e6 };
const db = await openMemoryFile(values.path);
const recall = storedRecall(db, db.vectorsMissing, memoryBytes);
const before = residentNow();
for (const one of asked) await wholeSearch(recall, one);
const after = residentNow();
const mb = (bytes: number) => bytes / 1e6;
const figures: Record<string, number> = {
  "MB that our search adds to a process": mb(after.anonymous - before.anonymous),
  "MB of memory.db that are mapped besides": mb(after.mapped - before.mapped),
  "MB of the process at most, both together": mb(after.peak),
  "MB of the process before": mb(before.anonymous + before.mapped),
};
await searchElsewhere(recall, all.corpus, asked);
const watch = stopwatch();
const late = await timed(questions, watch);
const timings = Object.fromEntries(Object.entries(watch.timings()).map(([name, seen]) => [`alone, ${name}`, seen]));
await db.close();
const alone: Alone = { figures, timings, loopLate: { "whole search alone, with ranking": late } };
process.stdout.write(`${JSON.stringify(alone)}\n`);

export interface Alone {
  /** What is measured once, by name. */
  readonly figures: Readonly<Record<string, number>>;
  readonly timings: ReturnType<Stopwatch["timings"]>;
  readonly loopLate: Readonly<Record<string, Latenesses>>;
}

async function timed(some: readonly Asked[], on: Stopwatch): Promise<Latenesses> {
  const seen: number[] = [];
  for (const one of some) {
    seen.push(...latenesses((await wholeSearch(recall, one, on)).room));
    await searchByText(recall, one, on);
  }
  return latenessesOf(seen);
}
