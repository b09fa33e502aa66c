// The summary while a model reads: it says so at once, and never stays so.
import { afterAll, beforeAll, expect, test } from "vitest";
import { OutOfReach, Stopped } from "../../src/domain/errors.ts";
import { sweepProgress } from "../../src/flows/review/check-run.ts";
import { BACKUP, BALANCE } from "../app/change-builders.ts";
import { reports, scriptedModel } from "../fakes/scripted-model.ts";
import { type FlowPull, openReviewFlow, type ReviewFlow } from "./review-flow.ts";

const FILES = { "ops/backup.py": BACKUP };
const READING = /^⏳ Reading 1 file of \[`[0-9a-f]{7}`\]\(https:[^)]*\)…\n\n<!-- kodiai:progress -->\n\n/;

let flow: ReviewFlow;
beforeAll(async () => {
  flow = await openReviewFlow();
});
afterAll(() => flow.close());

/** Each review of it posts a summary, so that a progress note may create one. */
const open = (files: Readonly<Record<string, string>>) => flow.open({ files, config: "review: {summary: always}" });

/** A model that reads; `meanwhile` happens before it answers. */
const reading = (meanwhile: () => void = () => {}) =>
  scriptedModel((question) => {
    meanwhile();
    return reports()(question);
  });
const isOpen = ({ key }: FlowPull) => flow.records.progress.isOpen(key);
const sweep = (pull: FlowPull) =>
  sweepProgress(flow.records.progress, () => Promise.resolve(pull.posted), new Set()).then((swept) =>
    swept.map(({ outcome }) => outcome),
  );

/** A process dies while the model reads. */
async function dies(pull: FlowPull): Promise<void> {
  const access = scriptedModel(() => {
    throw new Error("killed");
  });
  await expect(flow.review(pull, { access })).rejects.toThrow("killed");
  expect(pull.posted.summaries).toEqual([expect.stringMatching(READING)]);
}

/** Its job will not be tried again. */
async function isParked({ key }: FlowPull): Promise<void> {
  await flow.db.run(
    `INSERT INTO jobs (key, lane, job, repo, account, state, run_at, created_at, finished_at)
     VALUES ($1, 'review', '{}', '', '', 'parked', 0, 0, $2)`,
    [key, Date.now()],
  );
}

test("the summary says at once that the model reads, is edited in place, and says it above the old one after a push", async () => {
  const seen: string[] = [];
  const pull = open(FILES);
  const access = reading(() => seen.push(pull.posted.summaries.join("\n---\n")));
  await flow.review(pull, { access });
  expect(seen[0]).toMatch(READING);
  const [first = "", ...more] = pull.posted.summaries;
  expect(more).toEqual([]);
  expect(first).toMatch(/^\*\*1 major finding open\*\*\n/);
  expect(first).not.toContain("Reading");

  seen.length = 0;
  await flow.review(flow.push(pull, { ...FILES, "src/balance.py": BALANCE }), { access });
  expect(seen[0]).toMatch(/^⏳ Reading 2 files of /);
  expect(seen[0]?.endsWith(first)).toBe(true);
  expect(pull.posted.summaries).toEqual([expect.not.stringContaining("Reading")]);
  expect(await isOpen(pull)).toBe(false);
});

test("a review that is stopped says so in the place of that", async () => {
  const stop = new AbortController();
  const pull = open(FILES);
  const access = reading(() => stop.abort(new Stopped("stopped by `@wren`")));
  await expect(flow.review(pull, { access, signal: stop.signal })).rejects.toThrow(Stopped);
  expect(pull.posted.summaries).toEqual([
    expect.stringMatching(/^Not reviewed: stopped by `@wren`\.\n\n<!-- kodiai:summary -->/),
  ]);
  expect(await isOpen(pull)).toBe(false);
});

test("a review that a push supersedes leaves the word to the review of the new head", async () => {
  const pull = open(FILES);
  let next = pull;
  const first = await flow.review(pull, {
    access: reading(() => {
      next = flow.push(pull, { ...FILES, "src/balance.py": BALANCE });
    }),
  });
  expect(first).toMatchObject({ kind: "superseded" });
  await flow.review(next, { access: reading() });
  expect(pull.posted.summaries).toEqual([expect.stringContaining(`Reviewed [\`${next.pull.head.sha.slice(0, 7)}\`]`)]);
  expect(pull.posted.summaries[0]).not.toContain("Reading");
});

test("a pull request that is closed meanwhile is not read for ever", async () => {
  const pull = open(FILES);
  await flow.review(pull, {
    access: reading(() => {
      pull.posted.world.state = "closed";
    }),
  });
  expect(pull.posted.summaries).toEqual([expect.stringMatching(/^Not reviewed: /)]);
});

test("a process that dies while the model reads: the next one goes on, and ends it with its review", async () => {
  const pull = open(FILES);
  await dies(pull);
  await flow.review(pull, { access: reading() });
  expect(pull.posted.summaries).toEqual([expect.stringMatching(/^\*\*1 major finding open\*\*\n/)]);
  expect(await isOpen(pull)).toBe(false);
});

test("a review that is parked after its process died is ended by the sweep", async () => {
  const pull = open(FILES);
  await dies(pull);
  await isParked(pull);
  expect(await sweep(pull)).toEqual(["ended"]);
  expect(pull.posted.summaries).toEqual([
    expect.stringMatching(/^Not reviewed: the review ended without a result; .*\n\n<!-- kodiai:summary -->/),
  ]);
  expect(await isOpen(pull)).toBe(false);
});

test("a progress note that GitHub does not let us end stays recorded, and is ended once it does", async () => {
  const pull = open(FILES);
  await dies(pull);
  await isParked(pull);
  const end = pull.posted.endProgress;
  pull.posted.endProgress = async () => {
    throw new OutOfReach("refused", 403, "Resource not accessible by integration");
  };
  expect(await sweep(pull)).toEqual(["refused"]);
  expect(await isOpen(pull)).toBe(true);
  pull.posted.endProgress = end;
  expect(await sweep(pull)).toEqual(["ended"]);
  expect(await isOpen(pull)).toBe(false);
});
