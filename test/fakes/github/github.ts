// A GitHub of our own for tests and the demo: one world a test, with people who open, push, close
// and label, and an App that is granted what app.yml asks for. Two halves: git and tokens are the
// emulator's, the conversation is ours.

import { randomUUID } from "node:crypto";
import { openAccess } from "./access.ts";
import { type ArchiveDesk, openArchiveDesk } from "./archive-routes.ts";
import { changesReader } from "./changes.ts";
import { type CheckActs, checkActs } from "./check-actions.ts";
import { type CodeScanning, type ScanActs, scanActs } from "./code-scanning.ts";
import type { Json, Person, Pull, Repository, Review, Side } from "./conversation.ts";
import { type Files, type GitHalf, startEmulator } from "./emulator.ts";
import { type Fault, planFaults } from "./faults.ts";
import { type FeedbackActs, feedbackActs } from "./feedback-actions.ts";
import { type Delivery, openHooks, type SendOptions } from "./hooks.ts";
import type { Hub } from "./hub.ts";
import type { LoginDesk } from "./login-routes.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { githubDescription, type SentRequest } from "./openapi.ts";
import { type PullActs, type PullRequestOptions, pullActs } from "./pull-actions.ts";
import { knownRepository, type RepositoryActs, repositoryActs } from "./repository-actions.ts";
import { type LoggedRequest, listen } from "./server.ts";
import { pullPage } from "./shapes.ts";

const APP = { id: 4242, slug: "kodiai" };
/** Another App with the same key; its installations have other numbers. */
export const SECOND = { id: 4343, slug: "kodiai-two", apart: 1_000 };
const CLIENT = { clientId: "Iv1.0123456789abcdef", clientSecret: "0123456789abcdef0123456789abcdef01234567" };
const DEFAULT_SECRET = "a-fake-webhook-secret-of-39-characters!";

export interface WorldOptions {
  /** Organisations on which the App is installed. `acme` when left out. */
  readonly owners?: readonly string[];
  /** In place of app.yml, to see what a missing permission does. */
  readonly manifest?: Manifest;
  /** True when the accounts have a second App installed (SECOND). */
  readonly secondApp?: boolean;
  /** At least 32 characters, as the app asks for. */
  readonly webhookSecret?: string;
  /** Milliseconds until lists show what was written; 0 when left out. */
  readonly lagMs?: number;
  /** True makes installation tokens of the form that GitHub gave up in 2026. */
  readonly opaqueTokens?: boolean;
  /**
   * True calls it a violation when one owner's repositories are written to twice within a second.
   */
  readonly strictPacing?: boolean;
}

export interface InlineComment {
  readonly id: number;
  readonly reviewId: number;
  readonly path: string;
  readonly side: Side;
  /** Equal to `line` for a single line. */
  readonly startLine: number;
  readonly line: number;
  readonly body: string;
  readonly commitId: string;
  readonly author: string;
  readonly inReplyTo: number | null;
  /** The hunk from its `@@` down to the commented line, as GitHub shows it above the comment. */
  readonly hunk: string;
}

/**
 * What a visitor of the pull request sees. Pending reviews and their comments are left out, as on
 * GitHub.
 */
export interface Comments {
  readonly inline: readonly InlineComment[];
  readonly file: readonly {
    readonly id: number;
    readonly path: string;
    readonly body: string;
    readonly author: string;
    /** Of the comment that it answers. */
    readonly inReplyTo: number | null;
  }[];
  readonly summary: readonly {
    readonly id: number;
    readonly body: string;
    readonly editedTimes: number;
    readonly author: string;
    readonly url: string;
  }[];
  readonly reviews: readonly {
    readonly id: number;
    readonly body: string;
    readonly state: Review["state"];
    readonly commitId: string;
    readonly author: string;
  }[];
}

/** A check run as a visitor sees it. */
export interface CheckRun {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly externalId: string | null;
  readonly title: string | null;
  readonly summary: string | null;
  readonly text: string | null;
  /** `PATH:LINE LEVEL TITLE`, in the order in which they came. */
  readonly annotations: readonly string[];
}

export interface GitHubWorld extends PullActs, RepositoryActs, FeedbackActs, CheckActs, ScanActs {
  /** Base address of the API. */
  readonly apiUrl: string;
  readonly appCredentials: { readonly appId: number; readonly privateKey: string; readonly webhookSecret: string };
  /** The App's own user, `kodiai[bot]`. */
  readonly bot: Person;
  /** Installation id by owner. */
  readonly installations: ReadonlyMap<string, number>;
  /** Whom the world knows; made on first mention, changed by naming more. */
  person(login: string, facts?: Partial<Omit<Person, "login">>): Person;
  /**
   * A personal access token that reads everything and, unless it `writes` as its person may, writes
   * nothing.
   */
  personalToken(login: string, options?: { readonly writes?: boolean }): string;
  /**
   * The token that a workflow of the owner's repositories gets, as `github-actions[bot]`; `read` is
   * that of a fork's pull request.
   */
  workflowToken(owner: string, access: "read" | "write"): string;
  repository(
    owner: string,
    name: string,
    options: { readonly files: Files; readonly private?: boolean },
  ): Promise<Repository>;
  pullRequest(repository: Repository, options: PullRequestOptions): Promise<Pull>;
  comments(pull: Pull): Comments;
  /** Check runs on a commit of the pull request, its head when left out; oldest first. */
  checks(pull: Pull, sha?: string): Promise<readonly CheckRun[]>;
  /** Plans trouble for the next matching request. */
  fail(next: Fault): void;
  /** Every later request with a token made so far gets 401. */
  revokeTokens(): void;
  setWebhookUrl(url: string | null): void;
  /**
   * A person confirms a manifest on GitHub's page; the code that GitHub sends their browser back
   * with.
   */
  confirmManifest(manifest: Json): string;
  /** The App's OAuth client, and who sits at the browser. */
  readonly desk: LoginDesk;
  /** Who hands out archives of commits, and what it was asked. */
  readonly archives: ArchiveDesk;
  /** Where GitHub would send webhooks, as the App sees it. */
  readonly hookConfiguration: () => Json;
  /** What becomes of later deliveries; null sends all. */
  setFate(fate: Parameters<Hub["hooks"]["setFate"]>[0]): void;
  /** Sends any payload, signed; a string goes out as it is. */
  deliver(event: string, payload: unknown, options?: SendOptions): Promise<Delivery>;
  readonly deliveries: readonly Delivery[];
  readonly requests: readonly LoggedRequest[];
  /** What the app asked that GitHub's description does not allow. */
  readonly violations: readonly string[];
  /** Where this fake's own answers differ from GitHub's description. */
  readonly unfaithful: readonly string[];
  close(): Promise<void>;
}

export async function startGitHub(options: WorldOptions = {}): Promise<GitHubWorld> {
  const manifest = options.manifest ?? readManifest();
  const webhookSecret = options.webhookSecret ?? DEFAULT_SECRET;
  const installations = new Map((options.owners ?? ["acme"]).map((owner, index) => [owner, 1001 + index]));
  const apart = [...installations].map(([owner, id]) => [owner, id + SECOND.apart] as const);
  const second = options.secondApp === true ? { ...SECOND, installations: new Map(apart) } : null;
  const git = await startEmulator(manifest, APP, installations, second);
  // Of comments and reviews: beyond 32 bits, as on github.com. Accounts still fit.
  let lastId = 3_000_000_000;
  const born = new Map<number, number>();
  const { lagMs = 0 } = options;
  const hub: Hub = {
    apiUrl: "",
    repositories: new Map(),
    people: new Map(),
    installations,
    formerNames: new Map(),
    withdrawn: new Set(),
    changes: changesReader(git),
    hooks: openHooks(APP.id, webhookSecret),
    nextId() {
      born.set(++lastId, Date.now());
      return lastId;
    },
    listed: (items) => (lagMs === 0 ? items : items.filter(({ id }) => (born.get(id) ?? 0) + lagMs <= Date.now())),
  };
  const person = peopleOf(hub);
  const bot = person(`${APP.slug}[bot]`, { association: "NONE" });
  const door = openAccess(bot);
  const faults = planFaults();
  const requests: LoggedRequest[] = [];
  const violations: string[] = [];
  const unfaithful: string[] = [];
  const description = githubDescription();
  const confirmed = new Map<string, Json>();
  const desk: LoginDesk = { ...CLIENT, callbackUrls: [], signedIn: null };
  const archives = openArchiveDesk();
  const scans: CodeScanning = { uploads: [] };
  const server = await listen({
    confirmed,
    archives,
    scans,
    posted: visibleComments,
    second: second && { ...second, bot: person(`${SECOND.slug}[bot]`, { association: "NONE" }) },
    app: { ...APP, ...CLIENT, pem: git.privateKey, webhookSecret },
    desk,
    hub,
    git,
    door,
    faults,
    persons: () => ({ ...acts, ...ofRepositories }),
    description,
    requests,
    violations,
    unfaithful,
    opaqueTokens: options.opaqueTokens === true,
    pace: options.strictPacing === true ? writePace() : null,
  });

  const acts = pullActs(hub, git, manifest, person);
  const ofRepositories = repositoryActs(hub, git, manifest, person, acts.closePull, door.moved);
  return {
    ...acts,
    ...feedbackActs(hub, manifest, person),
    ...checkActs(hub, git, manifest),
    ...scanActs(hub, scans),
    ...ofRepositories,
    apiUrl: hub.apiUrl,
    appCredentials: { appId: APP.id, privateKey: git.privateKey, webhookSecret },
    bot,
    installations,
    person,
    personalToken(login, { writes = false } = {}) {
      const token = writes ? `ghp_${login}Writes` : `ghp_${login}`;
      door.welcome(token, person(login), writes);
      return token;
    },
    workflowToken(owner, access) {
      const token = `ghs_workflow_${owner}_${access}`;
      const permissions = { contents: "read", metadata: "read", issues: "read", pull_requests: access };
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      door.remember({ token, permissions, expires_at }, owner, person("github-actions[bot]", { association: "NONE" }));
      return token;
    },
    async repository(owner, name, { files, private: isPrivate = false }) {
      await git.ask("POST", `/orgs/${owner}/repos`, { name, private: isPrivate, auto_init: true });
      const first = await git.ask("GET", `/repos/${owner}/${name}/git/ref/heads/main`);
      const parent = String((first.object as Json).sha);
      await git.point(
        `${owner}/${name}`,
        "main",
        await git.commit(`${owner}/${name}`, parent, files, "Lay the ground", true),
      );
      return knownRepository(hub, git, { owner, name, private: isPrivate });
    },
    comments: visibleComments,
    checks: (pull, sha = pull.headSha) => checksOn(git, requests, pull, sha),
    fail: faults.plan,
    revokeTokens: door.forgetTokens,
    setWebhookUrl: hub.hooks.setUrl,
    confirmManifest(json) {
      const code = randomUUID();
      confirmed.set(code, json);
      return code;
    },
    desk,
    archives,
    hookConfiguration: hub.hooks.configuration,
    setFate: hub.hooks.setFate,
    deliver: hub.hooks.send,
    deliveries: hub.hooks.deliveries,
    requests,
    violations,
    unfaithful,
    async close() {
      await server.close();
      await git.close();
    },
  };
}

/** People of a world: made on first mention, changed by naming more. */
export function peopleOf({ people }: Pick<Hub, "people">): GitHubWorld["person"] {
  let last = 1_000_000;
  return (login, facts = {}) => {
    const known = people.get(login.toLowerCase());
    if (known) return Object.assign(known, facts);
    const fresh: Person = {
      login,
      id: ++last,
      type: login.endsWith("[bot]") ? "Bot" : "User",
      association: "CONTRIBUTOR",
      permission: "read",
      mergedPullRequests: 0,
      ...facts,
    };
    people.set(login.toLowerCase(), fresh);
    return fresh;
  };
}

/** GitHub asks for a second between two writes; a few milliseconds are the way there. */
const APART_MS = 950;

function writePace(): (sent: SentRequest) => readonly string[] {
  const last = new Map<string, number>();
  return ({ method, path }) => {
    const owner = /^\/repos\/([^/]+)\//.exec(path)?.[1];
    if (method === "GET" || owner === undefined) return [];
    const [now, before] = [performance.now(), last.get(owner) ?? Number.NEGATIVE_INFINITY];
    last.set(owner, now);
    const apart = now - before;
    return apart < APART_MS ? [`${method} ${path}: ${Math.round(apart)} ms after the last write to ${owner}`] : [];
  };
}

async function checksOn(
  git: GitHalf,
  requests: readonly LoggedRequest[],
  pull: Pull,
  sha: string,
): Promise<readonly CheckRun[]> {
  const repo = `/repos/${pull.owner}/${pull.repo}`;
  const { check_runs: runs } = await git.ask("GET", `${repo}/commits/${sha}/check-runs?filter=all&per_page=100`);
  const shown = (runs as Json[]).map((run): CheckRun => {
    const output = run.output as Record<"title" | "summary" | "text", string | null>;
    return {
      id: Number(run.id),
      name: String(run.name),
      status: String(run.status),
      conclusion: run.conclusion as string | null,
      externalId: run.external_id as string | null,
      title: output.title,
      summary: output.summary,
      text: output.text,
      annotations: annotationsOf(requests, `${repo}/check-runs/${run.id}`),
    };
  });
  return shown.toSorted((a, b) => a.id - b.id);
}

/**
 * GitHub adds the annotations of each request to those before; the emulator keeps the last ones,
 * without their titles.
 */
function annotationsOf(requests: readonly LoggedRequest[], path: string): readonly string[] {
  return requests
    .filter((one) => one.method === "PATCH" && one.path === path && one.status === 200)
    .flatMap(({ body }) => (body as { output?: { annotations?: readonly Json[] } }).output?.annotations ?? [])
    .map((one) => `${one.path}:${one.start_line} ${one.annotation_level} ${one.title}`);
}

/** What a visitor of the pull request sees. */
export function visibleComments(pull: Pull): Comments {
  const reviews = pull.reviews.filter((review) => review.state !== "PENDING");
  const pending = new Set(pull.reviews.filter((one) => !reviews.includes(one)).map(({ id }) => id));
  const comments = pull.comments.filter((comment) => !pending.has(comment.reviewId) || comment.inReplyTo !== null);
  const inline = comments.flatMap(({ side, line, startLine, author, ...rest }) =>
    side === null || line === null ? [] : [{ ...rest, side, line, startLine: startLine ?? line, author: author.login }],
  );
  const file = comments.filter((comment) => comment.side === null);
  return {
    inline,
    file: file.map(({ id, path, body, author, inReplyTo }) => ({ id, path, body, author: author.login, inReplyTo })),
    summary: pull.issueComments.map(({ id, body, editedTimes, author }) => {
      return { id, body, editedTimes, author: author.login, url: `${pullPage(pull)}#issuecomment-${id}` };
    }),
    reviews: reviews.map(({ id, body, state, commitId, author }) => ({
      id,
      body,
      state,
      commitId,
      author: author.login,
    })),
  };
}
