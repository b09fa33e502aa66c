// Writes docs/walkthrough.md: one pull request through the whole pipeline, with the values that the
// code really returned.
//
//   node demo/walkthrough.ts        writes the page; a test fails when it is stale
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { localWords } from "../src/adapters/local/local-embedder.ts";
import { plainQuestion } from "../src/cli/review/prompt-text.ts";
import { type MemoryRecord, memoryId, repoKey } from "../src/domain/memory.ts";
import type { PullRequestContext } from "../src/domain/pull-request.ts";
import type { Precedents } from "../src/domain/retrieval.ts";
import type { Review } from "../src/domain/review.ts";
import type { ReviewSignals } from "../src/domain/signals.ts";
import { shortHash } from "../src/domain/text/hash.ts";
import { PLAIN_CHANGE, type ReviewPorts } from "../src/flows/review/review-ports.ts";
import { reviewPullRequest } from "../src/flows/review/review-pull-request.ts";
import { remember } from "../src/learn/learn.ts";
import type { Snapshot } from "../src/ports/snapshot.ts";
import { receive } from "../src/receive/receive.ts";
import { inspector, knownRules, symbolsOfReview } from "../src/wire/rules.ts";
import { redact } from "../src/wire/secrets.ts";
import { openStore } from "../src/wire/store.ts";
import { aPull, fakePullRequests, HEAD, REPO } from "../test/fakes/pull-requests.ts";
import { fakeReviews } from "../test/fakes/reviews.ts";
import { scriptedModel, textOf } from "../test/fakes/scripted-model.ts";
import {
  CALLER,
  CALLER_TEXT,
  COMMENT_BEFORE,
  DIFF,
  draftedFor,
  HEAD_TEXT,
  PATH,
  PULL_BODY,
  TITLE,
  verdictsFor,
} from "./walkthrough-change.ts";

const AT = Date.UTC(2026, 8, 1, 9, 30);
const DELIVERY = "72d3162e-cc78-11e3-81ab-4c9367dc0958";

/** Deterministic. */
export async function walkthroughPage(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-walkthrough-"));
  const { memory, recall, checks, waits, close } = await openStore(folder);
  const values = new Map<string, unknown>();
  try {
    await remember([earlierComment()], localWords(), memory, { redact });
    const { outcome: job } = receive(
      { id: DELIVERY, event: "pull_request", payload: webhook() },
      { host: "github.com", reviewerLogin: null },
    );
    if (job.kind !== "review") throw new Error("the webhook asked for no review");
    const pull = aPull({ title: TITLE, body: PULL_BODY, commits: [{ sha: HEAD, message: TITLE }] });
    const texts = { [`${HEAD}:${PATH}`]: HEAD_TEXT };
    const script = scriptedModel(({ purpose, user }) =>
      purpose === "verify" ? verdictsFor(textOf(user)) : draftedFor(textOf(user)),
    );
    const reviews = fakeReviews({ headSha: HEAD, files: [] });
    const ports: ReviewPorts = {
      ...PLAIN_CHANGE,
      ...{ keeping: null, isOnGitHub: null, isLastTry: false },
      pulls: fakePullRequests({ pull, texts, changes: { kind: "unified", text: DIFF } }),
      inspector: inspector(),
      known: knownRules(),
      embedder: localWords(),
      recall,
      access: script,
      snapshots: { at: async () => ({ snapshot: headSnapshot(), degraded: [] }) },
      symbols: symbolsOfReview(),
      now: () => AT,
      ledger: {
        unsent: () => Promise.resolve(null),
        earlier: () => Promise.resolve([]),
        save: () => Promise.resolve(),
        settle: () => Promise.resolve(),
      },
      reviews,
      checks: { begin: () => Promise.resolve(1), end: () => Promise.resolve() },
      checkStore: checks,
      waits,
      memory,
      redact,
      botLogin: "kodiai[bot]",
    };
    const before = await recall.counts({ repo: repoKey(REPO), ownerPool: null, excludePull: null, before: null });
    await reviewPullRequest(job, ports, async (stage, enter) => {
      const value = await enter();
      values.set(stage, value);
      // The fake checks the lines of comments against the diff.
      if (stage === "gather") reviews.world.files = (value as unknown as PullRequestContext).files;
      return value;
    });
    const after = await recall.counts({ repo: repoKey(REPO), ownerPool: null, excludePull: null, before: null });
    return page({
      job,
      signals: values.get("analyze") as ReviewSignals,
      precedents: values.get("retrieve") as Precedents,
      review: values.get("review") as Review,
      question: plainQuestion(script.asked[0]!),
      verification: plainQuestion(script.asked[1]!),
      reply: draftedFor(textOf(script.asked[0]!.user)),
      verdicts: verdictsFor(textOf(script.asked[1]!.user)),
      comment: reviews.reviews[0]?.comments[0],
      summary: reviews.summaries[0] ?? "",
      counts: [before.total, after.total],
    });
  } finally {
    await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The repository at the head. */
function headSnapshot(): Snapshot {
  const texts = new Map([
    [PATH, HEAD_TEXT],
    [CALLER, CALLER_TEXT],
  ]);
  const files = [...texts].map(([path, text]) => [path, { path, blob: shortHash(text), bytes: text.length }] as const);
  return { sha: HEAD, files: new Map(files), text: async (path) => texts.get(path) ?? null };
}

function webhook() {
  return {
    action: "opened",
    installation: { id: 9 },
    sender: { login: "mona", id: 583231, type: "User" },
    repository: {
      id: REPO.id,
      name: REPO.name,
      visibility: REPO.visibility,
      owner: { login: REPO.owner, id: REPO.ownerId },
    },
    pull_request: {
      number: 42,
      title: TITLE,
      state: "open",
      draft: false,
      user: { login: "mona", id: 583231, type: "User" },
      head: { sha: HEAD },
    },
  };
}

function earlierComment(): MemoryRecord {
  const repo = repoKey(REPO);
  const url = "https://github.com/acme/player/pull/31#discussion_r310";
  return {
    id: memoryId(repo, "review_comment", "310"),
    repo,
    repoName: `${REPO.owner}/${REPO.name}`,
    ownerId: REPO.ownerId,
    visibility: REPO.visibility,
    corpus: "review_comment",
    sourceId: "310",
    replies: [],
    situation: null,
    lesson: null,
    tags: [],
    symbol: null,
    flaggedCode: null,
    fixedCode: null,
    decided: null,
    described: null,
    sharing: null,
    chunkType: null,
    outcome: "accepted",
    provenance: { url, author: "lena", authorIsBot: false, sha: null, pull: 31, at: Date.UTC(2026, 5, 1) },
    stale: false,
    ...COMMENT_BEFORE,
  };
}

interface PageValues {
  readonly job: object;
  readonly signals: ReviewSignals;
  readonly precedents: Precedents;
  readonly review: Review;
  readonly question: ReturnType<typeof plainQuestion>;
  readonly verification: ReturnType<typeof plainQuestion>;
  readonly reply: ReturnType<typeof draftedFor>;
  readonly verdicts: ReturnType<typeof verdictsFor>;
  readonly comment:
    | { readonly path: string; readonly startLine: number; readonly line: number; readonly body: string }
    | undefined;
  readonly summary: string;
  readonly counts: readonly [number, number];
}

function page(values: PageValues): string {
  const { signals, precedents, review, question, verification, comment, counts } = values;
  const { intent, languages, author } = signals;
  return `${[
    "# A pull request, from webhook to memory",
    "The code produced every box below, with stand-ins for GitHub and the model. `kodiai explain` prints the same for your own change.",
    "## The change\n\nMona opens a pull request. In June, Lena commented on similar code.",
    box("diff", DIFF.trimEnd()),
    "## Webhook → job\n\n`receive` keeps a few fields, among them:",
    json(excerpt(values.job, ["kind", "key", "number", "headSha", "trigger"])),
    "## Job → signals\n\n`gather` reads the pull request, the configuration of its base branch and the diff; `analyze` finds out what kind of change it is.",
    json({
      type: intent.type,
      scope: intent.scope,
      languages: languages.map(({ name, share }) => `${name} ${share}`),
      author: author.tier,
    }),
    `## Signals → query → precedents\n\n\`retrieve\` searches memory only when that can help (${precedents.gate.reason}). It sends one query for the whole change (below) and ${precedents.query?.variants.length ?? 0} for its parts.`,
    box("text", precedents.query?.text ?? ""),
    json(
      precedents.ranked.map(({ record, distance }) => ({
        id: record.id,
        said: record.text,
        where: record.path,
        outcome: record.outcome,
        distance: distance === null ? null : Number(distance.toFixed(3)),
      })),
    ),
    `## Precedents → prompt\n\nText from outside is enclosed in delimiters that cannot be guessed (here a counter), and each line of the diff has an anchor that cannot be invented. \`kodiai review --show-prompt\` prints all of the prompt, here about ${question.inputTokens} tokens. From it:`,
    box("text", shortened(question.user.join("\n\n"))),
    "## Prompt → reply\n\nThe model answers with findings as JSON, and names lines by copying their anchors. It cannot approve, merge or run anything. The first of three:",
    json(values.reply.findings[0]),
    `Code checks each against the diff. Then a smaller model verifies them as a sceptic (about ${verification.inputTokens} tokens):`,
    json(values.verdicts.findings.map(({ id, verdict, reason }) => ({ id, verdict, reason }))),
    "## Reply → review\n\nA finding is posted on lines that its quote proves, or on none. One that is held back is kept with the reason.",
    json({
      findings: review.findings.map(({ finding, place }) => ({
        id: finding.id,
        at: `${finding.path}:${finding.startLine}-${finding.line}`,
        provenBy: finding.locMethod,
        precedents: finding.precedents.map(({ id }) => id),
        place,
      })),
      heldBack: review.heldBack.map(({ finding, reason }) => `${finding.title}: ${reason}`),
    }),
    `## Review → GitHub\n\nKodiai posts one review with a comment on \`${comment?.path}\`, lines ${comment?.startLine} to ${comment?.line}:`,
    quoted(withoutFolds(comment?.body ?? "")),
    "and one summary, which later pushes edit in place. It begins:",
    quoted(values.summary.slice(0, values.summary.indexOf("\n\n**Said here before"))),
    `## GitHub → memory\n\n\`learn\` stores the findings: ${counts[0]} memory before, ${counts[1]} after. The next change of this kind finds them.`,
  ].join("\n\n")}\n`;
}

function excerpt(value: object, keys: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => keys.includes(key)));
}

/** Prompts for agents and lists of files are as long as the rest. */
function withoutFolds(markdown: string): string {
  return markdown.replace(/<details>[\s\S]*?<\/details>\n+/g, "");
}

function box(language: string, text: string): string {
  return `\`\`\`\`${language}\n${text}\n\`\`\`\``;
}

function json(value: unknown): string {
  return box("json", JSON.stringify(value, null, 2));
}

function quoted(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}

/**
 * From the precedents on, with long lines truncated, and as much of the diff as shows its anchors.
 */
function shortened(prompt: string): string {
  const from = Math.max(0, prompt.indexOf("## What was said before"));
  return prompt
    .slice(from)
    .split("\n")
    .map((line) => (line.length > 160 ? `${line.slice(0, 159)}…` : line))
    .join("\n")
    .replace(/(\n@@\n(?:.*\n){8})[\s\S]*/, "$1…");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  writeFileSync(new URL("../docs/walkthrough.md", import.meta.url), await walkthroughPage());
  console.log("wrote docs/walkthrough.md");
}
