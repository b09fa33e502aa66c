// What people can ask of Kodiai in a comment. One list makes the grammar, the help text, docs/commands.md and the rights.
import type { Repo } from "./job.ts";

/** How much a person may do in a repository, as GitHub says it: each includes what stands before it. */
export const ACCESS_LEVELS = ["none", "read", "triage", "write", "maintain", "admin"] as const;
export type AccessLevel = (typeof ACCESS_LEVELS)[number];

interface VerbEntry {
  readonly verb: string;
  /** The verb and what may follow it. */
  readonly usage: string;
  /** One sentence for the help text. */
  readonly says: string;
  /** Characters of the text behind the verb that count; 0 takes none. */
  readonly text: number;
  /** Who may say it. */
  readonly least: AccessLevel;
  /** Whether the author of the pull request may say it there, whatever their access. */
  readonly author: boolean;
  /** Whether it is answered on a closed pull request too. */
  readonly onClosed: boolean;
}

const FOCUS = 200;
const QUESTION = 2_000;
const REASON = 300;
const ID = 60;

/** In the order of the help text. */
export const VERBS = [
  {
    verb: "review",
    usage: "review [FOCUS]",
    says: "Review the pull request now; FOCUS (at most 200 characters) is what to look at.",
    text: FOCUS,
    least: "triage",
    author: true,
    onClosed: false,
  },
  {
    verb: "full review",
    usage: "full review",
    says: "Review all of the pull request again, including what was reviewed before. Of a head that was reviewed already, it takes write access.",
    text: 0,
    least: "triage",
    author: true,
    onClosed: false,
  },
  {
    verb: "summary",
    usage: "summary",
    says: "Say in short what the latest review found.",
    text: 0,
    least: "none",
    author: true,
    onClosed: true,
  },
  {
    verb: "explain",
    usage: "explain (or why)",
    says: "In the thread of a finding: why it was said, and what was said before about code like it.",
    text: QUESTION,
    least: "none",
    author: true,
    onClosed: true,
  },
  {
    verb: "ask",
    usage: "ask QUESTION",
    says: "Answer a question about the change. A mention without a verb asks too, and so does a reply in a thread of ours.",
    text: QUESTION,
    least: "triage",
    author: true,
    onClosed: false,
  },
  {
    verb: "stop",
    usage: "stop",
    says: "Stop the review that runs or waits.",
    text: 0,
    least: "triage",
    author: true,
    onClosed: false,
  },
  {
    verb: "pause",
    usage: "pause",
    says: "Do not review further pushes to this pull request by itself.",
    text: 0,
    least: "write",
    author: false,
    onClosed: false,
  },
  {
    verb: "resume",
    usage: "resume",
    says: "Review pushes by itself again.",
    text: 0,
    least: "write",
    author: false,
    onClosed: false,
  },
  {
    verb: "ignore",
    usage: "ignore [REASON]",
    says: "In the thread of a finding: do not say it again on this pull request; with write access and a REASON, nor the like of it on others. Security and critical findings take write access, and are said on others all the same.",
    text: REASON,
    least: "write",
    author: true,
    onClosed: false,
  },
  {
    verb: "resolve",
    usage: "resolve",
    says: "In a thread of ours: mark it as resolved.",
    text: 0,
    least: "write",
    author: false,
    onClosed: false,
  },
  {
    verb: "remember",
    usage: "remember TEXT",
    says: "Keep TEXT in memory for later reviews of this repository.",
    text: QUESTION,
    least: "write",
    author: false,
    onClosed: false,
  },
  {
    verb: "forget",
    usage: "forget [ID]",
    says: "Delete the memory with this id; in a thread without an id: all that was remembered from it.",
    text: ID,
    least: "write",
    author: false,
    onClosed: false,
  },
  {
    verb: "restore",
    usage: "restore [ID]",
    says: "Re-enable an ignored finding: by its id, in its thread, or everywhere by the memory (mem_…) under “held back”.",
    text: ID,
    least: "write",
    author: false,
    onClosed: false,
  },
  {
    verb: "memory",
    usage: "memory",
    says: "Say how much is remembered, by language and kind.",
    text: 0,
    least: "none",
    author: true,
    onClosed: true,
  },
  {
    verb: "config",
    usage: "config",
    says: "Show the configuration that is in effect.",
    text: 0,
    least: "none",
    author: true,
    onClosed: false,
  },
  {
    verb: "help",
    usage: "help",
    says: "Show this list.",
    text: 0,
    least: "none",
    author: true,
    onClosed: true,
  },
] as const satisfies readonly VerbEntry[];

export type Verb = (typeof VERBS)[number]["verb"];

/** Other words for a verb. */
export const SYNONYMS: ReadonlyMap<string, Verb> = new Map([
  ["why", "explain"],
  ["configuration", "config"],
]);

/** What a comment asks. */
export type Command =
  | { readonly kind: "verb"; readonly verb: Verb; readonly text: string }
  /** Addressed to us with a word that is none of ours. */
  | { readonly kind: "unknown"; readonly word: string; readonly nearest: Verb | null }
  /** A reply that does not name us: it is for us when the thread is ours. */
  | { readonly kind: "reply"; readonly text: string };

/** Where a comment stands: in the pull request's conversation, in a thread on the diff, or as the body of a review. */
export type CommentPlace = "conversation" | "thread" | "review";

/** A comment as its signed delivery told it. It is never read again: later edits change nothing. */
export interface AskingComment {
  readonly place: CommentPlace;
  readonly id: number;
  /** The first comment of the thread, or null outside threads. */
  readonly rootId: number | null;
  readonly url: string;
  /** When it was written: ISO 8601 with seconds, UTC, as GitHub writes it. */
  readonly at: string;
  readonly author: { readonly id: number; readonly login: string };
  /** Of a thread: the file and the hunk it stands on. */
  readonly path: string | null;
  readonly hunk: string | null;
}

/** Something to be done or answered for one comment. */
export interface CommandJob {
  readonly kind: "command";
  /** `HOST/REPO_ID#NUMBER!PLACE-COMMENT_ID`: it neither replaces a review nor is replaced by one. */
  readonly key: string;
  /** GitHub's X-GitHub-Delivery. */
  readonly delivery: string;
  readonly installationId: number;
  readonly repo: Repo;
  readonly number: number;
  /** Of the delivery; null where GitHub does not tell it (the conversation). */
  readonly headSha: string | null;
  readonly command: Command;
  readonly comment: AskingComment;
  readonly pull: {
    readonly title: string;
    readonly authorId: number;
    /** Title and description as they stood then (see askedWords); absent where the delivery does not tell. */
    readonly words?: string;
  };
}

/** What the table says about a verb. */
export function verbEntry(verb: Verb): VerbEntry {
  return VERBS.find((entry) => entry.verb === verb) ?? VERBS[0];
}

/**
 * Whether a person may say this verb.
 *
 * @param isAuthor whether they opened the pull request
 */
export function mayAsk(verb: Verb, level: AccessLevel, isAuthor: boolean): boolean {
  const { least, author } = verbEntry(verb);
  return hasAccess(level, least) || (author && isAuthor);
}

/** True when `level` includes `least`. */
export function hasAccess(level: AccessLevel, least: AccessLevel): boolean {
  return ACCESS_LEVELS.indexOf(level) >= ACCESS_LEVELS.indexOf(least);
}

/** All verbs as a Markdown list. */
export function verbList(): string {
  return VERBS.map(({ usage, says }) => `- \`/kodiai ${usage}\`: ${says}`).join("\n");
}

/** At the end of a job's outcome: `kodiai doctor` counts these. */
export const REACTION_REFUSED = "; GitHub refused the reaction";
