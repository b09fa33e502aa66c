// Writes to a pull request on GitHub: comments only, each through the write path.
import { createHash } from "node:crypto";
import { RequestError } from "@octokit/request-error";
import { OutOfReach, Transient } from "../../../domain/errors.ts";
import type { Repo } from "../../../domain/job.ts";
import { parseFindingMarker, proofMarker, SUMMARY_MARKER, withNotice } from "../../../domain/review/marker.ts";
import { CommentRefused, type CommentToPost, type Reviews, SupersededError } from "../../../ports.ts";
import type { GitHub } from "../clients.ts";
import { placeOf, unlessStatus } from "../requests.ts";
import { isNotReady, limitWait, translated, translatedMethods } from "../translate-error.ts";
import { isOurs, reviewCommentsOf, summaryOf } from "./find-post.ts";
import type { Creation, WritePath } from "./write-path.ts";

/** The writing port for one repository's token. `botLogin` is our account: `kodiai[bot]`. */
export function githubReviews(github: GitHub, botLogin: string, path: WritePath): Reviews {
  /** Right before each write: nothing is posted on a closed, locked or outdated pull request. */
  async function checkHead({ repo, number, headSha }: Spot): Promise<void> {
    const now = await translated(() => readHead(github, repo, number));
    if (now.state === "closed") throw new SupersededError("the pull request is closed");
    if (now.locked) throw new SupersededError("the conversation is locked");
    if (now.sha !== headSha) throw new SupersededError(`the head moved to ${now.sha.slice(0, 7)}`);
  }

  /** @throws CommentRefused when GitHub cannot place some comment; passes throttling (422) on */
  function create(wanted: Parameters<WritePath["create"]>[0], send: Creation["post"]): Promise<{ url: string }> {
    return path.create(wanted, {
      allowed: () => checkHead(wanted),
      async post(proof) {
        try {
          return await send(proof);
        } catch (error) {
          if (error instanceof RequestError && error.status === 422 && limitWait(error, 0) === null)
            throw new CommentRefused(error.message, { cause: error });
          throw error;
        }
      },
    });
  }

  /** GitHub allows one pending review per user and pull request; a crashed run may leave one. */
  async function dropPendingReview(spot: Spot): Promise<void> {
    const reviews = await github.paginate(github.rest.pulls.listReviews, { ...at(spot), per_page: 100 });
    for (const review of reviews) {
      if (review.state !== "PENDING" || !isOurs(review, botLogin)) continue;
      await path.repeat(() => github.rest.pulls.deletePendingReview({ ...at(spot), review_id: review.id }));
    }
  }

  /** @param bodyOf of the current body, null for none */
  async function putSummary(spot: Spot, bodyOf: (current: string | null) => string): Promise<{ url: string }> {
    const { repo, number } = spot;
    const wanted = { kind: "summary", repo, number, headSha: "", subject: "sticky" } as const;
    const allowed = () => checkHead(spot);
    const place = { ...placeOf(repo), issue_number: number };
    const post = (proof: string) => github.rest.issues.createComment({ ...place, body: proven(bodyOf(null), proof) });
    const there = await path.create(wanted, { look: true, allowed, post });
    if (there.made) return there;
    const comment = { ...placeOf(repo), comment_id: there.id };
    const current = await unlessStatus([404, 410], () => github.rest.issues.getComment(comment));
    if (current === null) {
      // The summary was deleted.
      await path.deleted(wanted);
      return path.create(wanted, { look: true, allowed, post });
    }
    const before = current.data.body ?? "";
    const text = withProofOf(before, bodyOf(before));
    if (before === text) return there;
    const edit = async () => {
      await allowed();
      await github.rest.issues.updateComment({ ...comment, body: text });
    };
    await path.repeat(edit, "edit-summary");
    return there;
  }

  const hasSummary = async (repo: Repo, number: number) =>
    (await summaryOf(github, botLogin, repo, number)) !== undefined;

  return translatedMethods<Reviews>({
    head: (repo, number) => readHead(github, repo, number),
    async postedFindings(repo, number) {
      const comments = await reviewCommentsOf(github, repo, number);
      const own = comments.filter((comment) => isOurs(comment, botLogin));
      return new Set(own.flatMap((comment) => parseFindingMarker(comment.body)));
    },
    async outsideDiff(repo, number, comments) {
      const patches = await patchesOf(github, repo, number);
      return new Set(comments.filter((comment) => !isInside(comment, patches.get(comment.path) ?? "")));
    },
    async postReview(repo, number, headSha, body, comments) {
      const spot = { repo, number, headSha };
      await dropPendingReview(spot);
      const subject = digest(comments.map((comment) => nameOf(comment.body) ?? `${comment.path}:${comment.line}`));
      const placed = comments.map(({ path, body, line, side, startLine }) => {
        const start = startLine < line ? { start_line: startLine, start_side: side } : {};
        return { path, body, line, side, ...start };
      });
      const review = { ...at(spot), commit_id: headSha, event: "COMMENT", comments: placed } as const;
      return create({ kind: "review", ...spot, subject }, (proof) =>
        github.rest.pulls.createReview({ ...review, body: proven(body, proof) }),
      );
    },
    async postFileComment(repo, number, headSha, file, body) {
      const spot = { repo, number, headSha };
      const subject = nameOf(body) ?? digest([file, body]);
      const comment = { ...at(spot), commit_id: headSha, path: file, subject_type: "file" } as const;
      return create({ kind: "file", ...spot, subject }, (proof) =>
        github.rest.pulls.createReviewComment({ ...comment, body: proven(body, proof) }),
      );
    },
    async putSummary(repo, number, body, headSha) {
      if (!body.includes(SUMMARY_MARKER)) throw new RangeError("a summary carries its marker");
      return putSummary({ repo, number, headSha }, () => body);
    },
    async editSummary(repo, number, body, headSha) {
      return (await hasSummary(repo, number)) ? putSummary({ repo, number, headSha }, () => body) : null;
    },
    async showQuiet(repo, number, headSha) {
      const post = () =>
        github.rest.reactions.createForIssue({ ...placeOf(repo), issue_number: number, content: "+1" });
      await unlessFailing(() =>
        path.create(quietOn(repo, number), { allowed: () => checkHead({ repo, number, headSha }), post }),
      );
    },
    async endQuiet(repo, number) {
      const wanted = quietOn(repo, number);
      await unlessFailing(async () => {
        const given = await path.created(wanted);
        if (given === null) return;
        const reaction = { ...placeOf(repo), issue_number: number, reaction_id: given.id };
        await path.repeat(() => unlessStatus([404, 410], () => github.rest.reactions.deleteForIssue(reaction)));
        await path.deleted(wanted);
      });
    },
    async showNotice(repo, number, line, headSha) {
      await putSummary({ repo, number, headSha }, (current) => withNotice(current, line));
    },
  });
}

/** One for the whole pull request and all its heads. */
function quietOn(repo: Repo, number: number) {
  return { kind: "reaction", repo, number, headSha: "", subject: "quiet" } as const;
}

/** A reaction is worth no second try of a review. */
async function unlessFailing(send: () => Promise<unknown>): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (!(error instanceof RequestError || error instanceof OutOfReach || error instanceof Transient)) throw error;
  }
}

interface Spot {
  readonly repo: Repo;
  readonly number: number;
  readonly headSha: string;
}

const at = ({ repo, number }: Pick<Spot, "repo" | "number">) => ({ ...placeOf(repo), pull_number: number });

async function readHead(github: GitHub, repo: Repo, number: number) {
  const { data } = await github.rest.pulls.get(at({ repo, number }));
  // Another repository can take over a name, but not an id.
  if (data.base.repo.id !== repo.id) throw new OutOfReach("missing", 301, "another repository has its name now");
  return { sha: data.head.sha, state: data.state, locked: data.locked };
}

/** Path → patch as GitHub shows it; empty if it cannot make the diff. */
async function patchesOf(github: GitHub, repo: Repo, number: number): Promise<ReadonlyMap<string, string>> {
  try {
    const files = await github.paginate(github.rest.pulls.listFiles, { ...at({ repo, number }), per_page: 100 });
    return new Map(files.map(({ filename, patch }) => [filename, patch ?? ""]));
  } catch (error) {
    if (isNotReady(error)) return new Map();
    throw error;
  }
}

/** Whether both ends are in one hunk, by the ranges in its header. */
function isInside({ side, startLine, line }: CommentToPost, patch: string): boolean {
  return [...patch.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)].some((header) => {
    const [first, count] = side === "LEFT" ? [header[1], header[2]] : [header[3], header[4]];
    const from = Number(first);
    return from <= startLine && line < from + Number(count ?? 1);
  });
}

function proven(body: string, marker: string): string {
  return `${body}\n${proofMarker(marker)}`;
}

/** An edit keeps the comment's proof. */
function withProofOf(current: string, body: string): string {
  const proof = /<!-- kodiai:proof [0-9a-f]+ -->\s*$/.exec(current)?.[0].trim();
  return proof === undefined || body.trimEnd().endsWith(proof) ? body : `${body}\n${proof}`;
}

/** The findings of a comment; null when there are none. */
function nameOf(body: string): string | null {
  return parseFindingMarker(body).join(" ") || null;
}

function digest(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts.toSorted())).digest("hex").slice(0, 16);
}
