// A finding is remembered with the code that it was about, and a later pull request with such code
// finds it by that code.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FindingHunk, PostedReview, Review } from "../../src/domain/review.ts";
import { findingHunks, recordsOfFindings, remember } from "../../src/learn/learn.ts";
import { OF_THE_CHANGE, retrieve, UNAIDED } from "../../src/retrieve/retrieve.ts";
import { openStore } from "../../src/wire/store.ts";
import { fakeEmbedder } from "../fakes/memory.ts";
import { given, memory, NOW, REPO } from "../retrieve/retrieve-builders.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-code-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const CODE = [
  "+def archiveTarball(volumeName, destinationBucket):",
  '+    command = "tar czf " + destinationBucket + "/" + volumeName',
  "+    subprocess.run(command, shell=True, check=True)",
];
const redact = (text: string) => Promise.resolve(text);

/** What a first pull request with this code is remembered by. */
async function posted(): Promise<PostedReview> {
  const { context, signals } = given({
    title: "Nightly job",
    number: 12,
    files: { "ops/nightly.py": CODE.join("\n") },
  });
  const line = context.files[0]?.hunks[0]?.lines.at(-1)?.newLine ?? 0;
  const finding = {
    id: "fnd_0a1b2c3d4e5f",
    path: "ops/nightly.py",
    side: "RIGHT",
    startLine: line,
    line,
    severity: "major",
    category: "security",
    rule: "shell-from-strings",
    title: "Input by strangers is executed",
    body: "Hand over a list.",
    source: "rule",
    confidence: 0.9,
    suggestion: null,
    precedents: [],
  } as const;
  const hunks: readonly FindingHunk[] = await findingHunks([finding], context.files, redact);
  expect(hunks.map(({ hunk }) => hunk.split("\n").slice(-CODE.length))).toEqual([CODE]);
  // Only what remembering reads.
  const review = { repo: REPO, number: 12, headSha: context.pull.head.sha, signals, hunks } as unknown as Review;
  return {
    kind: "posted",
    review,
    reviewUrl: "https://github.com/acme/shop/pull/12#pullrequestreview-1",
    summaryUrl: "https://github.com/acme/shop/pull/12#issuecomment-1",
    findings: [{ finding, place: "inline", reason: null }],
  };
}

/** The memories that a later pull request with the same code, under other words, is handed. */
async function retrievedAfter(review: PostedReview): Promise<string[]> {
  const store = await openStore(folder);
  try {
    const records = recordsOfFindings(review, { at: NOW - 1_000_000, author: "kodiai[bot]" });
    // Words are rare only among others.
    const others = Array.from({ length: 40 }, (_, n) =>
      memory(`other${n}`, {
        repo: `github.com/${REPO.id}`,
        sourceId: `#${n + 100}/fnd_x`,
        text: `Close the file_${n} before the loop_${n} ends`,
        hunk: `@@ -1 +1,2 @@\n+    handle_${n} = open(source_${n})`,
      }),
    );
    await remember([...records, ...others], fakeEmbedder(), store.memory, { redact });
    const later = given({ title: "Snapshots", number: 40, files: { "tools/snap.py": CODE.join("\n") } });
    const settings = { ...OF_THE_CHANGE, knowledge: later.context.config.knowledge, now: NOW };
    const { ranked } = await retrieve(later.context, later.signals, { ...UNAIDED, recall: store.recall }, settings);
    return ranked.map(({ record }) => record.sourceId);
  } finally {
    await store.close();
  }
}

test("a later pull request with the same code finds the finding by its hunk", async () => {
  expect(await retrievedAfter(await posted())).toEqual(["#12/fnd_0a1b2c3d4e5f"]);
});

test("without the hunk the same finding is not found, and a review that was saved before hunks were kept is remembered", async () => {
  const { review, ...rest } = await posted();
  expect(await retrievedAfter({ ...rest, review: { ...review, hunks: [] } })).toEqual([]);
});
