// What is left of a job whose repository was forgotten while it ran, by a process that ended before it did.
import { expect, test } from "vitest";
import type { CommandJob } from "../../src/domain/command.ts";
import type { ReviewJob } from "../../src/domain/job.ts";
import type { Lease } from "../../src/ports.ts";
import { jobRunner } from "../../src/server/run-job.ts";
import { reviewJob } from "../adapters/contracts/queue.ts";

test("it ends, and GitHub is asked about no repository without a name", async () => {
  const asked: string[] = [];
  const runner = jobRunner({
    queue: { add: async () => {}, drop: async () => 0 },
    onAdded: () => {},
    portsOf: ({ job }) => {
      asked.push(job.key);
      return Promise.reject(new Error("asked"));
    },
    stepOf: () => async (_room, enter) => enter(),
  });
  const named = reviewJob(2, "a");
  const unnamed = { ...named, repo: { ...named.repo, owner: "", name: "" } };
  const over = "gone: its repository was forgotten meanwhile";
  const never = new AbortController().signal;
  expect(await runner.review({ job: unnamed } as Lease<ReviewJob>, false, never)).toBe(over);
  expect(await runner.command({ job: unnamed as unknown as CommandJob } as Lease<CommandJob>)).toBe(over);
  expect(asked).toEqual([]);
  await expect(runner.review({ job: named } as Lease<ReviewJob>, false, never)).rejects.toThrow("asked");
});
