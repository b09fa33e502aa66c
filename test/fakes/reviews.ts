// GitHub as the publish stage meets it: takes a review's comments all or none, refuses lines
// outside the diff and bodies that are too long, keeps what was written, and can die in the middle.

import { Transient } from "../../src/domain/errors.ts";
import type { FileDiff } from "../../src/domain/pull-request.ts";
import { parseFindingMarker, SUMMARY_MARKER, withNotice } from "../../src/domain/review/marker.ts";
import { CommentRefused, type CommentToPost, type Reviews } from "../../src/ports.ts";

/** GitHub's limit of a comment's body, in characters. */
const LONGEST_BODY = 65_536;

export interface World {
  headSha: string;
  state: "open" | "closed";
  locked: boolean;
  /** The diff as GitHub has it now. */
  files: readonly FileDiff[];
  /** A comment GitHub refuses although its lines are in the diff. */
  refuses: (comment: CommentToPost) => boolean;
  /** A path GitHub refuses a file comment on, although it is in the diff. */
  refusesFile: (path: string) => boolean;
  /** The write with this number (from 0) fails: `before` it lands or `after`. */
  dies: { readonly write: number; readonly when: "before" | "after" } | null;
}

export interface PostedThere {
  readonly headSha: string;
  readonly body: string;
  readonly comments: readonly CommentToPost[];
}

/** What stands on the pull request, and what was asked of GitHub. */
export interface FakeReviews extends Reviews {
  readonly world: World;
  readonly reviews: PostedThere[];
  readonly fileComments: { readonly headSha: string; readonly path: string; readonly body: string }[];
  /** Bodies of our issue comments; a sticky summary is edited in its place. */
  readonly summaries: string[];
  /** Our reactions to the pull request. */
  readonly quiet: string[];
  /** Every call by name, in order. */
  readonly calls: string[];
}

export function fakeReviews(given: Partial<World> & Pick<World, "headSha" | "files">): FakeReviews {
  const world: World = {
    state: "open",
    locked: false,
    refuses: () => false,
    refusesFile: () => false,
    dies: null,
    ...given,
  };
  const reviews: PostedThere[] = [];
  const fileComments: FakeReviews["fileComments"] = [];
  const summaries: string[] = [];
  const quiet: string[] = [];
  const calls: string[] = [];
  let writes = 0;

  function write<T>(call: string, body: string, land: () => T): T {
    calls.push(call);
    if (body.length > LONGEST_BODY) throw new Error(`body of ${body.length} characters`);
    const dies = world.dies?.write === writes++ ? world.dies.when : null;
    if (dies === "before") throw new Transient("502 before it landed");
    const landed = land();
    if (dies === "after") throw new Transient("502 after it landed");
    return landed;
  }

  return {
    world,
    reviews,
    fileComments,
    summaries,
    quiet,
    calls,
    async head() {
      calls.push("head");
      return { sha: world.headSha, state: world.state, locked: world.locked };
    },
    async postedFindings(_repo, _number, headSha) {
      calls.push("postedFindings");
      const bodies = [
        ...reviews.filter((one) => one.headSha === headSha).flatMap(({ comments }) => comments.map(({ body }) => body)),
        ...fileComments.filter((one) => one.headSha === headSha).map(({ body }) => body),
      ];
      return new Set(bodies.flatMap(parseFindingMarker));
    },
    async postReview(_repo, _number, headSha, body, comments) {
      return write("postReview", [body, ...comments.map((one) => one.body)].sort(byLength).at(-1) ?? "", () => {
        if (body === "") throw new Error("event COMMENT needs a body");
        if (comments.some((one) => world.refuses(one) || !standsInDiff(one, world.files))) {
          throw new CommentRefused("Pull request review thread line must be part of the diff");
        }
        reviews.push({ headSha, body, comments });
        return { url: `https://github.com/acme/app/pull/7#pullrequestreview-${reviews.length}` };
      });
    },
    async outsideDiff(_repo, _number, comments) {
      calls.push("outsideDiff");
      return new Set(comments.filter((one) => !standsInDiff(one, world.files)));
    },
    async postFileComment(_repo, _number, headSha, path, body) {
      return write("postFileComment", body, () => {
        if (world.refusesFile(path) || !world.files.some((file) => file.path === path)) {
          throw new CommentRefused("path is not part of the diff");
        }
        fileComments.push({ headSha, path, body });
        return { url: `https://github.com/acme/app/pull/7#discussion_r${fileComments.length}` };
      });
    },
    async putSummary(_repo, _number, body) {
      return write("putSummary", body, () => {
        const at = summaries.findIndex((summary) => summary.includes(SUMMARY_MARKER));
        if (at === -1) summaries.push(body);
        else summaries[at] = body;
        return { url: "https://github.com/acme/app/pull/7#issuecomment-1" };
      });
    },
    async editSummary(...given) {
      return summaries.length === 0 ? null : this.putSummary(...given);
    },
    async showQuiet() {
      quiet.push("+1");
    },
    async endQuiet() {
      quiet.length = 0;
    },
    async showNotice(_repo, _number, line) {
      summaries.splice(0, 1, withNotice(summaries[0] ?? null, line));
    },
  };
}

/**
 * GitHub's rule, written again from the hunk headers: both ends on the comment's side of one hunk,
 * start before end.
 */
function standsInDiff({ path, side, startLine, line }: CommentToPost, files: readonly FileDiff[]): boolean {
  const hunks = files.find((file) => file.path === path)?.hunks ?? [];
  return hunks.some((hunk) => {
    const [start, length] = side === "LEFT" ? [hunk.oldStart, hunk.oldLines] : [hunk.newStart, hunk.newLines];
    return startLine <= line && startLine >= start && line < start + length;
  });
}

function byLength(a: string, b: string): number {
  return a.length - b.length;
}
