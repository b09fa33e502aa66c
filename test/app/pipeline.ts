// The pipeline without a server: one change of plain data, taken through the real stages and the
// real rules.
import { noMemory } from "../../src/adapters/no-memory/no-memory.ts";
import type { Precedents } from "../../src/domain/retrieval.ts";
import type { Review } from "../../src/domain/review.ts";
import { PLAIN_CHANGE, type Stage, type WritingPorts } from "../../src/flows/review/review-ports.ts";
import { writeReview } from "../../src/flows/review/review-pull-request.ts";
import { inspector, knownRules } from "../../src/wire/rules.ts";
import { aJob, aPull, BASE, fakePullRequests, HEAD, type World } from "../fakes/pull-requests.ts";
import { memoryStore, type Shelved } from "../retrieve/retrieve-builders.ts";

const rules = inspector();
const known = knownRules();

/** A world in which `files` were added to an empty repository, and `.kodiai.yml` says `config`. */
export interface Change {
  /** Head text of added files by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** `.kodiai.yml` at the base. */
  readonly config?: string;
  readonly world?: World;
  readonly job?: Parameters<typeof aJob>[0];
  /** What is remembered; nothing when left out. */
  readonly memories?: readonly Shelved[];
  /** Memory itself, in the place of one that holds `memories`. */
  readonly recall?: WritingPorts["recall"];
  readonly embedder?: WritingPorts["embedder"];
  readonly reranker?: WritingPorts["reranker"];
  readonly gateCache?: WritingPorts["gateCache"];
  readonly access?: WritingPorts["access"];
  readonly permissions?: WritingPorts["permissions"];
  readonly snapshots?: WritingPorts["snapshots"];
  readonly symbols?: WritingPorts["symbols"];
  /** Reviews of the pull request that were posted before, newest first. */
  readonly earlier?: readonly Review[];
  /** Epoch milliseconds; 0 when left out. The clock stands still. */
  readonly now?: number;
}

/** The review, or the reason why there is none. */
export async function reviewOf(change: Change): Promise<Review | string> {
  return written(change, (_room, enter) => Promise.resolve(enter()));
}

/** What the retrieve stage hands on; throws the reason why nothing was reviewed. */
export async function precedentsOf(change: Change): Promise<Precedents> {
  const handedOn = new Map<string, unknown>();
  const review = await written(change, async (stage, enter) => {
    const value = await enter();
    handedOn.set(stage, value);
    return value;
  });
  if (typeof review === "string") throw new Error(`not reviewed: ${review}`);
  if (review.configProblems.length > 0) throw new Error(JSON.stringify(review.configProblems));
  return handedOn.get("retrieve") as Precedents;
}

async function written(change: Change, step: Stage): Promise<Review | string> {
  const earlier = (change.earlier ?? []).map((review) => ({ review, posted: true }));
  const review = await writeReview(
    aJob(change.job),
    { ...portsOf(change), ledger: { earlier: async () => earlier } },
    step,
  );
  return review.kind === "skipped" ? review.reason : review;
}

/** The review; throws the reason why there is none. */
export async function reviewed(change: Change): Promise<Review> {
  const review = await reviewOf(change);
  if (typeof review === "string") throw new Error(`not reviewed: ${review}`);
  return review;
}

/** Each finding as `PATH:LINE RULE SEVERITY PLACE`. */
export function reported(review: Review): string[] {
  return review.findings.map(
    ({ finding, place }) => `${finding.path}:${finding.line} ${finding.rule} ${finding.severity} ${place}`,
  );
}

/** GitHub's listing of an added file. */
export function addedFile(path: string, text: string) {
  const lines = text.replace(/\n$/, "").split("\n");
  const patch = `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}`).join("\n")}`;
  return { path, previousPath: null, status: "added", additions: lines.length, deletions: 0, patch } as const;
}

export function portsOf({
  files = {},
  config,
  world = {},
  memories,
  job: _,
  earlier: __,
  ...rest
}: Change): WritingPorts {
  const listed = Object.entries(files).map(([path, text]) => addedFile(path, text));
  const heads = Object.entries(files).map(([path, text]) => [`${HEAD}:${path}`, text]);
  const pulls = fakePullRequests({
    pull: aPull(),
    changes: { kind: "listing", files: listed, total: listed.length },
    ...world,
    texts: {
      ...Object.fromEntries(heads),
      ...(config === undefined ? {} : { [`${BASE}:.kodiai.yml`]: config }),
      ...world.texts,
    },
  });
  return {
    ...PLAIN_CHANGE,
    ...{ embedder: null, access: null },
    ...rest,
    pulls,
    inspector: rules,
    known,
    recall: rest.recall ?? (memories === undefined ? noMemory() : memoryStore(memories)),
    now: () => rest.now ?? 0,
  };
}
