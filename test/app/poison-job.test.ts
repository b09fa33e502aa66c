// A pull request over which the process is aborted natively, each time it is looked at: it is put
// aside with its reason after a few deaths, and what others asked for is done all the same.
// NIGHTLY=1 runs it: it starts the server several times.
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BACKUP, BALANCE, said } from "./change-builders.ts";
import { type Deployment, deployment, type ServerProcess } from "./server-process.ts";

const NIGHTLY = process.env.NIGHTLY === "1";
if (!NIGHTLY) console.warn("skipped: a pull request that aborts the process; NIGHTLY=1 runs it");
/** Twice what it takes. */
const MOST_STARTS = 12;

let deployed: Deployment;
beforeAll(async () => {
  deployed = await deployment();
});
afterAll(() => deployed.close());

interface Row {
  readonly key: string;
  readonly state: string;
  readonly outcome: string | null;
}

function reviews(): Row[] {
  const db = new Database(join(deployed.dataDir, "queue.db"), { readonly: true });
  try {
    return db.prepare("SELECT key, state, outcome FROM jobs WHERE lane = 'review' ORDER BY id").all() as Row[];
  } finally {
    db.close();
  }
}

test.runIf(NIGHTLY)(
  "a pull request that aborts each process is parked with its reason, and the others are reviewed [R27]",
  async () => {
    const { world } = deployed;
    let server: ServerProcess = await deployed.start();
    const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
    const draft = { title: "Back up", draft: true };
    const deadly = await world.pullRequest(repository, { ...draft, files: { "ops/backup.py": BACKUP } });
    const others = [
      await world.pullRequest(repository, { ...draft, files: { "src/balance.py": BALANCE } }),
      await world.pullRequest(repository, { ...draft, files: { "src/total.py": BALANCE } }),
    ];
    const path = new RegExp(`/pulls/${deadly.number}/files$`);
    world.fail({ match: { path }, happens: () => void server.child.kill("SIGABRT"), times: 100 });
    for (const pull of [deadly, ...others]) await world.readyForReview(pull);

    let deaths = 0;
    const isOver = () => reviews().every(({ state }) => state === "done" || state === "parked");
    while (!isOver() && deaths < MOST_STARTS) {
      if (server.child.signalCode === null) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        continue;
      }
      expect(server.child.signalCode).toBe("SIGABRT");
      deaths++;
      server = await deployed.start();
    }
    console.log(`parked after ${deaths} deaths`);
    const of = (pull: typeof deadly) => reviews().findLast(({ key }) => key.endsWith(`#${pull.number}`));
    expect(of(deadly)).toMatchObject({ state: "parked", outcome: expect.stringMatching(/process/) });
    for (const pull of others) {
      expect(of(pull)).toMatchObject({ state: "done" });
      expect(said(world, pull)).toHaveLength(1);
    }
    expect(deaths).toBeGreaterThanOrEqual(3);
    // The process lives on, and takes what comes.
    expect(server.child.signalCode).toBeNull();
    expect((await server.ready()).status).toBe(200);
  },
);
