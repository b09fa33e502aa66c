// One pull request asks memory several ways: by what it means to do, where, in what shape, and with its own changed code.

import { cutText, oneLine } from "../domain/cut-text.ts";
import type { FileDiff, PullRequest } from "../domain/pull-request.ts";
import type { QueryVariant } from "../domain/retrieval.ts";
import type { ReviewSignals } from "../domain/signals.ts";
import { type ChosenHunk, chooseHunks, HUNKS } from "./choose-hunks.ts";

/** Characters of one hunk's text: about what an embedder reads with one thought in it. */
const HUNK_CHARS = 1_500;
/** Characters of one changed line; minified code says nothing after that. */
const LINE_CHARS = 300;
/** Of how many files the query of kind `paths` names the path. */
export const PATHS = 8;
const WORDS = 5;

export interface VariantSubject {
  readonly pull: Pick<PullRequest, "title">;
  readonly files: readonly FileDiff[];
}

export type VariantSignals = Pick<ReviewSignals, "intent" | "languages" | "risks" | "files">;

/**
 * The texts to search with: `intent` is the enriched query; `paths` the title with the first paths; `code` the title
 * with languages, risks and type; one `hunk` for each chosen hunk. A text that another variant already has is left out.
 *
 * @param intent from buildRetrievalQuery
 * @param options how many hunks and paths at most
 */
export function queryVariants(
  intent: string,
  subject: VariantSubject,
  signals: VariantSignals,
  { hunks = HUNKS, paths = PATHS }: { readonly hunks?: number; readonly paths?: number } = {},
): readonly QueryVariant[] {
  const chosen = chooseHunks(subject.files, signals.files, signals.risks, hunks);
  const variants: readonly QueryVariant[] = [
    { kind: "intent", text: intent, path: null },
    { kind: "paths", text: pathsText(subject, paths), path: null },
    { kind: "code", text: codeText(subject, signals), path: null },
    ...chosen.map((one): QueryVariant => ({ kind: "hunk", text: hunkText(one), path: one.path })),
  ];
  const seen = new Set<string>();
  return variants.filter(({ text }) => {
    const news = text.trim() !== "" && !seen.has(text);
    seen.add(text);
    return news;
  });
}

function pathsText({ pull, files }: VariantSubject, most: number): string {
  const title = oneLine(pull.title);
  if (files.length === 0) return title;
  return [title, "files:", ...files.slice(0, most).map(({ path }) => path)].join("\n").trim();
}

function codeText({ pull }: VariantSubject, { languages, risks, intent }: VariantSignals): string {
  const names = [...new Set(languages.map(({ name }) => name))].sort().slice(0, WORDS);
  const texts = [...new Set(risks.map(({ text }) => text))].sort().slice(0, WORDS);
  const lines = [oneLine(pull.title)];
  if (names.length > 0) lines.push(`languages: ${names.join(" ")}`);
  if (texts.length > 0) lines.push(`risk: ${texts.join(" ")}`);
  if (intent.type !== null) lines.push(`type: ${intent.type}`);
  return lines.join("\n").trim();
}

/** Path, enclosing function, and the changed lines: added ones, or removed ones where nothing was added. */
function hunkText({ path, hunk }: ChosenHunk): string {
  const added = hunk.lines.filter(({ kind }) => kind === "added");
  const told = added.length > 0 ? added : hunk.lines.filter(({ kind }) => kind === "removed");
  let text = [path, hunk.section.trim()].filter((line) => line !== "").join("\n");
  for (const line of told) {
    const next = cutText(line.text, LINE_CHARS);
    if (next.trim() === "") continue;
    if (text.length + next.length + 1 > HUNK_CHARS) break;
    text += `\n${next}`;
  }
  return text;
}
