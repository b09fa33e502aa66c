// Past comments on a repository's pull requests, from GitHub, one request at a time.

import { Transient } from "../../../domain/errors.ts";
import type { Repo } from "../../../domain/job.ts";
import type { PastAuthor, PastComment, PastFates } from "../../../domain/memory/past-reviews.ts";
import type { PastReviews, RequestBudget } from "../../../ports/history.ts";
import type { GitHub } from "../clients.ts";
import { type Actor, fatesOf, type Page } from "../graphql-documents.ts";
import { hourOf, PAGE, pacer, pagesOf, placeOf, statusOf, unlessStatus } from "../requests.ts";
import { translate, translated, translatedMethods } from "../translate-error.ts";

/** Pull requests a page: few, as each takes three requests, and a run ends between two pages. */
const PULLS = 20;

interface Answer<Item> {
  readonly data: Item;
  readonly headers: Readonly<Record<string, unknown>>;
}

type Ask = <Item>(request: () => Promise<Answer<Item>>) => Promise<Answer<Item>>;

/** Reads with a token of `pull_requests: read`. Throws Transient if GitHub cannot answer now. */
export function githubPastReviews(github: GitHub, repo: Repo, paceMs: number): PastReviews {
  const { ask, budget } = counted(paceMs);
  const at = placeOf(repo);
  const { pulls, issues } = github.rest;
  const port = translatedMethods<Omit<PastReviews, "budget">>({
    async closedPulls(page) {
      const newest = { sort: "updated", direction: "desc", state: "closed", per_page: PULLS, page } as const;
      // "In order to keep the API fast for everyone, pagination is limited for this resource."
      const answer = await unlessStatus([422], () => ask(() => pulls.list({ ...at, ...newest })));
      if (answer === null) return { items: [], hasNext: false, cut: "GitHub lists no older ones" };
      const items = answer.data.map(({ number, updated_at }) => ({ number, updatedAt: Date.parse(updated_at) }));
      return { items, hasNext: hasNext(answer.headers), cut: null };
    },
    async isOpen(pull_number) {
      return (await unlessStatus([404], () => ask(() => pulls.get({ ...at, pull_number }))))?.data.state === "open";
    },
    async commentsOn(number) {
      const of = { ...at, pull_number: number, per_page: PAGE };
      const talk = { ...at, issue_number: number, per_page: PAGE };
      const readReview = (review: Parameters<typeof reviewComment>[0]) => reviewComment(review, number);
      return [
        ...(await whole(ask, (page) => pulls.listReviewComments({ ...of, page }), lineComment)),
        ...(await whole(ask, (page) => issues.listComments({ ...talk, page }), conversationComment)),
        ...(await whole(ask, (page) => pulls.listReviews({ ...of, page }), readReview)),
      ];
    },
    async patchesOf(pull_number) {
      const files = await whole(
        ask,
        (page) => pulls.listFiles({ ...at, pull_number, per_page: PAGE, page }),
        ({ filename, patch }) => (patch === undefined ? null : { filename, patch }),
      );
      return new Map(files.map(({ filename, patch }) => [filename, patch]));
    },
    fates: (numbers) => pastFates(github, repo, numbers),
    mayWrite: (author) => mayWrite(github, repo, author, ask),
  });
  return { ...port, budget };
}

/** Paces requests, counts them, and records GitHub's hourly limit. */
function counted(paceMs: number): { readonly ask: Ask; readonly budget: () => RequestBudget } {
  const paced = pacer(paceMs);
  let sent = 0;
  let hour: ReturnType<typeof hourOf> = null;
  return {
    budget: () => ({ sent: sent, isEnough: hour?.isEnough ?? true, until: hour?.until ?? null }),
    async ask(request) {
      const answer = await paced(() => {
        sent += 1;
        return request();
      });
      hour = hourOf(answer.headers) ?? hour;
      return answer;
    },
  };
}

/** GitHub shows at most this many pages of one pull request's comments. */
const MOST_PAGES = 30;

async function whole<Raw, Item>(
  ask: Ask,
  request: (page: number) => Promise<Answer<readonly Raw[]>>,
  read: (raw: Raw) => Item | null,
): Promise<readonly Item[]> {
  const all = await pagesOf(MOST_PAGES, async (page) => {
    // A deleted pull request has no comments.
    return (await unlessStatus([404], () => ask(() => request(page))))?.data ?? [];
  });
  return all.flatMap((raw) => read(raw) ?? []);
}

function hasNext({ link }: Readonly<Record<string, unknown>>): boolean {
  return typeof link === "string" && link.includes('rel="next"');
}

/** False if GitHub says so, null if this token may not ask. */
async function mayWrite(github: GitHub, repo: Repo, { id, login }: PastAuthor, ask: Ask): Promise<boolean | null> {
  const where = { ...placeOf(repo), username: login };
  try {
    const { data } = await translated(() => ask(() => github.rest.repos.getCollaboratorPermissionLevel(where)));
    // A login can change owners; the id of a comment's author cannot.
    return data.user?.id === id && (data.permission === "admin" || data.permission === "write");
  } catch (error) {
    if (statusOf(error) === 404) return false;
    if (statusOf(error) === 403) return null;
    throw error;
  }
}

// GitHub's three kinds of comment as one type.

interface Raw {
  readonly id: number;
  /** Comments of a deleted account have none; GitHub's schema does not say so everywhere. */
  readonly user: { readonly id: number; readonly login: string; readonly type: string } | null | undefined;
  readonly body?: string | null;
  readonly author_association?: string | null;
  readonly html_url: string;
}

type LineComment = Awaited<ReturnType<GitHub["rest"]["pulls"]["listReviewComments"]>>["data"][number];

function lineComment(raw: Raw & Omit<LineComment, keyof Raw | "_links">): PastComment | null {
  const pull = numberAtEnd(raw.pull_request_url);
  if (pull === null) return null;
  return {
    ...commonFields(raw),
    place: "line",
    pull,
    replyTo: raw.in_reply_to_id ?? null,
    path: raw.path,
    hunk: raw.diff_hunk === "" ? null : raw.diff_hunk,
    // For code that moved on GitHub gives neither.
    isOutdated: raw.subject_type === "file" ? null : (raw.line ?? raw.position ?? null) === null,
    sha: raw.original_commit_id,
    at: Date.parse(raw.created_at),
  };
}

/** A comment of a pull request's conversation; null for an issue's, in the same list. */
function conversationComment(
  raw: Raw & { readonly issue_url: string; readonly created_at: string },
): PastComment | null {
  const pull = numberAtEnd(raw.issue_url);
  if (pull === null || !raw.html_url.includes(`/pull/${pull}#`)) return null;
  return { ...commonFields(raw), ...NOWHERE, place: "conversation", pull, sha: null, at: Date.parse(raw.created_at) };
}

/** The text of a review; null for one without text, or not submitted. */
function reviewComment(
  raw: Raw & { readonly submitted_at?: string; readonly commit_id: string | null; readonly state: string },
  pull: number,
): PastComment | null {
  if ((raw.body ?? "").trim() === "" || raw.submitted_at === undefined || raw.state === "PENDING") return null;
  return {
    ...commonFields(raw),
    ...NOWHERE,
    place: "review",
    pull,
    sha: raw.commit_id,
    at: Date.parse(raw.submitted_at),
  };
}

const NOWHERE = { replyTo: null, path: null, hunk: null, isOutdated: null };

function commonFields({ id, body, user, author_association: association, html_url: url }: Raw) {
  const login = user?.login ?? "ghost";
  const isBot = user?.type === "Bot" || login.endsWith("[bot]");
  const author: PastAuthor = { id: user?.id ?? 0, login, isBot, association: association ?? "NONE" };
  return { id, body: body ?? "", author, url };
}

function numberAtEnd(url: string): number | null {
  const number = Number(/\/(\d{1,10})$/.exec(url)?.[1]);
  return Number.isSafeInteger(number) ? number : null;
}

// Who resolved which thread, and what was merged: GraphQL tells it for many at once.

/** Pull requests per query, and threads of each: 2,000 nodes, two points of the 5,000 an hour. */
const BATCH = 20;

interface FatesAnswer {
  readonly repository: Readonly<Record<string, PullFate | null>> | null;
}

interface PullFate {
  readonly number: number;
  readonly merged: boolean;
  readonly authorAssociation: string;
  readonly author: Actor;
  readonly reviewThreads: Page<{
    readonly isResolved: boolean;
    /** Null if an App resolved it. */
    readonly resolvedBy: Actor;
    readonly comments: Page<{ readonly fullDatabaseId: string | null }>;
  }>;
}

/** What GraphQL refuses is unknown and reported; so are threads after the hundredth. */
async function pastFates(
  github: GitHub,
  { owner, name }: Repo,
  numbers: readonly number[],
): ReturnType<PastReviews["fates"]> {
  const fates: PullFate[] = [];
  let failed: string | null = null;
  for (let at = 0; at < numbers.length; at += BATCH) {
    let answer: FatesAnswer | null | undefined;
    try {
      answer = await github.graphql<FatesAnswer>(fatesOf(numbers.slice(at, at + BATCH)), { owner, name });
    } catch (error) {
      if (translate(error, 0) instanceof Transient) throw error;
      // One deleted pull request fails the query, but the others are still answered.
      answer = (error as { readonly data?: FatesAnswer | null }).data;
      failed = "GitHub does not report who resolved which thread and which pull requests were merged";
    }
    fates.push(...Object.values(answer?.repository ?? {}).filter((pull) => pull !== null));
  }
  return { ...asFates(fates), failed };
}

function asFates(fates: readonly PullFate[]): PastFates {
  const pulls = fates.map(({ number, merged, author, authorAssociation }) => {
    const by = author === null ? null : person(author, authorAssociation);
    return [number, { isMerged: merged, author: by }] as const;
  });
  const threads = fates.flatMap(({ reviewThreads }) => reviewThreads.nodes.filter((thread) => thread !== null));
  const resolvedBy = threads.flatMap(({ isResolved, resolvedBy: by, comments }) => {
    const id = comments.nodes[0]?.fullDatabaseId;
    return isResolved && by !== null && typeof id === "string" ? [[Number(id), person(by, "NONE")] as const] : [];
  });
  return { pulls: new Map(pulls), resolvedBy: new Map(resolvedBy) };
}

function person({ __typename, login, databaseId }: NonNullable<Actor>, association: string): PastAuthor {
  return { id: databaseId ?? 0, login, isBot: __typename !== "User", association };
}
