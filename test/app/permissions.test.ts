// app.yml asks for what a review needs, and for nothing that it does not need.
import { expect, test } from "vitest";
import { readManifest } from "../fakes/github/manifest.ts";
import { openHarness } from "./app-harness.ts";
import { BACKUP, said, summaryOf } from "./change-builders.ts";

const manifest = readManifest();

/** What becomes of an ordinary pull request when the App is granted these permissions. */
async function reviewWith(permissions: Readonly<Record<string, "read" | "write">>) {
  const harness = await openHarness({ manifest: { ...manifest, permissions } });
  try {
    const repository = await harness.world.repository("acme", "shop", {
      files: { "README.md": "# Shop\n" },
      private: true,
    });
    const pull = await harness.world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
    const job = await harness.settled(pull);
    const isWhole = job.state === "done" && !summaryOf(harness.world, pull).body.includes("incomplete");
    return { isWhole, said: said(harness.world, pull), outcome: job.outcome };
  } finally {
    await harness.close();
  }
}

test("the permissions of app.yml are enough for a whole review", async () => {
  expect(await reviewWith(manifest.permissions)).toMatchObject({
    isWhole: true,
    said: ["ops/backup.py:3 shell-from-strings"],
  });
});

/**
 * GitHub grants the first to every App; check runs and merge queues are optional, and `issues` is
 * for what people write in the conversation: these have tests of their own.
 */
const SPARED = ["metadata", "checks", "issues", "merge_queues"];

test.each(Object.keys(manifest.permissions).filter((name) => !SPARED.includes(name)))(
  "without %s there is no whole review [T29]",
  async (name) => {
    const rest = Object.entries(manifest.permissions).filter(([given]) => given !== name);
    expect(await reviewWith(Object.fromEntries(rest))).toMatchObject({ isWhole: false });
  },
);

test("reading pull requests is not enough to review them", async () => {
  expect(await reviewWith({ ...manifest.permissions, pull_requests: "read" })).toMatchObject({
    isWhole: false,
    said: [],
  });
});

test("GitHub grants metadata to every App, so app.yml could not ask for less [T29]", () => {
  expect(manifest.permissions).toEqual({
    checks: "write",
    contents: "read",
    issues: "read",
    merge_queues: "read",
    metadata: "read",
    pull_requests: "write",
  });
  expect(manifest.events).toEqual([
    "pull_request",
    "push",
    "repository",
    "check_run",
    "merge_group",
    "issue_comment",
    "pull_request_review",
    "pull_request_review_comment",
    "pull_request_review_thread",
  ]);
});
