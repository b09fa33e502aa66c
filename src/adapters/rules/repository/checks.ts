// A check that a change removes: of who asks, of what a value may be, of how much is read.
import { cutText } from "../../../domain/text/cut-text.ts";
import { knownLines, linesOfKind } from "../known-lines.ts";
import type { Change, ChangedFile, RepositoryRule, Sighting } from "../rule.ts";

const CONDITION = /^\s*(?:\}\s*else\s+)?(?:if|elif|elsif|unless|guard)\b(.{3,300})/;
/** Who asks, what is allowed, what stays within bounds. A fixed number is a policy, no bound. */
const PROTECTS =
  /auth(?!or)|permission|forbidden|csrf|signature|trusted|sanitiz|allowed|whitelist|allowlist|is_?safe|is_?valid|valid(?:ate)?\w*\(|fullmatch|\.match\(|starts_?with|HasPrefix|IsLocal|is_relative_to|__proto__|hasOwn|(?:len|length|size|limit|remaining|count|payload)\w*(?:\(\w+\))?\s*[<>](?!=?\s*[1-9])|[<>]=?\s*[\w.>-]*(?:len|length|size|limit|remaining)\b/i;
/** What a check does when it fails. */
const LEAVES =
  /\b(?:return|raise|throw|abort|die|exit|goto|panic|continue|deny|reject|halt|head)\b|\b(?:fail|error|disconnect|send_failure)\w*\(/i;
/** Lines below a condition in which it leaves. */
const NEAR = 3;

async function look({ files }: Change): Promise<readonly Sighting[]> {
  const lines = files.flatMap(({ diff }) => linesOfKind(diff, "added")).map(({ text }) => text);
  const added: Added = {
    lines: new Set(lines),
    names: new Set(lines.flatMap(namesIn)),
    conditionNames: new Set(lines.filter((line) => CONDITION.test(line)).flatMap(namesIn)),
  };
  return files.filter(({ diff }) => diff.status === "modified").flatMap((file) => removedIn(file, added));
}

interface Added {
  readonly lines: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  /** Names in conditions. */
  readonly conditionNames: ReadonlySet<string>;
}

/** A check whose names are added nowhere was not moved or written in another way. */
function removedIn(file: ChangedFile, added: Added): readonly Sighting[] {
  const present = new Set(knownLines(file).flatMap(({ text }) => namesIn(text)));
  const removed = linesOfKind(file.diff, "removed");
  return removed.flatMap(({ text, oldLine }, at): Sighting[] => {
    const condition = CONDITION.exec(text)?.[1] ?? "";
    const hit = PROTECTS.exec(condition)?.[0];
    const block = removed.slice(at, at + NEAR + 1).filter((line) => (line.oldLine ?? 0) - (oldLine ?? 0) <= NEAR);
    if (hit === undefined || !block.some((line) => LEAVES.test(line.text))) return [];
    // Lines around use it no more: a feature was removed with its check.
    const uses = namesIn(condition);
    const stays = uses.some((name) => present.has(name));
    if (!stays || added.lines.has(text) || uses.every((name) => added.names.has(name))) return [];
    if (uses.some((name) => added.conditionNames.has(name))) return [];
    const words = condition
      .replace(/[`\s]+/g, " ")
      .replace(/ ?[:{] ?$/, "")
      .trim();
    const detail = cutText(words, 80);
    return [{ file, side: "LEFT", line: oldLine, detail, note: "No added line has a condition on the same names." }];
  });
}

/** Names of a line that say something: no keywords, and no short ones. */
function namesIn(text: string): readonly string[] {
  const words = text.match(/[A-Za-z_]\w{2,60}/g) ?? [];
  return words.filter(
    (word) =>
      !/^(?:not|and|self|this|None|null|true|false|else|elif|elsif|return|unless|raise|throw|isinstance)$/i.test(word),
  );
}

export const checkRemoved: RepositoryRule = {
  id: "check-removed",
  title: "A check is removed and nothing takes its place",
  severity: "medium",
  category: "security",
  confidence: 0.6,
  why: "What it refused (a request without rights, a value that is not allowed, a length beyond the data) now goes through.",
  fix: "Keep the check, or say in the description where it is made now.",
  languages: "any",
  look,
};
