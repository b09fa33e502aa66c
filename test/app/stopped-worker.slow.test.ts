// A worker that stands still while it holds a job (SIGSTOP: a debugger, a frozen container):
// another one takes its place and its job, and what it would still write does nothing.
import { readdirSync, readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { until } from "./app-harness.ts";
import { BACKUP, said } from "./change-builders.ts";
import { type Deployment, deployment } from "./server-process.ts";

let deployed: Deployment | undefined;
afterEach(() => deployed?.close());

/** The worker processes of a server that run, not those that ended and nobody asked about. */
function workersOf(server: number): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const isWorker = readFileSync(`/proc/${name}/cmdline`, "utf8").includes("job-process.ts");
      return Number(parent) === server && isWorker && state !== "Z" ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

test.runIf(process.platform === "linux")(
  "a worker that is stopped while it posts is replaced, and its review stands once",
  async () => {
    deployed = await deployment();
    const { world } = deployed;
    const path = /\/pulls\/\d+\/reviews$/;
    const posts = () => world.requests.filter((one) => one.method === "POST" && path.test(one.path)).length;
    // GitHub takes the first review, and its answer finds nobody.
    world.fail({ match: { method: "POST", path }, delay: 4_000, onlyHeaders: true, headers: {} });
    const server = await deployed.start();
    const pid = server.child.pid ?? 0;
    const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
    const pull = await world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
    await until("a review is being posted", () => posts() === 1);
    const [stopped = 0, ...more] = workersOf(pid);
    expect(more).toEqual([]);
    process.kill(stopped, "SIGSTOP");
    await until("another worker has its place", () => workersOf(pid).some((one) => one !== stopped));
    expect(workersOf(pid)).not.toContain(stopped);
    const summary = () => world.comments(pull).summary.length === 1;
    await until("the review is whole", () => said(world, pull).length === 1 && summary());
    // The killed one cannot go on.
    expect(() => process.kill(stopped, "SIGCONT")).toThrow(/ESRCH/);
    const { reviews, inline } = world.comments(pull);
    expect([reviews.length, inline.length]).toEqual([1, 1]);
    expect(server.log()).toContain("the worker process died; it is started again");
    expect(world.violations).toEqual([]);
  },
);
