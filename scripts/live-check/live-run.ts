// A live check: opens a pull request with a person's token, lets the App try what it relies on, and
// always cleans up.
import { randomBytes } from "node:crypto";
import { subscribe } from "node:diagnostics_channel";
import { setTimeout as wait } from "node:timers/promises";
import { appSlug } from "../../src/adapters/github/app-registration.ts";
import { githubClients } from "../../src/adapters/github/clients.ts";
import type { GuardedFetch } from "../../src/adapters/github/guarded-fetch.ts";
import { appClient, quietOctokit } from "../../src/adapters/github/quiet-octokit.ts";
import { translate } from "../../src/adapters/github/translate-error.ts";
import { gatedFetch, letWrite } from "../../src/adapters/github/write/write-gate.ts";
import type { WritePath } from "../../src/adapters/github/write/write-path.ts";
import { Transient } from "../../src/domain/errors.ts";
import type { Repo } from "../../src/domain/job.ts";
import type { AppCredentials } from "../../src/ports/registration.ts";
import type { Post } from "../../src/ports/writes.ts";
import { EXPERIMENTS, type LiveStage, NotTried, type Seen, STATELESS, statusOf } from "./experiments.ts";
import type { LiveLook, LiveReport, LiveResult } from "./report.ts";

interface LiveOptions {
  readonly credentials: AppCredentials;
  /** A person's, who may push to the repository. */
  readonly token: string;
  readonly apiUrl: string;
  /** `github.com`, or the host of an Enterprise Server. */
  readonly host: string;
  readonly fetch: GuardedFetch;
  readonly owner: string;
  readonly name: string;
  /** Whether an outside collaborator could log in to the dashboard; null if not tested. */
  readonly outsideLogin: boolean | null;
}

/** Failed clean-up steps are retried once after this. */
const AGAIN_MS = 1_000;
/** Lines of the test file; the middle ones change. */
const FILE_LINES = 60;
const CHANGED = [30, 31] as const;

/** The operation of a GraphQL request: `mutation`, `resolveReviewThread`. */
const GRAPHQL = /^\{"query":"(query|mutation)\b[^{]*\{(?:\\n|\s)*(\w+)/;

export function liveGitHub(options: LiveOptions) {
  const { apiUrl, owner, name, token } = options;
  const at = { owner, repo: name };
  const seen: Seen = { tokenForm: null, redirect: null, enterpriseVersion: null };
  const mask = masker();
  mask.learn({ [owner]: "OWNER", [name]: "NAME", [`${name}-kodiai-live`]: "OTHER-NAME" });
  const write: WritePath["repeat"] = (send) => letWrite(() => Promise.resolve(), send);
  /** Writes are not recorded: what a run creates is deleted with its pull request. */
  const path: WritePath = {
    repeat: write,
    created: async () => null,
    deleted: async () => {},
    async create(_wanted, { post }) {
      const { data } = await write(() => post(randomBytes(16).toString("hex")));
      return { ...(data as Post), made: true };
    },
  };
  let requests: string[] = [];
  let signal: AbortSignal | null = null;
  let redirect = "";
  // The client follows redirects by itself, and its answer is that of the target.
  subscribe("undici:request:headers", (message) => {
    const { statusCode } = (message as { readonly response: { readonly statusCode: number } }).response;
    if (statusCode < 300 || statusCode > 399) return;
    seen.redirect = statusCode;
    redirect = `${statusCode} → `;
  });

  /** Records a line for each request, and refuses requests once the run is stopped. */
  function recorded(by: "App" | "person"): GuardedFetch {
    return async (input, init) => {
      if (signal?.aborted === true) throw new Transient("the run was stopped");
      redirect = "";
      const answer = await options.fetch(input, init);
      seen.enterpriseVersion ??= answer.headers.get("x-github-enterprise-version");
      const { pathname, searchParams } = new URL(String(input));
      if (pathname.endsWith("/access_tokens")) seen.tokenForm ??= await tokenForm(answer.clone());
      const [, ...operation] = GRAPHQL.exec(String(init?.body)) ?? [];
      const asked = [init?.method ?? "GET", pathname, ...searchParams.getAll("q"), ...operation].join(" ");
      const refusal = answer.ok && !pathname.endsWith("/graphql") ? [] : await refusalTexts(answer.clone());
      requests.push(`${by} ${mask(asked)}: ${redirect}${[answer.status, ...refusal.map(mask)].join("; ")}`);
      return answer;
    };
  }

  const person = quietOctokit(apiUrl, gatedFetch(recorded("person")), { auth: token });
  const app = appClient(options.credentials, apiUrl, recorded("App"));
  const undo: { readonly what: string; readonly act: () => Promise<unknown> }[] = [];
  const undoing: LiveStage["undoing"] = (what, act) => {
    const one = { what, act };
    undo.push(one);
    return async () => {
      await act();
      undo.splice(undo.indexOf(one), 1);
    };
  };

  async function open(): Promise<LiveStage> {
    const slug = await appSlug(app);
    const { data: installation } = await app.rest.apps.getRepoInstallation(at);
    const { data } = await person.rest.repos.get(at);
    const visibility = data.private ? "private" : "public";
    const repo: Repo = { host: options.host, id: data.id, ownerId: data.owner.id, owner, name, visibility };
    const limits = { closedFor: async () => 0, close: async () => {} };
    const clients = githubClients({ app, apiUrl, fetch: recorded("App"), now: Date.now, limits });
    const github = await clients.forRepository(installation.id, repo);
    const { login } = (await person.rest.users.getAuthenticated()).data;
    const head = `kodiai-live-${randomBytes(4).toString("hex")}`;
    const branches = [head, `${head}-base`];
    mask.learn({ [slug]: "APP", [login]: "PERSON", [head]: "HEAD", [`${head}-base`]: "BASE", [`${head}.txt`]: "FILE" });
    mask.learn({ [`${head}-base-renamed`]: "RENAMED-BASE" });
    undoing(`delete the branches ${head} and ${head}-base`, () => deleteBranches(branches));
    const pull = await openPull(head, data.default_branch);
    undoing(`close pull request #${pull.number}`, () => closePull(pull.number));
    const comment = await path.repeat(() =>
      person.rest.issues.createComment({ ...at, issue_number: pull.number, body: "Kodiai tries to react to this." }),
    );
    return {
      ...{ repo, number: pull.number, headSha: pull.headSha, file: `${head}.txt`, lines: CHANGED },
      ...{ commentId: comment.data.id, login, slug, github, person, path, seen, branches, undoing, comments: [] },
      isAdmin: data.permissions?.admin === true,
      outsideLogin: options.outsideLogin,
      checks: () => clients.forChecks(installation.id, repo),
    };
  }

  async function openPull(head: string, defaultBranch: string) {
    const branch = (ref: string, sha: string) =>
      write(() => person.rest.git.createRef({ ...at, ref: `refs/heads/${ref}`, sha }));
    const put = (ref: string, text: string, sha?: string) =>
      write(() =>
        person.rest.repos.createOrUpdateFileContents({
          ...{ ...at, path: `${head}.txt`, branch: ref, message: "Try what Kodiai relies on" },
          content: Buffer.from(text).toString("base64"),
          ...(sha === undefined ? {} : { sha }),
        }),
      );
    const { data: from } = await person.rest.repos.getBranch({ ...at, branch: defaultBranch });
    const lines = Array.from({ length: FILE_LINES }, (_, index) => `line ${index + 1}\n`);
    const base = `${head}-base`;
    await branch(base, from.commit.sha);
    const { data: first } = await put(base, lines.join(""));
    await branch(head, first.commit.sha ?? "");
    const changed = lines.map((line, index) => (CHANGED.some((one) => one === index + 1) ? `changed ${line}` : line));
    const { data: second } = await put(head, changed.join(""), first.content?.sha);
    const body = "`npm run live-check` opened this, and closes it when it is done.";
    const title = "Kodiai tries what it relies on";
    const { data } = await write(() => person.rest.pulls.create({ ...at, title, head, base, body }));
    return { number: data.number, headSha: second.commit.sha ?? "" };
  }

  const closePull = (number: number) =>
    write(() => person.rest.pulls.update({ ...at, pull_number: number, state: "closed" }));

  async function deleteBranches(branches: readonly string[]): Promise<void> {
    for (const branch of branches)
      await unlessGone(() => write(() => person.rest.git.deleteRef({ ...at, ref: `heads/${branch}` })));
  }

  /** Undoes the last act first. Returns the failed steps, with the reason. */
  async function cleanUp(): Promise<string[]> {
    signal = null;
    requests = [];
    const left: string[] = [];
    for (const { what, act } of undo.toReversed()) {
      await unlessGone(act)
        .catch(() => wait(AGAIN_MS).then(() => unlessGone(act)))
        .catch((error: unknown) => left.push(`${what}: ${reasonOf(error)}`));
    }
    return left;
  }

  return {
    /** @throws RequestError if the token does not reach the repository */
    async look(): Promise<LiveLook> {
      const { data: user } = await person.rest.users.getAuthenticated();
      const { data: repo } = await person.rest.repos.get(at);
      const { data: pulls } = await person.rest.pulls.list({ ...at, state: "open", per_page: 100 });
      const tree = await unlessGone(() =>
        person.rest.git.getTree({ ...at, tree_sha: repo.default_branch, recursive: "1" }),
      );
      return {
        login: user.login,
        mayPush: repo.permissions?.push === true,
        openPulls: pulls.length,
        files: tree?.data.tree.filter(({ type }) => type === "blob").length ?? 0,
      };
    },
    /**
     * Never rejects because of GitHub's answers.
     *
     * @param onTrying called with the name of each experiment before it runs
     */
    async run(given: AbortSignal, onTrying: (name: string) => void): Promise<LiveReport> {
      signal = given;
      requests = [];
      const opening = requests;
      const stage = await open().catch((error: unknown) => `no pull request was opened: ${reasonOf(error)}`);
      const results: LiveResult[] = [];
      let isWhole = typeof stage !== "string";
      for (const { run, ...promise } of EXPERIMENTS) {
        requests = [];
        let outcome: Outcome = { verdict: "not tried", found: "the run was stopped", isCut: true };
        if (typeof stage === "string") outcome = { ...outcome, found: stage };
        else if (!given.aborted) {
          onTrying(promise.name);
          outcome = await outcomeOf(() => run(stage));
        }
        isWhole &&= outcome.isCut !== true;
        results.push({ ...promise, verdict: outcome.verdict, found: mask(outcome.found), requests });
      }
      const left = await cleanUp();
      const { enterpriseVersion: version } = seen;
      const github = version === null ? "github.com" : `GitHub Enterprise Server ${version}`;
      return { github, opening, results, left, isWhole };
    },
  };
}

/** `isCut`: GitHub could not answer, so the promise remains untested. */
type Outcome = Pick<LiveResult, "verdict" | "found"> & { readonly isCut?: true };

async function outcomeOf(run: () => Promise<string>): Promise<Outcome> {
  try {
    return { verdict: "holds", found: await run() };
  } catch (error) {
    const found = reasonOf(error);
    if (error instanceof NotTried) return { verdict: "not tried", found };
    const known = translate(error, Date.now());
    const isAnswer = statusOf(known) !== null || ["Differs", "GraphqlResponseError"].includes((error as Error).name);
    return isAnswer && !(known instanceof Transient)
      ? { verdict: "does not hold", found }
      : { verdict: "not tried", found, isCut: true };
  }
}

/** In one line. */
function reasonOf(error: unknown): string {
  const known = translate(error, Date.now());
  const status = statusOf(known);
  if (!(known instanceof Transient) && status !== null) return `refused with ${status}`;
  return known instanceof Error ? (known.message.split(":\n")[0] ?? "") : String(known);
}

/** Null when the thing no longer exists and needs no deletion. */
async function unlessGone<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    const status = statusOf(error);
    const isMissing = status === 404 || status === 409 || (status === 422 && /does not exist/i.test(String(error)));
    if (isMissing) return null;
    throw error;
  }
}

type Answer = Awaited<ReturnType<GuardedFetch>>;

async function tokenForm(answer: Answer): Promise<string | null> {
  const body = (await answer.json().catch(() => null)) as { readonly token?: unknown } | null;
  const token = typeof body?.token === "string" ? body.token : null;
  if (token === null) return null;
  if (/^ghs_\d+_[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return STATELESS;
  return /^ghs_[A-Za-z0-9]{36}$/.test(token) ? "`ghs_` and 36 letters or digits" : "another form";
}

/** A refusal's message and errors, cut to a line. */
async function refusalTexts(answer: Answer): Promise<readonly string[]> {
  const body = (await answer.json().catch(() => null)) as Readonly<Record<"message" | "errors", unknown>> | null;
  const texts = [body?.message, body?.errors].flatMap((one) => (one === undefined ? [] : JSON.stringify(one)));
  return texts.map((one) => one.replace(/^"|"$/g, "").slice(0, 300));
}

// Masks everything in a text that identifies its repository.

/** Words of a text: names of accounts, repositories, branches and files are whole words. */
const WORD = /[\w-]+(?:\.[\w-]+)*/g;

const SHAPES: readonly (readonly [pattern: RegExp, shown: string])[] = [
  [/^(?:gh[a-z]|github_pat)_[\w-]{16,}/, "TOKEN"],
  [/^[0-9a-f]{40,64}$/, "SHA"],
  // Node ids, and the ids of requests in GitHub's own messages.
  [/^[A-Z]{1,6}_[\w-]{6,}$|^(?=.*\d)[0-9A-F]{4,}$/, "ID"],
];

/**
 * A mask that knows only forms: numbers between slashes, numbers and ids of GitHub, commits and
 * tokens. `learn` has it replace these words by those; case is ignored.
 */
function masker() {
  const known = new Map<string, string>();
  const shown = (word: string) =>
    known.get(word.toLowerCase()) ?? SHAPES.find(([pattern]) => pattern.test(word))?.[1] ?? word;
  const mask = (text: string) => text.replace(/(?<=\/)\d+(?=\/|\s|$)/g, "N").replace(WORD, shown);
  return Object.assign(mask, {
    learn(words: Readonly<Record<string, string>>) {
      for (const [word, as] of Object.entries(words)) known.set(word.toLowerCase(), as);
    },
  });
}
