// Reads search queries out of whatever a model wrote: JSON of any build, else what stands in quotes, else a list of lines.
import { cutText, oneLine } from "../domain/cut-text.ts";

/** Queries of one reply. */
const MOST = 20;
/** Of a query; 50 words are about 350. */
const QUERY_CHARS = 500;
/** Fewer words are a heading, a key or a name. */
const LEAST_WORDS = 3;
/** Of a reply in words: anything shorter is prose about queries. */
const LEAST_LINE_WORDS = 5;
const REPLY_READ = 20_000;
/** Of objects in lists in objects. */
const DEEPEST = 6;

/** The queries of a reply in text, at most 20, each once; none where it holds none. Never throws. */
export function readQueries(reply: string): readonly string[] {
  const text = reply.slice(0, REPLY_READ);
  const ways = [() => queriesIn(parsed(text)), () => cleaned(quoted(text)), () => listed(text)];
  for (const way of ways) {
    const queries = way();
    if (queries.length > 0) return queries;
  }
  return [];
}

/** The texts of a value, wherever in it they stand, that can be queries. */
export function queriesIn(value: unknown): readonly string[] {
  const found: string[] = [];
  const walk = (one: unknown, depth: number): void => {
    if (depth > DEEPEST || found.length > 10 * MOST) return;
    if (typeof one === "string") found.push(one);
    else if (typeof one === "object" && one !== null) for (const part of Object.values(one)) walk(part, depth + 1);
  };
  if (typeof value === "object") walk(value, 0);
  return cleaned(found);
}

function parsed(text: string): unknown {
  const start = text.search(/[{[]/);
  const end = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]"));
  if (start === -1 || end <= start) return null;
  try {
    return JSON.parse(text.slice(start, end + 1));
  } catch {
    return null;
  }
}

function quoted(text: string): readonly string[] {
  return [...text.matchAll(/"([^"\n]{1,1000})"|“([^”\n]{1,1000})”/g)].map(
    ([, straight, curly]) => straight ?? curly ?? "",
  );
}

/** A single line is no list but something else said. */
function listed(text: string): readonly string[] {
  const lines = text
    .split(/\r?\n|\r/)
    .map((line) => line.replace(/^[\s>*•-]{0,20}(?:\d{1,3}[.):]\s{0,9})?/, ""))
    .filter((line) => !/[:{}[\]<>=;]\s*$/.test(line) && wordsOf(line) >= LEAST_LINE_WORDS);
  return lines.length < 2 ? [] : cleaned(lines);
}

function cleaned(texts: readonly string[]): readonly string[] {
  const queries = texts
    .map((text) => cutText(oneLine(cutText(text, 4 * QUERY_CHARS)).toWellFormed(), QUERY_CHARS).trim())
    .filter((text) => wordsOf(text) >= LEAST_WORDS);
  return [...new Set(queries)].slice(0, MOST);
}

function wordsOf(text: string): number {
  return text.match(/\p{L}{2,}/gu)?.length ?? 0;
}
