// The commands that people can give in a comment. The grammar, the help text, docs/commands.md and
// the permission checks all come from one list.
import type { Repo } from "./job.ts";

/** A permission in a repository, in GitHub's terms: each level includes those before it. */
export const ACCESS_LEVELS = ["none", "read", "triage", "write", "maintain", "admin"] as const;
export type AccessLevel = (typeof ACCESS_LEVELS)[number];

interface VerbGrammar {
  /** The verb and its arguments. */
  readonly usage: string;
  /** One sentence for the help text. */
  readonly says: string;
  /** Characters of the argument that are read; 0, which is the default, takes no argument. */
  readonly text?: number;
  /** The access level that the verb needs. */
  readonly least: AccessLevel;
  /** Whether the author of the pull request may use it there without that level; default false. */
  readonly author?: boolean;
  /** Whether it also works on a closed pull request; default false. */
  readonly onClosed?: boolean;
}

const FOCUS = 200;
const QUESTION = 2_000;
const REASON = 300;
const ID = 60;

/** In the order of the help text. */
const GRAMMAR = {
  review: {
    usage: "review [FOCUS]",
    says: "Review the pull request now; FOCUS (at most 200 characters) names what to look at.",
    text: FOCUS,
    least: "triage",
    author: true,
  },
  "full review": {
    usage: "full review",
    says: "Review all of the pull request again. A head that was reviewed already needs write access.",
    least: "triage",
    author: true,
  },
  summary: { usage: "summary", says: "Summarise the latest review.", least: "none", author: true, onClosed: true },
  explain: {
    usage: "explain (or why)",
    says: "Why the pull request is reviewed, or is not; in the thread of a finding why it was reported.",
    text: QUESTION,
    least: "none",
    author: true,
    onClosed: true,
  },
  ask: {
    usage: "ask QUESTION",
    says: "Answer a question about the change. A mention without a verb, or a reply in Kodiai's thread, asks too.",
    text: QUESTION,
    least: "triage",
    author: true,
  },
  stop: { usage: "stop", says: "Stop the running or queued review.", least: "triage", author: true },
  pause: { usage: "pause", says: "Stop reviewing pushes to this pull request automatically.", least: "write" },
  resume: {
    usage: "resume",
    says: "Review pushes automatically again, and what was pushed meanwhile.",
    least: "write",
  },
  ignore: {
    usage: "ignore [REASON]",
    says: "In the thread of a finding: do not report it again here, and with a REASON no similar ones elsewhere, except security and critical ones. An author without write access can only ask, and not for those: the finding stays, and counts for the check.",
    text: REASON,
    least: "write",
    author: true,
  },
  resolve: { usage: "resolve", says: "In a thread that Kodiai started: mark it as resolved.", least: "write" },
  remember: {
    usage: "remember TEXT",
    says: "Keep TEXT in memory for later reviews of this repository.",
    text: QUESTION,
    least: "write",
  },
  forget: {
    usage: "forget [ID]",
    says: "Delete the memory with this id; in a thread without an id: everything remembered from it.",
    text: ID,
    least: "write",
  },
  restore: {
    usage: "restore [ID]",
    says: "Re-enable an ignored finding: by its id, in its thread, or everywhere by the memory (mem_…) under “held back”.",
    text: ID,
    least: "write",
  },
  memory: {
    usage: "memory",
    says: "Show how much is remembered, by language and kind.",
    least: "none",
    author: true,
    onClosed: true,
  },
  config: { usage: "config", says: "Show the configuration that is in effect.", least: "none", author: true },
  help: { usage: "help", says: "Show this list.", least: "none", author: true, onClosed: true },
} as const satisfies Readonly<Record<string, VerbGrammar>>;

export type Verb = keyof typeof GRAMMAR;

interface VerbEntry extends Required<VerbGrammar> {
  readonly verb: Verb;
}

const ENTRIES = Object.fromEntries(
  Object.entries(GRAMMAR).map(([verb, entry]) => [verb, { verb, text: 0, author: false, onClosed: false, ...entry }]),
) as Readonly<Record<Verb, VerbEntry>>;

export const VERBS: readonly VerbEntry[] = Object.values(ENTRIES);

/** Aliases of verbs. */
export const SYNONYMS: ReadonlyMap<string, Verb> = new Map([
  ["why", "explain"],
  ["configuration", "config"],
]);

/** What a comment asks for. */
export type Command =
  | { readonly kind: "verb"; readonly verb: Verb; readonly text: string }
  /** Addressed to us with an unknown word. */
  | { readonly kind: "unknown"; readonly word: string; readonly nearest: Verb | null }
  /** A reply that does not name us: it is for us when we started the thread. */
  | { readonly kind: "reply"; readonly text: string };

/** Where a comment is: in the conversation, in a thread on the diff, or the body of a review. */
export type CommentPlace = "conversation" | "thread" | "review";

/** A comment as in its signed delivery. It is never read again, so later edits change nothing. */
export interface AskingComment {
  readonly place: CommentPlace;
  readonly id: number;
  /** The first comment of the thread, or null outside threads. */
  readonly rootId: number | null;
  readonly url: string;
  /** ISO 8601 with seconds, UTC, as GitHub writes it. */
  readonly at: string;
  /** `association` is GitHub's word for them: a hint, no permission; absent if not delivered. */
  readonly author: { readonly id: number; readonly login: string; readonly association?: string };
  /** For a thread: its file and hunk. */
  readonly path: string | null;
  readonly hunk: string | null;
}

/** A request made in one comment. */
export interface CommandJob {
  readonly kind: "command";
  /** `HOST/REPO_ID#NUMBER!PLACE-COMMENT_ID`: no review replaces it, and it replaces none. */
  readonly key: string;
  /** GitHub's X-GitHub-Delivery. */
  readonly delivery: string;
  readonly installationId: number;
  readonly repo: Repo;
  readonly number: number;
  /** From the delivery; null when GitHub does not send it (in the conversation). */
  readonly headSha: string | null;
  readonly command: Command;
  readonly comment: AskingComment;
  readonly pull: {
    readonly title: string;
    /** The start of its description at that time; "" when the delivery lacks it. */
    readonly description: string;
    readonly authorId: number;
    /** See titleFingerprint; null when the delivery lacks title and description. */
    readonly words: string | null;
  };
}

/** The entry of a verb. */
export function verbEntry(verb: Verb): VerbEntry {
  return ENTRIES[verb];
}

/**
 * Whether a person may use this verb.
 *
 * @param isAuthor whether they opened the pull request
 */
export function mayAsk(verb: Verb, level: AccessLevel, isAuthor: boolean): boolean {
  const { least, author } = verbEntry(verb);
  return hasAccess(level, least) || (author && isAuthor);
}

/** What GitHub calls people with some access, as `author_association`: a hint, no permission. */
export const NEAR: ReadonlySet<string | undefined> = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);

/** True when `level` includes `least`. */
export function hasAccess(level: AccessLevel, least: AccessLevel): boolean {
  return ACCESS_LEVELS.indexOf(level) >= ACCESS_LEVELS.indexOf(least);
}

/** All verbs as a Markdown list. */
export function verbList(): string {
  return VERBS.map(({ usage, says }) => `- \`/kodiai ${usage}\`: ${says}`).join("\n");
}
