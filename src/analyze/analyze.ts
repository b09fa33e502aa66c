/**
 * The analyze stage: derives the signals from the pull request that gather read. Pure: no port, no clock; the same
 * context gives the same signals.
 */
import type { FileDiff, PullRequestContext } from "../domain/pull-request.ts";
import type { ReviewSignals } from "../domain/signals.ts";
import { assessAuthor } from "./author-tier.ts";
import { changeMetrics } from "./change-metrics.ts";
import { fileKinds } from "./file-kind.ts";
import { parseIntent } from "./intent.ts";
import { classifyLanguage, languageShares } from "./languages.ts";
import { risks } from "./risk.ts";

/** Characters of a file that are read when its name does not determine the language. */
const HEAD_READ = 2000;

/**
 * Intent, languages, risks, author and size of a change. Never throws, for any paths and texts.
 *
 * Files left out of the review count only as neighbours: a header beside C++ is C++ even when the C++ is vendored.
 */
export function analyze(context: PullRequestContext): ReviewSignals {
  const { pull, files, config } = context;
  const siblings = [...files, ...context.leftOut].map((file) => file.path);
  const languages = files.map((file) =>
    classifyLanguage(file.path, { siblings, ...knownText(file, context.headTexts) }),
  );
  const kindOf = fileKinds(config.fileKinds);
  const facts = files.map((file, index) => ({
    path: file.path,
    language: languages[index]?.language ?? "unknown",
    kind: kindOf(file.path),
  }));
  return {
    intent: parseIntent({
      title: pull.title,
      body: pull.body,
      commits: pull.commits,
      labels: pull.labels,
      headRef: pull.head.ref,
      author: pull.author,
      files,
    }),
    files: facts,
    languages: languageShares(
      files.flatMap(({ additions, deletions }, index) => {
        const language = languages[index];
        return language === undefined ? [] : [{ language, changedLines: additions + deletions }];
      }),
    ),
    risks: risks(files, facts, context.leftOut),
    author: assessAuthor(pull.author, context.authorFacts),
    metrics: changeMetrics(files, facts),
  };
}

/** The beginning of the head file; without it the head side of the hunks, or the removed lines of a removed file. */
function knownText(file: FileDiff, headTexts: ReadonlyMap<string, string>): { content: string; partial: boolean } {
  const head = headTexts.get(file.path);
  if (head !== undefined) return { content: head.slice(0, HEAD_READ), partial: false };
  const removed = file.status === "removed";
  const first = file.hunks[0];
  const partial = (removed ? first?.oldStart : first?.newStart) !== 1;
  let content = "";
  for (const line of file.hunks.flatMap((hunk) => hunk.lines)) {
    if (content.length >= HEAD_READ) break;
    if (line.kind !== (removed ? "added" : "removed")) content += `${line.text.slice(0, HEAD_READ)}\n`;
  }
  return { content, partial };
}

/**
 * The language of a file outside a change.
 *
 * @param siblings other paths of its repository: they decide the language of a header
 * @returns canonical id, or `unknown`
 */
export function languageOf(path: string, siblings: readonly string[] = []): string {
  return classifyLanguage(path, { siblings }).language;
}
