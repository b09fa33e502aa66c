// The repositories that the App reaches, their open pull requests and newest comments, each read
// with the token that can do the least.
import type { Repo } from "../../../domain/job.ts";
import type { MissedComment, OpenPull, OpenPulls } from "../../../ports/missed-events.ts";
import type { ClientOptions, Clients, GitHub } from "../clients.ts";
import { leaveEnough, PAGE, pacer, pagesOf, repoOf, unlessStatus } from "../requests.ts";
import { translatedMethods } from "../translate-error.ts";

/** 10,000 installations or repositories; 1,000 pull requests with activity. */
const MOST_PAGES = 100;
const MOST_PULL_PAGES = 10;
/** A later update is an edit, or a review's long draft: GitHub's list does not tell which. */
const EDITED_MS = 2_000;
/** Of each kind of comment. */
const MOST_COMMENT_PAGES = 10;

/**
 * The port. Its methods throw Transient when GitHub cannot answer now.
 *
 * @param host `github.com`, or the host of a GitHub Enterprise Server
 */
export function githubOpenPulls(
  app: ClientOptions["app"],
  clients: Pick<Clients, "forNames" | "forReading">,
  host: string,
  paceMs: number,
): OpenPulls {
  const paced = pacer(paceMs);

  async function pageOf(github: GitHub, at: { readonly owner: string; readonly repo: string; readonly page: number }) {
    const newest = { sort: "updated", direction: "desc", state: "open", per_page: PAGE } as const;
    const listed = await unlessStatus(REFUSED, () => paced(() => github.rest.pulls.list({ ...at, ...newest })));
    if (listed === null) return null;
    leaveEnough(listed.headers);
    return listed.data.map(({ number, title, body, state, locked, user, head, base, created_at, updated_at }) => ({
      described: { number, title, body, state, locked, user, head: { sha: head.sha } },
      number,
      headSha: head.sha,
      baseRef: base.ref,
      createdAt: Date.parse(created_at),
      updatedAt: Date.parse(updated_at),
    }));
  }

  return translatedMethods<OpenPulls>({
    async installations() {
      const found = await pagesOf(
        MOST_PAGES,
        async (page) => (await paced(() => app.request("GET /app/installations", { per_page: PAGE, page }))).data,
      );
      return found
        .filter(({ suspended_at }) => (suspended_at ?? null) === null)
        .map(({ id, created_at }) => ({ id, createdAt: Date.parse(created_at) }));
    },
    async repositories(installationId) {
      const github = await clients.forNames(installationId);
      if (github === null) return [];
      const listed = await pagesOf(MOST_PAGES, async (page) => {
        const answer = await paced(() => github.rest.apps.listReposAccessibleToInstallation({ per_page: PAGE, page }));
        leaveEnough(answer.headers);
        return answer.data.repositories;
      });
      // Archived repositories accept no comments.
      return listed.filter(({ archived }) => archived !== true).map((one) => repoOf(host, one));
    },
    async open(installationId, repo, since) {
      const reader = await clients.forReading(installationId, repo, "pull requests");
      if (reader === null) return null;
      const [owner = "", name = ""] = reader.name.split("/");
      const found: OpenPull[] = [];
      for (let page = 1; page <= MOST_PULL_PAGES; page += 1) {
        const pulls = await pageOf(reader.github, { owner, repo: name, page });
        if (pulls === null) return null;
        found.push(...pulls.filter(({ updatedAt }) => updatedAt >= since));
        if (pulls.length < PAGE || pulls.some(({ updatedAt }) => updatedAt < since)) break;
      }
      return found;
    },
    async comments(installationId, repo, pulls, since) {
      const reader = await clients.forReading(installationId, repo, "pull requests");
      if (reader === null) return [];
      const [owner = "", name = ""] = reader.name.split("/");
      const { issues, pulls: reviews } = reader.github.rest;
      const newest = {
        owner,
        repo: name,
        sort: "created",
        direction: "desc",
        since: new Date(since).toISOString(),
      } as const;
      const listed = <Comment extends Listed>(ask: (page: number) => Promise<Answer<Comment>>) =>
        pagesOf(MOST_COMMENT_PAGES, async (page) => {
          const answer = await unlessStatus(REFUSED, () => paced(() => ask(page)));
          if (answer === null) return [];
          leaveEnough(answer.headers);
          return answer.data;
        });
      const place = { ...newest, per_page: PAGE };
      const inConversation = await listed((page) => issues.listCommentsForRepo({ ...place, page }));
      const onLines = await listed((page) => reviews.listReviewCommentsForRepo({ ...place, page }));
      const byNumber = new Map(pulls.map((pull) => [pull.number, pull.described]));
      const of = (comments: readonly Listed[], event: MissedComment["event"], subject: string) =>
        comments.flatMap((comment): MissedComment | readonly [] => {
          const pull = byNumber.get(Number((comment.issue_url ?? comment.pull_request_url ?? "").split("/").at(-1)));
          const [created, updated] = [Date.parse(comment.created_at), Date.parse(comment.updated_at)];
          // A person who may edit the comments of others must not speak for them.
          const isAsWritten = created >= since && updated - created <= EDITED_MS;
          if (pull === undefined || !isAsWritten) return [];
          const around = { action: "created", installation: { id: installationId }, repository: describedRepo(repo) };
          const described = subject === "issue" ? { ...(pull as object), pull_request: {} } : pull;
          return {
            id: `${event}-${repo.host}-${comment.id}`,
            event,
            payload: { ...around, sender: comment.user, [subject]: described, comment },
          };
        });
      return [
        ...of(inConversation, "issue_comment", "issue"),
        ...of(onLines, "pull_request_review_comment", "pull_request"),
      ];
    },
  });
}

interface Listed {
  readonly id: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly user: unknown;
  readonly issue_url?: string;
  readonly pull_request_url?: string;
}

interface Answer<Comment> {
  readonly data: readonly Comment[];
  readonly headers: Parameters<typeof leaveEnough>[0];
}

function describedRepo({ id, name, owner, ownerId, visibility }: Repo) {
  return { id, name, owner: { login: owner, id: ownerId }, visibility, private: visibility !== "public" };
}

/** Missing, withdrawn or blocked: a retry would not help. Rate limits were recognised before. */
const REFUSED = [404, 410, 451];
