// Derives the intent of a pull request from its text. Total over all strings, deterministic, and linear in the length
// of the text; all input is untrusted.
import type { Author, Commit } from "../domain/pull-request.ts";
import type { Intent, Profile } from "../domain/signals.ts";
import { breakingSources } from "./breaking.ts";
import { dependencyBump } from "./dependency-bump.ts";
import { intentProse } from "./intent-prose.ts";
import { issueRefs } from "./issue-refs.ts";
import { revertOf } from "./revert.ts";
import { type ParsedTitle, parseTitle, type TitleCommand } from "./title.ts";

export interface IntentInput {
  readonly title: string;
  readonly body: string | null;
  readonly commits: readonly Commit[];
  readonly labels: readonly string[];
  readonly headRef: string;
  readonly author: Author;
  readonly files: readonly { readonly path: string }[];
}

/** The most thorough requested review wins. */
const PROFILES: readonly (readonly [TitleCommand, Profile])[] = [
  ["strict-review", "thorough"],
  ["balanced-review", "balanced"],
  ["minimal-review", "quiet"],
];

/** Focus areas go into queries and prompts, so a title of a hundred tags must not fill them. */
const MAX_FOCUS_AREAS = 20;
/** Tags for machines and numbers: "[ci skip]", "[skip actions]", "[1/3]", "[#1331]". */
const NO_TOPIC = /^(?:(?:skip|no)[ -](?:ci|actions)|(?:ci|actions)[ -]skip|[^\p{L}]*|v?\d[\w.]*)$/u;

/**
 * Reads the intent of a pull request.
 *
 * A dependency bump's description is another project's changelog: it is not searched for breaking changes, reverts and
 * issues.
 */
export function parseIntent(input: IntentInput): Intent {
  const title = parseTitle(input.title);
  const bump = dependencyBump({ ...input, title });
  const text = {
    title,
    body: intentProse(bump === null ? (input.body ?? "") : ""),
    commits: input.commits.map((commit) => intentProse(commit.message)),
  };
  const reverts = revertOf(text);
  const revertsByTitle = reverts !== null && /^revert/i.test(title.untagged) && title.otherType === null;
  return {
    type: title.type ?? (revertsByTitle ? "revert" : null),
    otherType: title.otherType,
    scope: title.scope,
    subject: title.subject,
    breaking: breakingSources(text),
    // Draft and work in progress are one state: not ready for review.
    wip: title.commands.includes("wip") || title.commands.includes("draft"),
    noReview: title.commands.includes("no-review"),
    styleOk: title.commands.includes("style-ok"),
    profile: PROFILES.find(([command]) => title.commands.includes(command))?.[1] ?? null,
    focusAreas: focusAreas(title),
    reverts,
    issues: issueRefs({ ...text, title: intentProse(input.title) }),
    bump,
  };
}

function focusAreas({ commands, otherTags }: ParsedTitle): readonly string[] {
  const asked = commands.includes("security-review") ? ["security"] : [];
  const topics = otherTags.filter((tag) => !NO_TOPIC.test(tag));
  return [...new Set([...asked, ...topics])].slice(0, MAX_FOCUS_AREAS);
}
