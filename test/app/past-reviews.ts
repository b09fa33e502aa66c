// A repository with a past: pull requests that were reviewed and merged before Kodiai came, put
// into the fake as GitHub keeps them.
import type { Person, Pull, Repository, ReviewComment } from "../fakes/github/conversation.ts";
import type { GitHubWorld } from "../fakes/github/github.ts";
import { BACKUP } from "./change-builders.ts";

let lastId = 1_843_320_000;

/** GitHub's time of a day in spring 2026. */
const day = (number: number) =>
  new Date(Date.UTC(2026, 2, 1) + number * 86_400_000).toISOString().replace(".000Z", "Z");

export interface SaidInThePast {
  readonly by: string;
  readonly body: string;
  readonly path?: string;
  readonly hunk?: string;
  /** Days since 1 March 2026. */
  readonly day?: number;
  /** The line is no longer there. */
  readonly isOutdated?: boolean;
}

/** A comment on a line; a reply when `to` names what it answers. */
export function saidOnLine(
  world: GitHubWorld,
  pull: Pull,
  said: SaidInThePast,
  to: ReviewComment | null = null,
): ReviewComment {
  const comment: ReviewComment = {
    id: ++lastId,
    reviewId: ++lastId,
    author: world.person(said.by),
    path: said.path ?? to?.path ?? "ops/backup.py",
    body: said.body,
    side: "RIGHT",
    startSide: null,
    startLine: null,
    line: 3,
    text: said.isOutdated === true ? "a line that is no longer there" : "",
    hunk: said.hunk ?? `@@ -0,0 +1,3 @@\n${BACKUP.trimEnd().replace(/^/gm, "+")}`,
    commitId: said.isOutdated === true ? pull.baseSha : pull.headSha,
    inReplyTo: to?.id ?? null,
    createdAt: day(said.day ?? 0),
    editedTimes: 0,
    reactions: [],
  };
  pull.comments.push(comment);
  return comment;
}

/** Something in the conversation. */
export function saidInConversation(world: GitHubWorld, pull: Pull, said: SaidInThePast): void {
  const own = { id: ++lastId, editedTimes: 0, createdAt: day(said.day ?? 0), reactions: [] };
  pull.issueComments.push({ ...own, author: world.person(said.by), body: said.body });
}

/** The text of a review. */
export function saidInReview(world: GitHubWorld, pull: Pull, said: SaidInThePast): void {
  const own = { id: ++lastId, state: "COMMENTED" as const, commitId: pull.headSha, submittedAt: day(said.day ?? 0) };
  pull.reviews.push({ ...own, author: world.person(said.by), body: said.body });
}

/** People who may write, and one who may not. */
export function people(world: GitHubWorld): void {
  world.person("ines", { association: "MEMBER", permission: "write" });
  world.person("lena", { association: "COLLABORATOR", permission: "write" });
  // Her membership is concealed.
  world.person("olga", { association: "CONTRIBUTOR", permission: "admin" });
  world.person("mallory", { association: "FIRST_TIME_CONTRIBUTOR", permission: "read" } as Partial<Person>);
  world.person("drive-by", { association: "NONE", permission: "read" });
}

/** A merged pull request that GitHub told nobody about. */
export async function mergedPull(world: GitHubWorld, repository: Repository, title: string): Promise<Pull> {
  const pull = await world.pullRequest(repository, { title, files: { "ops/backup.py": BACKUP }, announce: false });
  await world.closePull(pull, { merged: true, announce: false });
  return pull;
}
