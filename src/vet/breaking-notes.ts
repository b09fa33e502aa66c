// Which lines of release notes announce a breaking change: those under a heading that says so, and lines that say so themselves.
import { cutText } from "../domain/text/cut-text.ts";
import { plainLines } from "./plain-lines.ts";

const MAX_LINES = 8;
const LONGEST = 300;

const HEADING = /^(#{1,6})\s{1,9}(\S.{0,300})$/;
const BOLD_HEADING = /^(?:\*\*|__)([^*_].{0,200}?)(?:\*\*|__):?\s{0,9}$/;
const BREAKS =
  /\b(?:breaking|incompatib\w{1,10}|migrati(?:on|ng)|upgrad(?:e|ing) (?:guide|notes|instructions)|backwards?[- ]incompatible)\b/i;
const SAYS_SO =
  /\bBREAKING(?:[ -]CHANGES?)?\b|^(?:\*\*|__)?[Bb]reaking(?: changes?)?(?:\*\*|__)?\s{0,3}[:!-]|^[a-z]{2,12}(?:\([^)]{0,60}\))?!:/;
const DENIES = /\b(?:no|non|without(?: any)?|not|zero)[- ](?:\w{1,20} )?breaking\b|^(?:none|n\/a|nothing)\.?$/i;
/** Words to the reviewer, which say nothing about the package. */
const TO_REVIEWERS =
  /\b(?:safe|ok|okay|fine|good|ready) to (?:be )?(?:merged?|ship(?:ped)?|approved?|go)\b|\blgtm\b|\b(?:ignore|disregard) (?:all |any |the |your )?(?:previous|above|prior|other|earlier)\b/i;

/** At most 8 lines of at most 300 units each, in the order of the notes, without list marks, tags and images. */
export function breakingLines(notes: string): readonly string[] {
  const found: string[] = [];
  let section: number | null = null;
  for (const line of plainLines(notes, "kept")) {
    const heading = headingOf(line);
    if (heading !== null) section = sectionAfter(heading, section);
    else if (announces(bare(line), section !== null)) found.push(bare(line));
    if (found.length === MAX_LINES) break;
  }
  return found;
}

interface Heading {
  readonly level: number;
  readonly text: string;
}

/** The level of the breaking section that is open below this heading, or null. */
function sectionAfter({ level, text }: Heading, open: number | null): number | null {
  if (BREAKS.test(text) && !DENIES.test(text)) return Math.min(open ?? level, level);
  return open !== null && level <= open ? null : open;
}

function announces(text: string, inSection: boolean): boolean {
  return text !== "" && (inSection || SAYS_SO.test(text)) && !DENIES.test(text) && !TO_REVIEWERS.test(text);
}

function headingOf(line: string): Heading | null {
  const marked = HEADING.exec(line);
  if (marked !== null) return { level: marked[1]?.length ?? 1, text: marked[2] ?? "" };
  const bold = BOLD_HEADING.exec(line.trim());
  return bold === null ? null : { level: 7, text: bold[1] ?? "" };
}

function bare(line: string): string {
  const shown = line
    .replace(/!\[[^\]]{0,300}\]\([^)]{0,1000}\)/g, "")
    .replace(/<[^<>]{0,300}>/g, "")
    .replace(/^[\s>]{0,40}(?:[-*+]|\d{1,3}[.)])\s{1,9}/, "")
    .replace(/\s+/g, " ")
    .trim();
  return cutText(shown, LONGEST).toWellFormed();
}

const NAME_IN_CODE = /`([^`\n]{2,80})`/g;
const NAME = /[A-Za-z_$][\w$]{2,60}/g;
const MAX_NAMES = 40;

/** Names that the lines write as code: `createServer()` gives createServer, `app.del` gives del; commands give none. */
export function brokenNames(lines: readonly string[]): readonly string[] {
  const names = lines.flatMap((line) =>
    [...line.matchAll(NAME_IN_CODE)].flatMap(([, code = ""]) => {
      const [called = ""] = code.split("(");
      return /\s/.test(called) ? [] : ([...called.matchAll(NAME)].at(-1)?.[0] ?? []);
    }),
  );
  return [...new Set(names)].slice(0, MAX_NAMES);
}
