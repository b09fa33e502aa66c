// Tags as a model wrote them: 3 to 5 of 2 to 4 words each, or none at all.
import { cutText, oneLine } from "../domain/cut-text.ts";
import type { FieldProblem } from "./situation-problems.ts";

const TAGS = { least: 3, most: 5 } as const;
const WORDS = { least: 2, most: 4 } as const;
/** Four long words. */
const MAX_CHARS = 80;
/** More is no list of tags, whatever it is. */
const MAX_READ = 50;

/**
 * @param value a JSON array of texts, or a text that holds one; anything else is `not-a-list`. Never throws
 * @returns the tags in lower case, each once; [] with every rule they break: `not-a-list`, `too-few`, `too-many`,
 *   `words-of-a-tag`
 */
export function readTags(value: unknown): {
  readonly tags: readonly string[];
  readonly problems: readonly FieldProblem[];
} {
  const list = listOf(value);
  if (list === null)
    return { tags: [], problems: [{ name: "not-a-list", told: "the tags are no JSON array of texts" }] };
  const tags = [...new Set(list.map((tag) => oneLine(tag).toLowerCase()).filter((tag) => tag !== ""))];
  const odd = tags.find((tag) => tag.length > MAX_CHARS || !isOfWords(tag));
  const problems: (FieldProblem | false)[] = [
    tags.length < TAGS.least && {
      name: "too-few",
      told: `${tags.length} different tags, and ${TAGS.least} are the least`,
    },
    tags.length > TAGS.most && { name: "too-many", told: `${tags.length} tags, and ${TAGS.most} are the most` },
    odd !== undefined && {
      name: "words-of-a-tag",
      told: `each tag has ${WORDS.least} to ${WORDS.most} words, and this one has not: ${cutText(odd, MAX_CHARS)}`,
    },
  ];
  const broken = problems.filter((problem) => problem !== false);
  return { tags: broken.length > 0 ? [] : tags, problems: broken };
}

function listOf(value: unknown): readonly string[] | null {
  const list = typeof value === "string" ? parsed(value) : value;
  if (!Array.isArray(list) || list.length > MAX_READ) return null;
  return list.every((tag) => typeof tag === "string" && tag.length <= 1_000) ? list : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isOfWords(tag: string): boolean {
  const count = tag.split(" ").length;
  return count >= WORDS.least && count <= WORDS.most;
}
