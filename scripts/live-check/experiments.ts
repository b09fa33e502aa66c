// GitHub behaviour that Kodiai relies on and GitHub does not document, each with an experiment that
// tests it. One list: the live check performs it, its report shows it, and docs/permissions.md is
// generated from it.
import { setTimeout as wait } from "node:timers/promises";
import type { Octokit } from "@octokit/rest";
import type { GitHub } from "../../src/adapters/github/clients.ts";
import { REVIEW_COMMENT_FIELDS } from "../../src/adapters/github/graphql-documents.ts";
import { githubFeedback } from "../../src/adapters/github/read/feedback.ts";
import { placeOf } from "../../src/adapters/github/requests.ts";
import { translate } from "../../src/adapters/github/translate-error.ts";
import { isOurs } from "../../src/adapters/github/write/find-post.ts";
import { githubReplies } from "../../src/adapters/github/write/replies.ts";
import { githubReviews } from "../../src/adapters/github/write/reviews.ts";
import type { WritePath } from "../../src/adapters/github/write/write-path.ts";
import { OutOfReach, Transient } from "../../src/domain/errors.ts";
import type { Repo } from "../../src/domain/job.ts";
import { findingMarker, parseFindingMarker } from "../../src/domain/review/marker.ts";
import type { CommentToPost } from "../../src/ports.ts";
import type { LivePromise } from "./report.ts";

/** The pull request for the experiments, and what they know about it so far. */
export interface LiveStage {
  readonly repo: Repo;
  readonly number: number;
  readonly headSha: string;
  readonly file: string;
  /** Changed lines of the file. */
  readonly lines: readonly [number, number];
  /** What the person wrote in the conversation. */
  readonly commentId: number;
  readonly login: string;
  /** Whether the person may rename the repository. */
  readonly isAdmin: boolean;
  /** Whether an outside collaborator could log in to the dashboard; null if not tested. */
  readonly outsideLogin: boolean | null;
  readonly slug: string;
  /** With the token that reviews get. */
  readonly github: GitHub;
  /** With the token that check runs get. */
  readonly checks: () => Promise<GitHub>;
  readonly person: Octokit;
  readonly path: WritePath;
  readonly seen: Seen;
  /** Branches to delete; the last is the base branch. */
  readonly branches: string[];
  /** The App's comments on lines, once they are posted. */
  comments: readonly { readonly id: number }[];
  /** Registers an act for the clean-up, unless the returned function already performs it. */
  undoing(what: string, act: () => Promise<unknown>): () => Promise<void>;
}

/** What is read from answers besides their bodies. */
export interface Seen {
  tokenForm: string | null;
  /** Status of the last redirect that was followed. */
  redirect: number | null;
  enterpriseVersion: string | null;
}

interface Experiment extends LivePromise {
  /**
   * Returns GitHub's answer. @throws Differs if the promise does not hold, which a refusal by
   * GitHub also shows; NotTried
   */
  readonly run: (at: LiveStage) => Promise<string>;
}

/** GitHub's answer differs from the promise. */
class Differs extends Error {
  override readonly name = "Differs";
}

/** GitHub could not be reached. */
export class NotTried extends Error {
  override readonly name = "NotTried";
}

export const STATELESS = "ghs_APPID_JWT";
/** GitHub shows some posts with a delay. */
const LOOKS = 3;
const LOOK_MS = 1_000;
const FINDINGS = ["fnd_live1", "fnd_live2"] as const;

export const EXPERIMENTS: readonly Experiment[] = [
  {
    name: "token-form",
    promise: "An installation token has the form `ghs_APPID_JWT`.",
    how: "The App makes a token.",
    otherwise: "Tokens of the older form, `ghs_` and 36 letters or digits, are recognised as secrets as well.",
    async run({ seen }) {
      if (seen.tokenForm !== STATELESS) throw new Differs(seen.tokenForm ?? "no token was seen");
      return STATELESS;
    },
  },
  {
    name: "search-app",
    promise: "A search knows the pull requests of an App as `author:app/NAME`.",
    how: "The App searches for its own merged pull requests.",
    otherwise: "The author's tier is missing with its reason; a check still concludes.",
    run: async (at) => `${await merged(at, `app/${at.slug}`)} pull requests`,
  },
  {
    name: "search-copilot",
    promise: "A search refuses `author:Copilot` with 422.",
    how: "The App searches for Copilot's merged pull requests.",
    otherwise: "The author's tier is known for Copilot as for any other author.",
    run: (at) => refused(422, () => merged(at, "Copilot")),
  },
  {
    name: "review",
    promise: "A review with comments on changed lines is taken, and so is a comment on a whole file.",
    how: "The App posts both.",
    otherwise: "Comments that GitHub does not take are part of the summary.",
    async run(at) {
      const { repo, number, headSha, file, github } = at;
      const reviews = reviewsOf(at);
      const comments = FINDINGS.map((id, index) => commentOn(at, at.lines[index] ?? 0, id));
      await reviews.postReview(repo, number, headSha, "Kodiai tries a review.", comments);
      await reviews.postFileComment(repo, number, headSha, file, "Kodiai tries a comment on a file.");
      const list = { ...placeOf(repo), pull_number: number, per_page: 100 };
      const mine = await eventually(
        async () =>
          (await github.rest.pulls.listReviewComments(list)).data.filter(
            (one) => isOurs(one, botOf(at)) && FINDINGS.some((id) => parseFindingMarker(one.body).includes(id)),
          ),
        (found) => found.length === FINDINGS.length,
      );
      if (mine.length !== FINDINGS.length) throw new Differs(`${mine.length} of ${FINDINGS.length} comments are shown`);
      at.comments = mine.map(({ id }) => ({ id }));
      return "taken and shown";
    },
  },
  {
    name: "outside-diff",
    promise: "A comment on a line outside the diff is refused with 422, in other words than throttling.",
    how: "The App posts a review with a comment on an unchanged line.",
    otherwise: "Such a finding is never offered on a line: it is a comment on the file.",
    run: (at) =>
      refused(422, () =>
        reviewsOf(at).postReview(at.repo, at.number, at.headSha, "Kodiai tries a line outside the diff.", [
          commentOn(at, 1, "fnd_live3"),
        ]),
      ),
  },
  {
    name: "feedback",
    promise: "The feedback query returns who replied, who reacted and who resolved the thread.",
    how: "The person replies to a comment of the App, reacts with a thumb and resolves the thread; the App asks.",
    otherwise: "Nothing is learnt from people; reviews go on.",
    async run(at) {
      const { repo, number, person, path, login } = at;
      const [{ id }] = posted(at);
      const place = { ...placeOf(repo), comment_id: id };
      await path.repeat(() =>
        person.rest.pulls.createReplyForReviewComment({ ...place, pull_number: number, body: "Kodiai tries a reply." }),
      );
      await path.repeat(() => person.rest.reactions.createForPullRequestReviewComment({ ...place, content: "+1" }));
      await githubReplies(person, login, path).resolve(repo, number, id);
      const isTheirs = (by: { readonly login: string } | null | undefined) => by?.login === login;
      const lacks = await eventually(
        async () => {
          const read = await githubFeedback(at.github, botOf(at)).read(repo, number);
          const of = read?.threads.find(({ findingId }) => findingId === FINDINGS[0]);
          const parts = [
            ["the reply", of?.replies.some(({ by }) => isTheirs(by))],
            ["the reaction", of?.reactions.some(({ by }) => isTheirs(by))],
            ["who resolved it", isTheirs(of?.resolvedBy)],
          ] as const;
          return parts.flatMap(([what, isShown]) => (isShown === true ? [] : [what]));
        },
        (missing) => missing.length === 0,
      );
      if (lacks.length > 0) throw new Differs(`it lacks ${lacks.join(", ")}`);
      return "reply, reaction and who resolved the thread";
    },
  },
  {
    name: "resolve-thread",
    promise: "An App without `contents: write` may not resolve a review thread (`resolveReviewThread`).",
    how: "The App resolves a thread that it began.",
    otherwise: "Threads are resolved when a person asks for it, and the answer says so.",
    async run(at) {
      const [, { id }] = posted(at);
      const became = await githubReplies(at.github, botOf(at), at.path).resolve(at.repo, at.number, id);
      if (became !== "refused") throw new Differs(became);
      return "refused";
    },
  },
  {
    name: "react",
    promise: "An App with `pull_requests: write` may react to comments of the conversation and of the diff.",
    how: "The App reacts to a comment of the person in the conversation, and to one of its own on the diff.",
    otherwise: "Answers are posted without.",
    async run(at) {
      const { rest } = at.github;
      const to = (id: number) => ({ ...placeOf(at.repo), comment_id: id, content: "eyes" }) as const;
      await at.path.repeat(() => rest.reactions.createForIssueComment(to(at.commentId)));
      const [{ id }] = posted(at);
      await at.path.repeat(() => rest.reactions.createForPullRequestReviewComment(to(id)));
      return "both taken";
    },
  },
  {
    name: "check-suite",
    promise: "GitHub shows no queued check suite of the App where `review.checks` is off.",
    how: "The App lists the check suites of the head.",
    otherwise: "`kodiai setup --without-checks` makes an App that has no suites.",
    async run(at) {
      const github = await at.checks().catch((error: unknown) => {
        if (translate(error, Date.now()) instanceof OutOfReach) throw new NotTried("the App has no `checks: write`");
        throw error;
      });
      const { data } = await github.rest.checks.listSuitesForRef({ ...placeOf(at.repo), ref: at.headSha });
      const queued = data.check_suites.filter(
        (one) => one.app?.slug === at.slug && one.status === "queued" && one.latest_check_runs_count === 0,
      );
      if (queued.length > 0) throw new Differs(`${queued.length} queued`);
      return "none";
    },
  },
  {
    name: "outside-login",
    promise: "An outside collaborator can log in to the dashboard through a private App.",
    how: "By hand: one logs in, and `--outside-login yes` or `no` says what happened.",
    otherwise: "Who cannot uses `KODIAI_DASHBOARD_TOKEN`.",
    async run({ outsideLogin }) {
      if (outsideLogin === null) throw new NotTried("`--outside-login` was not given");
      if (!outsideLogin) throw new Differs("the login was refused, as the person says");
      return "the login was taken, as the person says";
    },
  },
  {
    name: "schema",
    promise: "The GraphQL schema knows `fullDatabaseId` of review comments: this GitHub is new enough.",
    how: "The App asks for the fields of a review comment.",
    otherwise: "No Enterprise Server is supported that is older than GitHub's own oldest supported release.",
    async run({ github, seen }) {
      const { __type: type } = await github.graphql<Fields>(REVIEW_COMMENT_FIELDS, {});
      const version = seen.enterpriseVersion === null ? "" : ` (Enterprise Server ${seen.enterpriseVersion})`;
      if (type?.fields.some(({ name }) => name === "fullDatabaseId") !== true) throw new Differs(`no${version}`);
      return `yes${version}`;
    },
  },
  {
    name: "rename-branch",
    promise: "A pull request stays open and follows its base branch when that is renamed.",
    how: "The person renames the base branch; the App reads the pull request.",
    otherwise: "The review ends as that of a closed pull request does.",
    async run({ repo, number, github, person, path, branches }) {
      const base = branches.at(-1) ?? "";
      const renamed = `${base}-renamed`;
      branches.push(renamed);
      await path.repeat(() => person.rest.repos.renameBranch({ ...placeOf(repo), branch: base, new_name: renamed }));
      const pull = await eventually(
        async () => (await github.rest.pulls.get({ ...placeOf(repo), pull_number: number })).data,
        ({ base: { ref } }) => ref === renamed,
      );
      const follows = pull.base.ref === renamed;
      const now = `${pull.state}, ${follows ? "into the new name" : "into the former name"}`;
      if (pull.state !== "open" || !follows) throw new Differs(now);
      return now;
    },
  },
  {
    name: "rename-repository",
    promise: "A write to a repository that was renamed is redirected with 307 to `/repositories/ID`.",
    how: "The person renames the repository, the App comments under its former name, the person renames it back.",
    otherwise: "301 is followed as well, to the repository's number only; where neither comes, the job is tried again.",
    async run({ repo, number, github, person, path, seen, isAdmin, undoing }) {
      if (!isAdmin) throw new NotTried("the person's token may not rename the repository");
      const here = placeOf(repo);
      const name = `${repo.name}-kodiai-live`;
      const back = undoing(`rename ${repo.owner}/${name} back to ${repo.name}`, () =>
        path.repeat(() => person.rest.repos.update({ ...here, repo: name, name: repo.name })),
      );
      await path.repeat(() => person.rest.repos.update({ ...here, name }));
      seen.redirect = null;
      const body = "Kodiai tries to write under a former name.";
      await path
        .repeat(() => github.rest.issues.createComment({ ...here, issue_number: number, body }))
        .finally(() => back());
      if (seen.redirect !== 307) throw new Differs(`${seen.redirect ?? "no redirect"}`);
      return "307";
    },
  },
];

interface Fields {
  readonly __type: { readonly fields: readonly { readonly name: string }[] } | null;
}

const botOf = ({ slug }: LiveStage) => `${slug}[bot]`;
const reviewsOf = (at: LiveStage) => githubReviews(at.github, botOf(at), at.path);

function commentOn({ file }: LiveStage, line: number, id: string): CommentToPost {
  return { path: file, side: "RIGHT", startLine: line, line, body: `Kodiai tries a comment.\n${findingMarker([id])}` };
}

type Posted = LiveStage["comments"][number];

function posted({ comments: [first, second] }: LiveStage): readonly [Posted, Posted] {
  if (first === undefined || second === undefined) throw new NotTried("the App has no comments on the diff");
  return [first, second];
}

async function merged({ github, repo }: LiveStage, author: string): Promise<number> {
  const q = `repo:${repo.owner}/${repo.name} is:pr is:merged author:${author}`;
  return (await github.rest.search.issuesAndPullRequests({ q, per_page: 1 })).data.total_count;
}

/** @throws Differs when GitHub accepts it; any error other than this status */
async function refused(status: number, work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
  } catch (error) {
    // Throttling has the same status.
    if (statusOf(error) === status && !(translate(error, Date.now()) instanceof Transient))
      return `refused with ${status}`;
    throw error;
  }
  throw new Differs("taken");
}

/** The status that GitHub refused with; null if it did not answer. */
export function statusOf(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  return "status" in error && typeof error.status === "number" ? error.status : statusOf(error.cause);
}

async function eventually<T>(look: () => Promise<T>, isThere: (found: T) => boolean): Promise<T> {
  for (let looks = 1; ; looks += 1) {
    const found = await look();
    if (isThere(found) || looks === LOOKS) return found;
    await wait(LOOK_MS);
  }
}
