// Parses a pull request's title into tags, type, scope, breaking mark and subject. Total over all
// strings and linear in their length: every pattern is anchored or sticky, and bounded.
import { CommitParser } from "conventional-commits-parser";
import { INTENT_TYPES, type IntentType } from "../domain/signals.ts";
import { readTitleTags, type TitleTags } from "../domain/title-tags.ts";

export interface ParsedTitle extends TitleTags {
  readonly type: IntentType | null;
  readonly otherType: string | null;
  readonly scope: string | null;
  /** There is a `!` before the colon. */
  readonly breaking: boolean;
  readonly subject: string;
}

/** Type and scope are at the very beginning; the rest need not pass through the grammar. */
const HEAD_LENGTH = 300;
const GRAMMAR = new CommitParser({
  headerPattern:
    /^(?<type>[A-Za-z_][\w-]{0,39})(?<gap> ?)(?:\((?<scope>[^()]{0,100})\))?(?<bang>!?)(?<colon> ?[:：])(?<space>\s?)(?<rest>.*)$/s,
  headerCorrespondence: ["type", "gap", "scope", "bang", "colon", "space", "rest"],
  // One line has no footers, issues and fields to search for.
  noteKeywords: [],
  referenceActions: [],
  issuePrefixes: [],
  fieldPattern: undefined,
});

/**
 * The parts of a title. The eleven types are recognised in any case and with small slips
 * (`fix:typo`, `fix (ui): …`, `feat：…`); any other word counts as `otherType` only in the exact
 * form of the convention.
 */
export function parseTitle(title: string): ParsedTitle {
  const tags = readTitleTags(title);
  const plain = { type: null, otherType: null, scope: null, breaking: false, subject: tags.untagged };
  return { ...tags, ...(parseHead(tags.untagged) ?? plain) };
}

function parseHead(text: string): Omit<ParsedTitle, keyof TitleTags> | null {
  const head = text.slice(0, HEAD_LENGTH);
  if (head.trim() === "") return null;
  const { type: word, gap, scope, bang, colon, space, rest } = GRAMMAR.parse(head);
  if (!word) return null;
  const type = INTENT_TYPES.find((one) => one === word.toLowerCase()) ?? null;
  const asWritten = !gap && colon === ":" && Boolean(space);
  // `std::sort`, `docs://x`, `C:\x`: a colon alone is not the convention.
  if (type === null ? !asWritten : !space && /^[:/\\]/.test(rest ?? "")) return null;
  return {
    type,
    otherType: type === null ? word : null,
    scope: scope?.trim() || null,
    breaking: bang === "!",
    subject: text.slice(head.length - (rest ?? "").length).trim(),
  };
}
