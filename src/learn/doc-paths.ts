// Which files of a repository are its documents: what people and agents are told about how to work here.

const MARKDOWN = /\.(?:md|mdx|mdc|markdown)$/i;

/** Folders whose Markdown is written to be read. */
const FOLDERS =
  /(?:^|\/)(?:docs?|documentation|wiki|adrs?|decisions|rfcs?|handbook|guides?|guidelines|runbooks?|design|proposals)\//i;

/** Documents by name, wherever they stand. Change logs and licences say nothing about how to write code. */
const NAMES =
  /(?:^|\/)(?:readme|contributing|architecture|security|testing|development|developing|hacking|maintainers?|conventions?|style-?guide|coding-?(?:style|standards?|guidelines)|code-?review|guidelines|design|onboarding|agents|claude|gemini|copilot-instructions|warp|conventions|best[-_]practices)(?:\.[a-z]{2}(?:-[a-z]{2})?)?\.(?:md|mdx|markdown)$/i;

/** What agents are told. */
const AGENT_FOLDERS =
  /(?:^|\/)(?:\.cursor\/rules|\.github\/instructions|\.claude|\.agents?|\.windsurf\/rules|\.clinerules)\//;

/** Forms to fill in, texts of the law, and lists of changes. */
const NEVER =
  /(?:^|\/)(?:issue_template|pull_request_template|discussion_template)(?:\/|\.md$)|(?:^|\/)(?:licen[cs]e|copying|changelog|changes|history|news|authors|code_of_conduct|release[-_]?notes)(?:[.-][^/]{0,40})?\.(?:md|mdx|markdown)$/i;

/** True for Markdown that is remembered section by section. Decided from the path alone. */
export function isDocPath(path: string): boolean {
  if (!MARKDOWN.test(path) || NEVER.test(path)) return false;
  return FOLDERS.test(path) || NAMES.test(path) || AGENT_FOLDERS.test(path);
}

/** What a wiki shows around its pages. */
const AROUND_PAGES = /(?:^|\/)_(?:sidebar|footer|header)\./i;

/** True for a page of a wiki that is written in Markdown. */
export function isWikiPage(path: string): boolean {
  return MARKDOWN.test(path) && !AROUND_PAGES.test(path);
}
