// What is left of a job whose repository was forgotten while it ran, by a process that ended before
// it did.
import { expect, test } from "vitest";
import type { AnyJob, LaneName, Lease } from "../../src/ports.ts";
import { runJob, unlessForgotten } from "../../src/server/run-job.ts";
import { reviewJob } from "../adapters/contracts/queue.ts";

test("it ends, and GitHub is asked about no repository without a name", async () => {
  const asked: string[] = [];
  const ended = (lane: LaneName, job: AnyJob) => {
    const lease = { job } as Lease<AnyJob>;
    return runJob({ lane, lease, signal: new AbortController().signal }, [unlessForgotten], async (run) => {
      asked.push(run.lease.job.key);
      return "asked";
    });
  };
  const named = reviewJob(2, "a");
  const unnamed = { ...named, repo: { ...named.repo, owner: "", name: "" } };
  const over = "missing: its repository was forgotten meanwhile";
  expect(await ended("review", unnamed)).toBe(over);
  expect(await ended("command", unnamed)).toBe(over);
  expect(asked).toEqual([]);
  expect(await ended("review", named)).toBe("asked");
});
