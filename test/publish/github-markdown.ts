// The oracle: what GitHub would make of Markdown, by micromark with its GFM extension and GitHub's
// documented rules of mentions and references, which look at text outside code and links after
// Markdown is read.
import { compile, parse, postprocess, preprocess } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import type { Event } from "micromark-util-types";

/** Structures that text of others must never make. */
const FORBIDDEN = new Set([
  "image",
  "htmlFlow",
  "htmlText",
  "link",
  "autolink",
  "literalAutolink",
  "definition",
  "gfmFootnoteDefinition",
  "gfmFootnoteCall",
  "table",
  "atxHeading",
  "setextHeading",
  "blockQuote",
  "thematicBreak",
  "codeIndented",
  "strikethrough",
]);

const ACTIVE: readonly (readonly [string, RegExp])[] = [
  ["mention", /(?<![a-z0-9_])@[a-z0-9]/i],
  ["reference", /(?<![a-z0-9_])#\d/i],
  ["reference to another repository", /[\w.-]\/[\w.-]+#\d/],
  ["GH reference", /(?<![a-z0-9])GH-\d/i],
  ["sha", /(?<![A-Za-z0-9_])(?:[0-9a-f]{40}|(?=[a-f]*\d)[0-9a-f]{7,40})(?![A-Za-z0-9_])/],
  ["address", /:\/\/|(?<![a-z0-9])www\./i],
  ["closing keyword", /\b(?:fix|close|resolve)(?:e?[sd])?:?\s+(?:#|GH-)\d/i],
  ["emoji name", /:[a-z0-9_+-]+:/i],
  ["formula", /\$/],
  ["slash command", /(?<![^\s([{"'*_,;.])\/[a-z][a-z0-9_-]*(?![a-z0-9_/-])/i],
  ["bare command", /\b(?:atlantis|digger|terrateam) (?:apply|plan|unlock)|\b(?:squash|rebase) and merge\b/i],
];

/**
 * Commands that bots obey at the start of a line, in any block: Prow, bors, homu, Dependabot,
 * Mergify, Jenkins, Zuul …
 */
export const COMMANDS =
  `/approve|/lgtm|/lgtm cancel|/hold|/hold cancel|/retest|/test all|/ok-to-test|/assign @me|/cc @octocat
/close|/reopen|/label bug|/kind bug|/remove-kind bug|/milestone v1|/merge|/rebase|/override ci|/woof|/meow|/shrug|/cherry-pick main
/azp run|/backport v2|/deploy|/review|/kodiai review|/describe|/gemini review|/format|/rerun-all|/skip|/transfer-issue x|/lifecycle frozen
bors r+|bors r=me|bors try|bors d+|bors merge|bors retry|bors cancel|@bors r+|@bors try|@bors delegate+|r? @octocat|@rustbot claim
@dependabot merge|@dependabot squash and merge|@dependabot close|@dependabot rebase|@dependabot recreate|@dependabot ignore this dependency
@renovate rebase|@mergifyio rebase|@Mergifyio backport v1|@coderabbitai full review|@claude fix this|@kodiai review|@greptileai|@pulumi-bot run
retest this please|test this please|ok to test|add to whitelist|jenkins retest|recheck|reverify|rebuild_merge|shipit|needs_info|bot_status|LGTM|+label: x|!component x
atlantis apply|atlantis plan -d infra|atlantis unlock|digger apply|terrateam apply|squash and merge|rebase and merge`
    .split(/[|\n]/)
    .filter((command) => command !== "");

const COMMAND_LINES = [/^\/[a-z]/i, /^@[a-z0-9-]+(?:\s|$)/i, /^bors\b/i].concat(
  COMMANDS.map((command) => new RegExp(`^${command.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![a-z0-9])`, "i")),
);

export interface Allowed {
  /** Raw HTML that is ours. */
  readonly html?: RegExp;
  /** Addresses that are ours. */
  readonly links?: RegExp;
  /** Further structures that our own words make. */
  readonly structures?: readonly string[];
}

/** Everything in `markdown` that is not inert, as sentences; [] is what every test wants. */
export function violations(markdown: string, allowed: Allowed = {}): string[] {
  const events = postprocess(
    parse({ extensions: [gfm()] })
      .document()
      .write(preprocess()(`${markdown}\n\nSENTINEL`, "utf8", true)),
  );
  const html = compile({ htmlExtensions: [gfmHtml()], allowDangerousHtml: true })(events);
  return [
    ...structures(events, allowed),
    ...active(html),
    ...(html.endsWith("<p>SENTINEL</p>") ? [] : ["what follows is not a paragraph of its own"]),
    ...markdown
      .split("\n")
      .filter((line) => COMMAND_LINES.some((command) => command.test(line)))
      .map((line) => `command line: ${line}`),
    ...(/[^\P{C}\n\t\p{Co}\p{Cn}]/u.test(markdown) ? ["hidden character"] : []),
  ];
}

function structures(events: readonly Event[], { html, links, structures: ours = [] }: Allowed): string[] {
  const found: string[] = [];
  for (const [phase, token, at] of events) {
    if (phase !== "enter" || !FORBIDDEN.has(token.type) || ours.includes(token.type)) continue;
    const source = at.sliceSerialize(token);
    if (token.type.startsWith("html") && html?.test(source)) continue;
    const address = /\]\(([^()\s]*)\)$/.exec(source)?.[1];
    if (token.type === "link" && address !== undefined && links?.test(address)) continue;
    found.push(`${token.type}: ${source.slice(0, 200)}`);
  }
  return found;
}

function active(html: string): string[] {
  const texts = html
    .replace(/<pre>[\s\S]*?<\/pre>|<code>[\s\S]*?<\/code>|<a [\s\S]*?<\/a>|<!--[\s\S]*?-->/g, "\0")
    .split(/<[^>]*>|\0/)
    .map((text) =>
      text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&"),
    );
  return texts.flatMap((text) =>
    ACTIVE.filter(([, pattern]) => pattern.test(text)).map(([name]) => `${name}: ${text.slice(0, 200)}`),
  );
}
