// The gather stage: ReviewJob -> PullRequestContext | Skipped. No other stage reads a pull request.
// Failing to read required parts throws; an optional part is reported missing with a reason.

import pMap from "p-map";
import type { KnownRules } from "../config/parse-config.ts";
import { fileList } from "../config/patterns.ts";
import { CONFIG_FILE, MAX_ASKED_BYTES } from "../config/read-yaml.ts";
import type { RepoConfig } from "../config/repo-config.ts";
import type { CommandJob } from "../domain/command.ts";
import type { Declined, ThreadComment } from "../domain/conversation.ts";
import { Transient } from "../domain/errors.ts";
import type { Repo, ReviewJob } from "../domain/job.ts";
import { type Degraded, isSource, type LeftOut, type Skipped, type SkippedCheck } from "../domain/omissions.ts";
import type { FileDiff, LinkedIssue, PullRequest, PullRequestContext } from "../domain/pull-request.ts";
import { type Checkpoint, titleFingerprint } from "../domain/review/review-history.ts";
import type { IssueRef } from "../domain/signals.ts";
import { SKIPS, type SkipReason } from "../domain/skips.ts";
import { counted } from "../domain/text/counted.ts";
import { cutText } from "../domain/text/cut-text.ts";
import { publicErrorText } from "../domain/text/public-error-text.ts";
import { NO_REPORT, TOOL_RESULTS } from "../domain/tool-result.ts";
import type { Threads } from "../ports/conversation.ts";
import type { ToolResults } from "../ports/tools.ts";
import type { EarlierReview, PullRequests } from "../ports.ts";
import { earlierFindings } from "./earlier-findings.ts";
import { newTests } from "./new-tests.ts";
import { authorReason, closedReason, skipReason } from "./policy.ts";
import { readChanges } from "./read-changes.ts";
import { checkpointOf, fullReason } from "./read-checkpoint.ts";
import { type EffectiveConfig, readConfig } from "./read-config.ts";
import { readHeadTexts, TEXT_LIMITS } from "./read-head-texts.ts";
import { recastFiles } from "./recast-files.ts";
import { type BaseChoice, selectFiles, wordOfBase } from "./select-files.ts";

export { unreadProblem } from "./read-config.ts";
export { leftOutReason } from "./select-files.ts";

/** The results of earlier reviews of the pull request, and people's decisions. */
export interface Earlier {
  /** Newest first. */
  readonly reviews: readonly EarlierReview[];
  /** The fingerprint of a review with this configuration. */
  readonly fingerprint: (config: RepoConfig) => string;
  readonly declined: readonly Declined[];
  /** Who paused reviews of the pull request; null when they are not paused. */
  readonly pausedBy: string | null;
  readonly mayWrite: (person: { readonly id: number; readonly login: string }) => Promise<boolean>;
  /** Asked before the changes are read: why the pull request needs none of it, or null. */
  readonly settled: (admitted: Admitted) => Promise<Skipped | null>;
}

/** A pull request that policy admits to a review, with the configuration of its base. */
export interface Admitted extends ConfigAt {
  readonly kind: "admitted";
  readonly pull: PullRequest;
  /** The commit at which the base's own word is read: configuration, attributes and guidance. */
  readonly baseTip: string;
  readonly degraded: readonly Degraded[];
}

/**
 * Asks the policy: reads the pull request and its configuration as they are now.
 *
 * @param decided what people decided before, and who they are
 * @throws Transient when one of them cannot be read now
 */
export async function admit(
  job: ReviewJob,
  pulls: PullRequests,
  known: KnownRules,
  { pausedBy, mayWrite }: Pick<Earlier, "pausedBy" | "mayWrite">,
): Promise<Admitted | Skipped> {
  const { repo } = job;
  if (job.baseSha !== null) {
    // The changes of a merge queue were reviewed on their pull requests; only its check is missing.
    const { config } = await configAt(repo, job.baseSha, pulls, known);
    const reason = "a merge queue's changes are reviewed on their pull requests";
    return { kind: "skipped", reason, ...checkOf(config.review, { headSha: job.headSha, baseRef: "", author: null }) };
  }
  const { value: pull, degraded } = asAsked(job, await pulls.pull(repo, job.number));
  // Of a closed pull request no check is missing.
  const closed = closedReason(job, pull);
  if (closed !== null) return { kind: "skipped", reason: closed.text };
  const baseTip = await pulls.baseTip(repo, pull);
  const effective = await configAt(repo, baseTip, pulls, known);
  const { review } = effective.config;
  const skip = skipReason(job, pull, review, pausedBy) ?? (await notForAsker(job, pull, review, mayWrite));
  if (skip === null) return { kind: "admitted", pull, baseTip, degraded, ...effective };
  const author = SKIPS[skip.id].isAuthors && isFork(repo, pull) ? pull.author : null;
  return {
    kind: "skipped",
    reason: skip.text,
    ...checkOf(review, { headSha: pull.head.sha, baseRef: pull.base.ref, author }),
  };
}

/** Where the author is left out, the asker decides. A request without one comes from a terminal. */
async function notForAsker(
  { explicit, askedBy }: ReviewJob,
  { author }: PullRequest,
  review: RepoConfig["review"],
  mayWrite: Earlier["mayWrite"],
): Promise<SkipReason | null> {
  const reason = authorReason(author, review);
  if (!explicit || askedBy === null || reason === null) return null;
  return (await mayWrite(askedBy)) ? null : reason;
}

/** Only people with write access push to branches of the repository itself. */
export function isFork(repo: Repo, { head }: Pick<PullRequest, "head">): boolean {
  return head.repo !== `${repo.owner}/${repo.name}`;
}

/** Anyone can open a pull request from anyone's fork, and its owner can push to it at any time. */
export function isOwnFork({ head, author }: Pick<PullRequest, "head" | "author">): boolean {
  return head.repo?.split("/")[0]?.toLowerCase() === author.login.toLowerCase();
}

/**
 * Reads everything that one review needs, at the newest head: deliveries can arrive late and out of
 * order, so the job's own head only records its origin.
 *
 * @param known the existing rules, so that a misspelt one in the configuration is reported
 * @param hasModel whether a model will read: only then the repository's guidance is worth its
 * requests
 * @param earlier earlier findings and reading
 * @param tools what other tools found
 * @returns the pull request with its parsed changes; or why it is not reviewed, without further
 * requests
 * @throws Transient when pull request, configuration or changes cannot be read now. Head texts,
 * author facts and our own comments are optional: without them the review continues, and says so in
 * `degraded`
 */
export async function gather(
  job: ReviewJob,
  pulls: PullRequests,
  known: KnownRules,
  hasModel: boolean,
  earlier: Earlier,
  tools: ToolResults,
): Promise<PullRequestContext | Skipped> {
  const { repo } = job;
  const admitted = await admit(job, pulls, known, earlier);
  if (admitted.kind === "skipped") return admitted;
  const settled = await earlier.settled(admitted);
  if (settled !== null) return settled;

  const { baseTip, config, problems, used } = admitted;
  const { pull, degraded: cut } = cutTexts(admitted.pull);
  const attributes = (await pulls.text(repo, ".gitattributes", baseTip, ATTRIBUTES_BYTES)) ?? "";
  const base: BaseChoice = { pathFilters: config.pathFilters, attributes };
  const ofBase = wordOfBase(base);
  const isLeftOut = (path: string) => typeof ofBase(path) === "object" && ofBase(path) !== null;
  const changed = readChanges(await pulls.changes(repo, pull, (path) => !isLeftOut(path)));
  const readHead = (path: string) => pulls.text(repo, path, pull.head.sha, TEXT_LIMITS.bytesEach);
  const isAside = fileList([...config.fileKinds.test, ...config.fileKinds.docs]);
  const recast = await recastFiles(changed.files, (path) => isLeftOut(path) || isAside(path), readHead);
  const byPath = selectFiles(recast.files, ofBase);
  // People's own files first: the limits are for all together.
  const wanted = [...byPath.reviewed, ...byPath.spared.map(({ file }) => file)];
  const head =
    pulls.noHead === undefined || wanted.length === 0
      ? await readHeadTexts(wanted, readHead)
      : { texts: new Map<string, string>(), degraded: [{ part: "head-text", reason: pulls.noHead }] };
  // A header such as "Code generated … DO NOT EDIT" is known only now.
  const byText = selectFiles(byPath.reviewed, ofBase, (path) => head.texts.get(path));
  const spared = [...byPath.spared, ...byText.spared];
  const readOld = (path: string) => pulls.text(repo, path, pull.base.sha, TEXT_LIMITS.bytesEach);
  const asked = config.review.checks.enabled
    ? [...changed.silent, ...changed.moved.filter((file) => recast.files.includes(file))].filter(isSource)
    : [];
  const unchanged = await unchangedAmong(asked, readHead, readOld);
  const moved = changed.moved.filter((file) => asked.includes(file) && !unchanged.has(file.path));

  const foldersAt = async (paths: readonly string[]) =>
    (await pulls.foldersAt?.(repo, baseTip, paths).catch(() => null)) ?? new Set<string>();
  const { checks } = config.review;
  // A workflow decides for itself what fails it.
  const isGate = job.trigger === "command-line" || (checks.enabled && checks.failOn !== "never");

  const author = await optional("author-tier", () => pulls.authorFacts(repo, pull), { mergedPullRequests: null });
  const isRead = hasModel && config.review.model !== "off";
  const readBase = (path: string) => pulls.text(repo, path, baseTip, GUIDANCE_BYTES);
  const guidance = await optional("guidance", () => (isRead ? readGuidance(readBase) : Promise.resolve([])), []);
  const own = await optional("own-comments", () => pulls.ownComments(repo, job.number), []);
  const all = [changed.files, changed.leftOut].flatMap((files) => files.map(({ path }) => path));
  const isInHead = async (path: string) => (pulls.noHead === undefined ? (await readHead(path)) !== null : null);
  const toolsAsked = { repo, pull, settings: config.review.tools, paths: all, isInHead };
  const reported = await optional(TOOL_RESULTS, () => tools.of(toolsAsked), NO_REPORT);
  const fingerprint = earlier.fingerprint(config);
  const said = earlierFindings(earlier.reviews, own.degraded.length === 0 ? own.value : null);
  const checkpoint = isRead ? await readCheckpoint(job, pull, pulls, earlier.reviews, fingerprint) : NOTHING_READ;
  return {
    kind: "context",
    job,
    repo,
    pull,
    config,
    configProblems: problems,
    configUsed: used,
    files: byText.reviewed,
    spared: spared.map(({ file }) => file),
    newTests: isGate ? await newTests(changed.files, config.fileKinds, foldersAt) : null,
    issues: [],
    leftOut: [
      ...changed.leftOut.map((one) => withWordOfBase(one, ofBase(one.path), unchanged.has(one.path))),
      ...byPath.leftOut,
      ...spared.map(({ file: { path }, reason }) => ({ path, reason, isSpared: true as const })),
    ],
    headTexts: head.texts,
    guidance: guidance.value,
    authorFacts: author.value,
    ownComments: own.value,
    declined: earlier.declined,
    tools: reported.value,
    past: { checkpoint, said },
    degraded: [
      ...admitted.degraded,
      ...cut,
      ...changed.degraded,
      ...recast.degraded,
      ...moved.map(({ path }) => {
        return { part: "patch", reason: `${path} was renamed, and its text could not be compared`, paths: [path] };
      }),
      ...head.degraded,
      ...guidance.degraded,
      ...author.degraded,
      ...own.degraded,
      ...reported.degraded,
      ...reported.value.degraded,
    ],
  };
}

/** Issues that are read, each with one request. */
const MOST_ISSUES = 3;
/** UTF-16 units of an issue's body: queries and prompts take less. */
const ISSUE_CHARS = 20_000;

/**
 * The first three issues of this repository that the change says it closes. An unreadable one is
 * named, and stops nothing.
 *
 * @param refs references with a keyword, in order
 */
export function gatherIssues(
  { repo, pull }: Pick<PullRequestContext, "repo" | "pull">,
  refs: readonly IssueRef[],
  pulls: Pick<PullRequests, "issue">,
): Promise<readonly LinkedIssue[]> {
  const own = `${repo.owner}/${repo.name}`.toLowerCase();
  const closed = refs.filter(({ closing, number }) => closing && number !== pull.number).slice(0, MOST_ISSUES);
  return Promise.all(
    closed.map(async ({ number, repo: named }): Promise<LinkedIssue> => {
      if (named !== null && named.toLowerCase() !== own)
        return { kind: "not-read", name: `${named}#${number}`, reason: "it is of another repository" };
      const name = `#${number}`;
      try {
        const issue = await pulls.issue(repo, number);
        if (issue === null) return { kind: "not-read", name, reason: "it does not exist, or may not be read" };
        return { kind: "read", number, title: cutText(issue.title, 300), body: cutText(issue.body, ISSUE_CHARS) };
      } catch {
        return { kind: "not-read", name, reason: "GitHub did not answer" };
      }
    }),
  );
}

/** The requester has read title and description as they were: later versions are not read. */
function asAsked({ words }: ReviewJob, pull: PullRequest): Learned<PullRequest> {
  if (words === null || words === titleFingerprint(pull.title, pull.body)) return { value: pull, degraded: [] };
  const reason = "it was changed after the review was requested, and was not read";
  return { value: { ...pull, title: "", body: null }, degraded: [{ part: "description", reason }] };
}

/** Which of these pull requests are open now; an unreadable one counts as closed. */
export async function openAmong(
  repo: Repo,
  numbers: readonly number[],
  pulls: Pick<PullRequests, "pull">,
): Promise<ReadonlySet<number>> {
  const read = await Promise.allSettled(numbers.map((number) => pulls.pull(repo, number)));
  return new Set(numbers.filter((_, at) => read[at]?.status === "fulfilled" && read[at].value.state === "open"));
}

function checkOf({ checks }: RepoConfig["review"], at: Omit<SkippedCheck, "failOn">): Pick<Skipped, "check"> {
  return checks.enabled ? { check: { ...at, failOn: checks.failOn } } : {};
}

/** Bytes of `.gitattributes`; a larger file marks nothing. */
const ATTRIBUTES_BYTES = 256 << 10;
/** Files without lines whose texts are compared. */
const MOST_SILENT = 150;

/**
 * Files without lines that are empty at the head, or the same as at the base; an unreadable one is
 * not.
 */
async function unchangedAmong(
  silent: readonly FileDiff[],
  readHead: (path: string) => Promise<string | null>,
  readBase: (path: string) => Promise<string | null>,
): Promise<ReadonlySet<string>> {
  const isUnchanged = async ({ path, previousPath, status }: FileDiff) => {
    const now = await readHead(path).catch(() => null);
    if (now === null || now === "") return now === "";
    return status !== "added" && now === (await readBase(previousPath ?? path).catch(() => null));
  };
  const some = silent.slice(0, MOST_SILENT);
  const known = await pMap(some, isUnchanged, { concurrency: TEXT_LIMITS.atOnce });
  return new Set(some.flatMap(({ path }, at) => (known[at] === true ? [path] : [])));
}

/** A file that could not be read, with the base's word on it where it has one. */
function withWordOfBase(one: LeftOut, word: ReturnType<ReturnType<typeof wordOfBase>>, isUnchanged: boolean): LeftOut {
  const known = one.isExempt || word === null || word === "review" ? one : word;
  return isUnchanged ? { ...known, isExempt: true } : known;
}

/**
 * The current pull request and its effective configuration, for commands that need no changes.
 *
 * @throws Transient when either cannot be read now
 */
export async function gatherSettings(
  { repo, number }: Pick<ReviewJob, "repo" | "number">,
  pulls: PullRequests,
  known: KnownRules,
): Promise<ConfigAt & { readonly pull: PullRequest }> {
  const pull = await pulls.pull(repo, number);
  return { ...(await configAt(repo, await pulls.baseTip(repo, pull), pulls, known)), pull };
}

/**
 * The thread of a comment, as it was then; empty outside threads.
 *
 * @throws Transient when it cannot be read now
 */
export async function gatherThread(
  { repo, number, comment }: Pick<CommandJob, "repo" | "number" | "comment">,
  threads: Threads,
): Promise<ReturnType<typeof threadBefore>> {
  const { rootId } = comment;
  return threadBefore(rootId === null ? [] : await threads.thread(repo, number, rootId), comment);
}

const NOTHING_READ: Checkpoint = { kind: "full", reason: null };

/** Reading everything costs more and is never wrong, so no failure here stops a review. */
async function readCheckpoint(
  job: ReviewJob,
  pull: PullRequest,
  pulls: PullRequests,
  reviews: readonly EarlierReview[],
  fingerprint: string,
): Promise<Checkpoint> {
  const last = reviews.find(({ posted }) => posted)?.review;
  if (last === undefined) return NOTHING_READ;
  const reason = fullReason(last, fingerprint, isAskedAnew(job, last.headSha === pull.head.sha));
  if (reason !== null) return { kind: "full", reason };
  const { value: since } = await optional("delta", () => pulls.changesSince(job.repo, pull, last), {
    kind: "unknown",
    reason: "what changed since the last review could not be learned",
  });
  return checkpointOf(last, since);
}

/**
 * `review` in a comment reads what is new; with a focus, or without anything new, everything.
 */
function isAskedAnew({ trigger, explicit, whole, focus }: ReviewJob, nothingNew: boolean): boolean {
  return trigger === "command" ? whole || focus !== null || nothingNew : explicit;
}

export interface ConfigAt extends Omit<EffectiveConfig, "used"> {
  /** For people: the files used, `.kodiai.yml@4f1c2d9` or `none found`; and one that was not. */
  readonly used: string;
}

/**
 * The configuration of a repository at a commit: for a pull request the tip of its base, since it
 * must not change the rules of its own review.
 *
 * @throws Transient when one of its files cannot be read now
 */
export async function configAt(
  repo: Repo,
  sha: string,
  pulls: Pick<PullRequests, "text" | "rootEntries" | "ownersText" | "ownConfig" | "workingConfig">,
  known: KnownRules,
): Promise<ConfigAt> {
  const own = pulls.ownConfig;
  const text = own?.text ?? (await pulls.text(repo, CONFIG_FILE, sha, MAX_ASKED_BYTES));
  const ofBase = () => Promise.resolve(text);
  const ofOwner = (name: string) => pulls.ownersText(repo, name, CONFIG_FILE, MAX_ASKED_BYTES);
  const around = () => pulls.rootEntries(repo, sha);
  const { used, ...effective } = await readConfig(repo, { ofBase, around, ofOwner }, known);
  const files = used.map((file) => (file === CONFIG_FILE ? `${file}${own?.place ?? `@${sha.slice(0, 7)}`}` : file));
  const working = own === undefined ? ((await pulls.workingConfig?.()) ?? null) : null;
  // People who edit the file expect a review to read it.
  const isOther = working !== null && working.text !== text;
  const its = files.length === 0 ? "one" : "another one";
  const notUsed = isOther ? [`the working tree has ${its}, which --config ${shellWord(working.path)} would use`] : [];
  return { ...effective, used: [files.length === 0 ? "none found" : files.join(", "), ...notUsed].join("; ") };
}

/** As a shell reads it as one word. */
function shellWord(path: string): string {
  return /^[\w@+./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

interface Learned<Value> {
  readonly value: Value;
  readonly degraded: readonly Degraded[];
}

async function optional<Value>(part: string, ask: () => Promise<Value>, without: Value): Promise<Learned<Value>> {
  try {
    return { value: await ask(), degraded: [] };
  } catch (error) {
    // Only the messages of our own adapters are fit for a footer; any other may quote its input.
    const reason = error instanceof Transient ? publicErrorText(error.message) : "the question failed";
    return { value: without, degraded: [{ part, reason }] };
  }
}

/** Instructions to contributors, in the order of the prompt. A duplicate is left out. */
const FILES = ["AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md"] as const;
/** Bytes of one file; a larger one is not read. */
const GUIDANCE_BYTES = 64 << 10;

/** @param read the text of a path at the base; null when it is absent */
async function readGuidance(
  read: (path: string) => Promise<string | null>,
): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const texts = await Promise.all(FILES.map(read));
  const seen = new Set<string>();
  return FILES.flatMap((path, at) => {
    const text = texts[at]?.trim() ?? "";
    if (text === "" || seen.has(text)) return [];
    seen.add(text);
    return [{ path, text }];
  });
}

/**
 * The part of a thread that existed at the time of a request: comments that were added or changed
 * since are left out, because the asker did not see them, and their author may not be allowed to
 * ask.
 *
 * @param thread oldest first
 * @param asking the comment with the request; times are ISO 8601 with seconds, UTC
 * @returns the usable comments, in the same order, without the asking one; and how many were left
 * out
 */
export function threadBefore(
  thread: readonly ThreadComment[],
  asking: { readonly id: number; readonly at: string },
): { readonly comments: readonly ThreadComment[]; readonly leftOut: number } {
  const others = thread.filter(({ id }) => id !== asking.id);
  const comments = others.filter(({ id, createdAt, updatedAt }) => {
    if (id > asking.id || createdAt > asking.at) return false;
    // Times have whole seconds: an edit in the very second of the question counts as later.
    return updatedAt === createdAt || updatedAt < asking.at;
  });
  return { comments, leftOut: others.length - comments.length };
}

/** UTF-16 units. GitHub allows 65,536 in a description, 256 in a title, any number in a message. */
const MOST = { title: 1_000, description: 65_536, message: 8_000, messages: 200_000 };

/** Cuts the author's texts to lengths that people write, to bound every later step. */
function cutTexts(pull: PullRequest): { readonly pull: PullRequest; readonly degraded: readonly Degraded[] } {
  let left = MOST.messages;
  const commits = pull.commits.map(({ sha, message }) => {
    const read = cutText(message, Math.min(MOST.message, left));
    left -= read.length;
    return { sha, message: read };
  });
  const short = commits.filter(({ message }, at) => message !== pull.commits[at]?.message).length;
  const title = cutText(pull.title, MOST.title);
  const body = pull.body === null ? null : cutText(pull.body, MOST.description);
  const reasons = [
    ...(short === 0 ? [] : [`the messages of ${counted(short, "commit")} were read only in part: they are too long`]),
    ...(title === pull.title ? [] : ["the title was read only in part: it is too long"]),
    ...(body === pull.body ? [] : ["the description was read only in part: it is too long"]),
  ];
  return {
    pull: { ...pull, title, body, commits },
    degraded: reasons.map((reason) => ({ part: "description", reason })),
  };
}
