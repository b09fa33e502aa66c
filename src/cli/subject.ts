import { basename } from "node:path";
import { buffer } from "node:stream/consumers";
import { apiUrlFor } from "../config/environment/github-address.ts";
import { UsageError } from "../config/usage-error.ts";
import { commandLineJob, type ReviewJob } from "../domain/job.ts";
import type { Review } from "../domain/review.ts";
import { counted } from "../domain/text/counted.ts";
import { storePlace, storePlaceIfAny } from "../environment/data-dir.ts";
import type { Stage, WritingPorts } from "../flows/review/review-ports.ts";
import { postReview } from "../flows/review/review-pull-request.ts";
import { defaultBranch, type LocalRange, localPorts, uncommittedWork, withSarif } from "../wire/cli/change.ts";
import type { ModelWish } from "../wire/cli/model.ts";
import { fileText, oneOf, type readWords, repoFolder, textIn } from "./usage.ts";
import type { VERBS } from "./verbs.ts";

type SubjectWords = Partial<ReturnType<typeof readWords<typeof VERBS.explain.options>>["values"]> & {
  readonly comment?: boolean | undefined;
  readonly "fail-on"?: string | undefined;
};

interface Subject {
  readonly job: ReviewJob;
  readonly ports: WritingPorts;
  /** Posts the review; null without `--comment`. */
  readonly post: ((written: Review, stage: Stage) => ReturnType<typeof postReview>) | null;
}

/**
 * @param positionals none or one: a revision, `BASE..HEAD`, or the URL of a pull request
 * @param onQuestion called with each question to the model
 * @throws UsageError when there is no change, or more than one, or the model's variables are wrong
 */
export async function subject(
  words: SubjectWords,
  positionals: readonly string[],
  onQuestion: ModelWish["onQuestion"],
): Promise<Subject> {
  const [word] = positionals;
  mustNameOne(words, word);
  const model = { use: wishOf(words), onQuestion };
  const { sarif = [] } = words;
  const configured = configuredBy(words.config, words["from-outsider"] === true, sarif);
  if (word !== undefined && /^https?:/.test(word)) return configured(await pullRequest(word, model, words));
  if (words.comment === true) throw new UsageError("--comment needs the URL of a pull request");
  const cwd = repoFolder(words.repo);
  const named = await range(cwd, words, word);
  const { repo, number, headSha, ports } = await localPorts(cwd, named, storePlaceIfAny(words["data-dir"]), model);
  if (named.kind === "commits" && (await ports.pulls.pull(repo, number)).base.sha === headSha)
    console.error(await nothingIn(cwd, named));
  return configured({ job: commandLineJob(repo, number, headSha), ports, post: null });
}

/** @throws UsageError naming two that exclude each other */
function mustNameOne({ base, head, staged, diff }: SubjectWords, word: string | undefined): void {
  const named = [
    ...(word === undefined ? [] : [JSON.stringify(word)]),
    ...(base === undefined && head === undefined ? [] : [base === undefined ? "--head" : "--base"]),
    ...(staged === true ? ["--staged"] : []),
    ...(diff === undefined ? [] : ["--diff"]),
  ];
  if (named.length > 1) throw new UsageError(`${named[0]} and ${named[1]} exclude each other`);
}

/** SARIF files add findings, `--config` replaces the base's file, an outsider may write nothing. */
function configuredBy(
  path: string | undefined,
  isOutsider: boolean,
  sarif: readonly string[],
): (read: Subject) => Subject {
  const own = path === undefined ? {} : { ownConfig: { place: ` (--config ${path})`, text: fileText(path) } };
  const permissions = { of: () => Promise.resolve("none" as const) };
  return ({ job, ports: read, post }) => {
    const ports = sarif.length === 0 ? read : withSarif(read, sarif);
    return {
      job,
      ports: { ...ports, ...(isOutsider ? { permissions } : {}), pulls: { ...ports.pulls, ...own } },
      post,
    };
  };
}

function wishOf(words: SubjectWords): ModelWish["use"] {
  const use = oneOf("model", words.model ?? "auto", ["auto", "off"]);
  if (words["show-prompt"] !== true) return use;
  if (use === "off") throw new UsageError("--show-prompt needs a prompt; remove --model off");
  return "show";
}

async function range(cwd: string, words: SubjectWords, word: string | undefined): Promise<LocalRange> {
  if (words.diff !== undefined) {
    const isInput = words.diff === "-";
    const text = isInput ? textIn(await buffer(process.stdin), "standard input") : fileText(words.diff);
    return { kind: "diff", text, title: isInput ? "standard input" : basename(words.diff) };
  }
  if (words.staged === true) {
    const { unstaged } = await uncommittedWork(cwd);
    if (unstaged > 0) console.error(`not reviewed: unstaged changes of ${counted(unstaged, "file")}`);
    return { kind: "staged" };
  }
  if (word !== undefined) return rangeOf(word);
  if (words.base === undefined && words.head === undefined) {
    const { staged, unstaged } = await uncommittedWork(cwd);
    if (staged + unstaged > 0) return { kind: "uncommitted" };
  }
  const base = words.base ?? (await defaultBranch(cwd));
  if (base !== null) return { kind: "commits", base, head: words.head ?? "HEAD" };
  throw new UsageError(
    "no uncommitted work, and no default branch was found; name a base: kodiai review REV (without any commit: add a file first)",
  );
}

/** What is missing in a range without a commit, and what its author probably meant. */
async function nothingIn(cwd: string, { base, head }: { readonly base: string; readonly head: string }) {
  const { staged, unstaged } = await uncommittedWork(cwd).catch(() => ({ staged: 0, unstaged: 0 }));
  const meant =
    staged + unstaged > 0
      ? "uncommitted work is no part of this range: name no base to review it"
      : "there is no uncommitted work either: name the commit that the work began at";
  return `${JSON.stringify(head)} has no commit that ${JSON.stringify(base)} lacks; ${meant}`;
}

/** `REV` or `BASE..HEAD`; three dots mean the same: a range begins where the head left its base. */
function rangeOf(word: string): LocalRange {
  const [, base = word, head = ""] = /^((?:[^.]|\.(?!\.))*)\.{2,3}(.*)$/s.exec(word) ?? [];
  return { kind: "commits", base: base === "" ? "HEAD" : base, head: head === "" ? "HEAD" : head };
}

const PULL_URL = /^https?:\/\/([^/\s]+)\/([\w.-]+)\/([\w.-]+)\/pull\/(\d+)(?:[/?#].*)?$/;

async function pullRequest(url: string, model: ModelWish, words: SubjectWords): Promise<Subject> {
  const match = PULL_URL.exec(url);
  if (match === null)
    throw new UsageError(`${JSON.stringify(url)} is not the URL of a pull request (https://HOST/OWNER/NAME/pull/N)`);
  const [, host = "", owner = "", name = "", number = ""] = match;
  const { GITHUB_TOKEN: token = "", GITHUB_ACTIONS: isWorkflow } = process.env;
  if (token === "") throw new UsageError("set GITHUB_TOKEN to read a pull request");
  const named = { host, owner, name, number: Number(number), token, apiUrl: apiUrlFor(host), model };
  const { commentingPorts, pullRequestPorts } = await import("../wire/cli/pull-request.ts");
  if (words.comment !== true) {
    const read = await pullRequestPorts({ ...named, place: storePlaceIfAny(words["data-dir"]) });
    return { job: commandLineJob(read.repo, named.number, read.headSha), ports: read.ports, post: null };
  }
  // Our posts are recognised by their account, so only that of workflows can comment.
  if (isWorkflow !== "true")
    throw new UsageError("--comment works in a workflow of GitHub Actions, with its own GITHUB_TOKEN");
  const { repo, headSha, ports } = await commentingPorts({ ...named, place: storePlace(words["data-dir"]) });
  // No person asked for this review, so the configuration decides, as on a server. A step that may
  // fail has to answer for each commit: a title or a draft would be a way around it.
  const explicit = (words["fail-on"] ?? "never") !== "never";
  const job = { ...commandLineJob(repo, named.number, headSha), explicit };
  return { job, ports, post: (written, stage) => postReview(written, job, ports, stage) };
}
