// What a rule is: words for people, and one way to find its matches.
import type { FileLinks } from "../../domain/code/symbols.ts";
import type { Category, Severity, Suggestion } from "../../domain/finding.ts";
import type { Side } from "../../domain/pull-request.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { Symbols } from "../../ports/symbols.ts";
import type { InspectedFile } from "../../ports.ts";

/** A replacement within the text of a match: the matched node, or the line of a line rule. */
interface Fix {
  /** Linear patterns only. */
  readonly from: RegExp;
  /** As `String.replace` reads it. */
  readonly to: string;
}

/** An ast-grep rule object. */
export type Shape = Readonly<Record<string, unknown>>;

/** What every rule says about itself. */
export interface RuleText {
  /** kebab-case, unique, stable: people write it in `.kodiai.yml`. */
  readonly id: string;
  /** One line, no full stop: "SQL statement is built from strings". */
  readonly title: string;
  readonly severity: Severity;
  readonly category: Category;
  /** 0–1: how often a match is a defect worth a comment, estimated from the noise suite. */
  readonly confidence: number;
  /** Why it matters, one or two sentences. */
  readonly why: string;
  /** How to fix it, one or two sentences; may hold inline code. */
  readonly fix: string;
  /** Whether it speaks about tests and samples too: a leaked key matters there, a weak hash not. */
  readonly inTests?: boolean;
  /** Replacements of which the first that changes a match is offered as a suggestion. */
  readonly fixes?: readonly Fix[];
}

/** Lines of the head file, 1-based and inclusive. */
export interface Match {
  readonly startLine: number;
  readonly line: number;
  /** What was found, without secrets, for the title: "GitHub personal access token". */
  readonly detail?: string;
  readonly suggestion?: Suggestion;
}

/** Matches text of any language: added lines, hunks, or the head text where it is known. */
export interface LineRule extends RuleText {
  /** Matches may lie anywhere; the engine keeps those that touch added lines. */
  readonly check: (file: InspectedFile) => Iterable<Match> | Promise<Iterable<Match>>;
}

/** Matches syntax through ast-grep. */
export interface StructuralRule extends RuleText {
  /** True when the rule reads what surrounds a match, so that a hunk alone misleads it. */
  readonly wholeFile?: boolean;
  /**
   * What the text of a matched node always holds: ast-grep takes up to 2 ms for each run of a rule,
   * a word microseconds. Linear patterns only: literals and alternatives.
   */
  readonly onlyWith?: RegExp;
  /** What the file holds anywhere, and what it does not, in place of following data. */
  readonly onlyInFile?: RegExp;
  readonly notInFile?: RegExp;
  /** By canonical language id one rule object, or several of which any matches. */
  readonly match: Readonly<Record<string, Shape | readonly Shape[]>>;
}

/** Holds a change against the repository at its head. */
export interface RepositoryRule extends RuleText {
  /** Canonical language ids, or "any". */
  readonly languages: "any" | readonly string[];
  /** Calls `change.head` only where that decides something: it may have to be downloaded. */
  readonly look: (change: Change) => Promise<readonly Sighting[]>;
}

/** What a repository rule knows. */
export interface Change {
  readonly files: readonly ChangedFile[];
  readonly symbols: Symbols;
  /** The repository at the head; null where it cannot be read. */
  head(): Promise<Snapshot | null>;
  /** Says what a rule did not look at, for the summary. */
  leave(reason: string): void;
}

export interface ChangedFile extends InspectedFile {
  /** Where it was before the change. */
  readonly basePath: string;
  /** Its text there; null where it was not there, or is not known. */
  readonly baseText: string | null;
  /** Its links at base and head, read when first asked for; null where they are not known. */
  links(of: "base" | "head"): Promise<FileLinks | null>;
}

/** A line of a changed file, on one side. */
export interface Sighting {
  readonly file: ChangedFile;
  readonly side: Side;
  /** Null where no line of the diff names what it is about. */
  readonly line: number | null;
  readonly detail: string;
  /** Sentences that name the other places, Markdown. */
  readonly note: string;
}

export type Rule = LineRule | StructuralRule;

/** Rules of one theme: they are of its category, and major, where they say nothing else. */
export function rulesOf<R extends Rule>(
  category: Category,
  rules: readonly (Omit<R, "category" | "severity"> & Partial<R>)[],
) {
  return rules.map((rule) => ({ severity: "major", category, ...rule }) as R);
}
