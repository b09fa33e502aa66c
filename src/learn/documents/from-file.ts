// Turns a document of the repository into memories, one a section.

import type { Repo } from "../../domain/job.ts";
import { UNKNOWN_LANGUAGE } from "../../domain/language.ts";
import type { MemoryRecord } from "../../domain/memory.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import { newRecord } from "../remember/new-record.ts";
import type { DocSection } from "./doc-sections.ts";

export interface SourceFile {
  readonly repo: Repo;
  readonly path: string;
  /** The blob's hash. */
  readonly hash: string;
  /**
   * The URL of this version, without an anchor: `https://HOST/OWNER/NAME/blob/SHA/PATH`; or null.
   */
  readonly url: string | null;
  /** Epoch milliseconds of the indexing. */
  readonly at: number;
}

/** Headings can be whole sentences; together they stay shorter than the text below them. */
const MAX_HEADING = 100;

/** One record per section, in the order of the document. Its tags are its languages. */
export function fromSections(
  file: SourceFile,
  corpus: "doc" | "wiki",
  sections: readonly DocSection[],
): MemoryRecord[] {
  return sections.map(({ name, text, languages, headings, anchor }) => {
    const url = file.url === null ? null : `${file.url}${anchor === "" ? "" : `#${anchor}`}`;
    return newRecord(file.repo, corpus, name === "" ? file.path : `${file.path}#${name}`, {
      text: text.toWellFormed(),
      path: file.path,
      tags: languages,
      language: languages[0] ?? UNKNOWN_LANGUAGE,
      symbol: headings.map((heading) => cutText(heading, MAX_HEADING)).join(" > ") || null,
      chunkType: "section",
      provenance: { url, author: null, authorIsBot: false, sha: file.hash, pull: null, at: file.at },
    });
  });
}

// Which files of a repository are documents: instructions to people and agents.

const MARKDOWN = /\.(?:md|mdx|mdc|markdown)$/i;

/** Folders with Markdown for readers. */
const FOLDERS =
  /(?:^|\/)(?:docs?|documentation|wiki|adrs?|decisions|rfcs?|handbook|guides?|guidelines|runbooks?|design|proposals)\//i;

/** Documents by name, in any folder. Change logs and licences do not describe how to write code. */
const NAMES =
  /(?:^|\/)(?:readme|contributing|architecture|security|testing|development|developing|hacking|maintainers?|conventions?|style-?guide|coding-?(?:style|standards?|guidelines)|code-?review|guidelines|design|onboarding|agents|claude|gemini|copilot-instructions|warp|conventions|best[-_]practices)(?:\.[a-z]{2}(?:-[a-z]{2})?)?\.(?:md|mdx|markdown)$/i;

/** Instructions to agents. */
const AGENT_FOLDERS =
  /(?:^|\/)(?:\.cursor\/rules|\.github\/instructions|\.claude|\.agents?|\.windsurf\/rules|\.clinerules)\//;

/** Forms, legal texts, and lists of changes. */
const NEVER =
  /(?:^|\/)(?:issue_template|pull_request_template|discussion_template)(?:\/|\.md$)|(?:^|\/)(?:licen[cs]e|copying|changelog|changes|history|news|authors|code_of_conduct|release[-_]?notes)(?:[.-][^/]{0,40})?\.(?:md|mdx|markdown)$/i;

/** True for Markdown that is remembered by sections. Decided from the path alone. */
export function isDocPath(path: string): boolean {
  if (!MARKDOWN.test(path) || NEVER.test(path)) return false;
  return FOLDERS.test(path) || NAMES.test(path) || AGENT_FOLDERS.test(path);
}

/** The frame around a wiki's pages. */
const AROUND_PAGES = /(?:^|\/)_(?:sidebar|footer|header)\./i;

/** True for a wiki page in Markdown. */
export function isWikiPage(path: string): boolean {
  return MARKDOWN.test(path) && !AROUND_PAGES.test(path);
}
