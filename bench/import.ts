// npm run bench -- import [--rows N] [--store URL] [--json FILE]: how many memories a second come
// in, on SQLite and on PostgreSQL: by `kodiai memory import` from its start to its end, embedding
// and all, and the writing alone with vectors at hand.
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stopServer } from "../scripts/postgres-server.ts";
import { exportLine } from "../src/learn/learn.ts";
import type { Memory } from "../src/ports/memory.ts";
import { openMemoryFile } from "../src/store/memory/memory-file.ts";
import { MEMORY_PART } from "../src/store/memory/schema.ts";
import { storedMemory } from "../src/store/memory/stored-memory.ts";
import { migrate } from "../src/store/migrate.ts";
import { openPostgres } from "../src/store/postgres.ts";
import type { Database } from "../src/store/sql.ts";
import { machineNow } from "./machine.ts";
import { inDatabase, ownServer } from "./own-database.ts";
import { type Corpus, retrievalCorpus, SPACE } from "./retrieval-corpus.ts";

const ROWS = 5_000;
const COMMAND = fileURLToPath(new URL("../scripts/launch.mjs", import.meta.url));
const MAIN = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url));

interface Taken {
  readonly seconds: number;
  readonly rowsASecond: number;
  /** Of the process that writes, for each memory; null where it is another one. */
  readonly cpuMsEach: number | null;
}

export async function importBench(words: readonly string[]): Promise<void> {
  const option = (name: string) => (words.includes(name) ? words[words.indexOf(name) + 1] : undefined);
  const { corpus } = await retrievalCorpus(Number(option("--rows") ?? ROWS), 1, 1);
  const before = machineNow().load;
  const folder = mkdtempSync(join(tmpdir(), "kodiai-bench-"));
  const server = option("--store") === undefined ? await ownServer() : null;
  const admin = option("--store") ?? server?.url ?? "";
  try {
    const { file, bytes } = exported(corpus, folder);
    const rows = {
      "kodiai memory import, SQLite": await imported(file, corpus.rows, { KODIAI_DATA_DIR: join(folder, "whole") }),
      "kodiai memory import, PostgreSQL": await inDatabase(admin, (url) =>
        imported(file, corpus.rows, { DATABASE_URL: url }),
      ),
      "writing alone, SQLite": await writtenToFile(corpus, folder),
      "writing alone, PostgreSQL": await inDatabase(admin, (url) => writtenTo(url, corpus)),
    };
    const report = { bench: "import", memories: corpus.rows, bytes, machine: { ...machineNow(), before }, rows };
    console.log(JSON.stringify(report));
    tell(report);
    const json = option("--json");
    if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
  } finally {
    if (server !== null) await stopServer(server);
    rmSync(folder, { recursive: true });
  }
}

/** What `kodiai memory export` would write of the corpus. */
function exported(corpus: Corpus, folder: string): { readonly file: string; readonly bytes: number } {
  const file = join(folder, "memories.jsonl");
  const out = openSync(file, "w");
  for (const { rows } of corpus.batches()) for (const { record } of rows) writeSync(out, `${exportLine(record)}\n`);
  closeSync(out);
  return { file, bytes: statSync(file).size };
}

/** In a process of its own, from its start to its end, with the embedder that needs no key. */
async function imported(file: string, rows: number, store: Readonly<Record<string, string>>): Promise<Taken> {
  const { PATH = "", HOME = "" } = process.env;
  const start = performance.now();
  const child = spawn(process.execPath, [COMMAND, MAIN, "memory", "import", file], {
    env: { PATH, HOME, ...store },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (text) => {
    said += text;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  if (code !== 0 || !said.includes(String(rows))) throw new Error(`import ended with ${code}: ${said}`);
  return taken(rows, performance.now() - start, null);
}

async function writtenToFile(corpus: Corpus, folder: string): Promise<Taken> {
  return writtenOn(await openMemoryFile(join(folder, "memory.db")), corpus);
}

async function writtenTo(url: string, corpus: Corpus): Promise<Taken> {
  const db = openPostgres(url);
  await migrate(db, [MEMORY_PART], url);
  return writtenOn(db, corpus);
}

async function writtenOn(db: Database, corpus: Corpus): Promise<Taken> {
  try {
    return await written(
      storedMemory(db, () => Promise.resolve()),
      corpus,
    );
  } finally {
    await db.close();
  }
}

async function written(memory: Memory, corpus: Corpus): Promise<Taken> {
  let [ms, cpu] = [0, 0];
  for (const { rows } of corpus.batches()) {
    const [start, before] = [performance.now(), process.cpuUsage()];
    await memory.remember(rows, SPACE);
    const { user, system } = process.cpuUsage(before);
    ms += performance.now() - start;
    cpu += (user + system) / 1_000;
  }
  return taken(corpus.rows, ms, cpu);
}

function taken(rows: number, ms: number, cpuMs: number | null): Taken {
  return { seconds: ms / 1_000, rowsASecond: (rows / ms) * 1_000, cpuMsEach: cpuMs === null ? null : cpuMs / rows };
}

interface Report {
  readonly memories: number;
  readonly bytes: number;
  readonly machine: ReturnType<typeof machineNow> & { readonly before: number };
  readonly rows: Readonly<Record<string, Taken>>;
}

function tell({ memories, bytes, machine, rows }: Report): void {
  const { cpu, cores, node, load, before } = machine;
  console.log(`\n${cpu}, ${cores} cores, load ${before} before and ${load} after, Node ${node}`);
  console.log(`${memories} memories, ${(bytes / 1e6).toFixed(1)} MB of lines\n`);
  console.log("                                    memories a second   seconds   cpu ms each");
  for (const [name, { seconds, rowsASecond, cpuMsEach }] of Object.entries(rows)) {
    const cells = [rowsASecond.toFixed(0).padStart(17), seconds.toFixed(1).padStart(9)];
    console.log(`${name.padEnd(36)}${cells.join(" ")} ${(cpuMsEach?.toFixed(2) ?? "").padStart(13)}`);
  }
}
