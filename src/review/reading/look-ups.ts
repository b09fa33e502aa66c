// The look-ups that a model may make in the repository before it answers. Its input is untrusted, and so is the text
// that it reads.

import { z } from "zod";
import type { HeadCode, MaskedLines } from "../../domain/change-context.ts";
import type { LookUps, LookUpTool } from "../../domain/model.ts";
import { counted } from "../../domain/text/counted.ts";
import { fence, revealLine } from "../../domain/text/untrusted-text.ts";
import { cutAtLine, shownLine } from "./draw-file.ts";

/** Replies of the model that may ask. */
const ROUNDS = 3;
/** Look-ups of one review, over all of its questions. */
export const MOST_LOOK_UPS = 12;
/** UTF-16 units of one answer: some 100 lines. All answers of a review are at most twelve times that. */
const ANSWER_CHARS = 5_000;
const MOST_LINES = 200;
const DEFINITIONS = { count: 4, lines: 60 };
const MOST_REFERENCES = 40;
const MOST_HITS = 30;
/** UTF-16 units: a shorter text is no name, a longer one no line of code. */
const SOUGHT = { least: 2, most: 200 };
/** Of all files that one search reads. */
const SEARCHED_BYTES = 64 * 1024 * 1024;

const NAME = z.object({ name: z.string().min(1).max(300) });
const READ = z.object({ path: z.string().min(1).max(1_000), from: z.int(), to: z.int() });
const SEARCH = z.object({ text: z.string().max(5_000) });

const string = (description: string) => ({ type: "string", description });
const line = (description: string) => ({ type: "integer", description });

function tool(name: string, description: string, properties: Readonly<Record<string, unknown>>): LookUpTool {
  const required = Object.keys(properties);
  return { name, description, jsonSchema: { type: "object", properties, required, additionalProperties: false } };
}

const TOOLS: readonly LookUpTool[] = [
  tool("definition", "The code that defines a function, type, method or constant, from the repository at the head.", {
    name: string("The bare name, without arguments."),
  }),
  tool("references", "The lines that use a name, from the repository at the head.", {
    name: string("The bare name, without arguments."),
  }),
  tool("read", `Lines of a file of the repository at the head, at most ${MOST_LINES}.`, {
    path: string("As the diff writes it, from the root of the repository."),
    from: line("The first line, from 1 on."),
    to: line("The last line."),
  }),
  tool("search", "The lines of the repository at the head that contain a text, letter by letter: no pattern.", {
    text: string(`${SOUGHT.least} to ${SOUGHT.most} characters of one line.`),
  }),
];

function numbered(lines: readonly string[], from: number, to: number): string {
  return lines
    .slice(from - 1, to)
    .map((text, at) => `${from + at}: ${shownLine(text).text}`)
    .join("\n");
}

/**
 * The look-ups of one question.
 *
 * @param lines of the files of the head
 * @param delimiter fences each answer
 * @param calls look-ups of this question
 * @param usd US$ that this question may cost with all of its rounds
 */
export function lookUpsIn(
  head: HeadCode,
  lines: MaskedLines,
  delimiter: string,
  { calls, usd }: Pick<LookUps, "calls" | "usd">,
): LookUps {
  const known = new Map<string, Promise<string>>();
  const answer = async (name: string, input: unknown) => {
    const found = await lookUp(name, input, head, lines);
    return typeof found === "string" ? found : fence("look-up", cutAtLine(found.text, ANSWER_CHARS), delimiter);
  };
  return {
    tools: TOOLS,
    rounds: ROUNDS,
    calls,
    usd,
    // A repeated look-up is answered once.
    answer: (name, input) => {
      const key = JSON.stringify([name, input]);
      const found = known.get(key) ?? answer(name, input);
      known.set(key, found);
      return found;
    },
  };
}

/** Text by others, or our own words when there is none. */
type Found = { readonly text: string } | string;

const MALFORMED = "The input does not fit the schema of this tool.";

async function lookUp(name: string, input: unknown, head: HeadCode, lines: MaskedLines): Promise<Found> {
  const [read, sought, named] = [READ.safeParse(input), SEARCH.safeParse(input), NAME.safeParse(input)];
  if (name === "read") return read.success ? readLines(read.data, head, lines) : MALFORMED;
  if (name === "search") return sought.success ? search(sought.data.text, head, lines) : MALFORMED;
  if (!named.success) return MALFORMED;
  const word = named.data.name.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu)?.at(-1);
  if (word === undefined) return "This is no name.";
  return name === "definition" ? definition(word, head, lines) : references(word, head, lines);
}

async function readLines(
  { path: asked, from, to }: z.infer<typeof READ>,
  { files }: HeadCode,
  lines: MaskedLines,
): Promise<Found> {
  const path = asked.replace(/^(?:\.\/)+/, "");
  // A changed file can be read although it is too large for the snapshot.
  const all = await lines(path);
  if (all === null) return files.has(path) ? NO_FILE : similar(path, files);
  const first = Math.max(1, from);
  const last = Math.min(all.length, to, first + MOST_LINES - 1);
  if (last < first) return `This file has ${counted(all.length, "line")}, and none in this range.`;
  return { text: `${revealLine(path)}, lines ${first} to ${last} of ${all.length}\n${numbered(all, first, last)}` };
}

const NO_FILE = "The repository has no text file of this path that can be read.";
const MOST_SIMILAR = 5;

/** Only paths of the repository are read; a wrong path gets the ones with the same name. */
function similar(path: string, files: HeadCode["files"]): Found {
  const name = path.split("/").at(-1) ?? "";
  if (name === "") return NO_FILE;
  const alike = [...files.keys()].filter((one) => one === name || one.endsWith(`/${name}`)).slice(0, MOST_SIMILAR);
  return alike.length === 0 ? NO_FILE : { text: `No such path. These end alike:\n${alike.map(revealLine).join("\n")}` };
}

async function definition(name: string, head: HeadCode, lines: MaskedLines): Promise<Found> {
  const definitions = (await head.named(name))?.definitions ?? [];
  if (definitions.length === 0) return "The repository does not define this name.";
  const shown: string[] = [];
  for (const { path, kind, startLine, endLine } of definitions.slice(0, DEFINITIONS.count)) {
    const all = (await lines(path)) ?? [];
    const last = Math.min(endLine, startLine + DEFINITIONS.lines - 1);
    shown.push(`### ${revealLine(path)}, ${kind}\n${numbered(all, startLine, last)}`);
  }
  const more = definitions.length - shown.length;
  return { text: [...shown, ...(more > 0 ? [`(and ${counted(more, "more definition")})`] : [])].join("\n\n") };
}

async function references(name: string, head: HeadCode, lines: MaskedLines): Promise<Found> {
  const { references: uses = [], unread = 0 } = (await head.named(name)) ?? {};
  if (uses.length === 0) return "No other line of the repository uses this name.";
  const shown: string[] = [];
  for (const { path, line: at } of uses.slice(0, MOST_REFERENCES))
    shown.push(hit(path, at, (await lines(path))?.[at - 1] ?? ""));
  const more = uses.length - shown.length;
  const rest = [
    ...(more > 0 ? [`(and ${counted(more, "more line")})`] : []),
    ...(unread > 0 ? [`(${counted(unread, "more file")} with this word: not searched)`] : []),
  ];
  return { text: [...shown, ...rest].join("\n") };
}

async function search(asked: string, head: HeadCode, lines: MaskedLines): Promise<Found> {
  const text = asked.trim();
  if (text.length < SOUGHT.least || text.length > SOUGHT.most || /[\r\n]/.test(text))
    return `Search for ${SOUGHT.least} to ${SOUGHT.most} characters of one line.`;
  const hits: string[] = [];
  let left = SEARCHED_BYTES;
  for (const [path, { bytes }] of head.files) {
    left -= bytes;
    if (left < 0) {
      hits.push("(the rest of the repository was not searched: it is too large)");
      break;
    }
    if ((await head.text(path))?.includes(text) !== true) continue;
    for (const [at, one] of ((await lines(path)) ?? []).entries())
      if (one.includes(text)) hits.push(hit(path, at + 1, one));
    if (hits.length > MOST_HITS) {
      hits.splice(MOST_HITS, hits.length, "(and more: search for something longer)");
      break;
    }
  }
  return hits.length === 0 ? "No line of the repository contains this text." : { text: hits.join("\n") };
}

function hit(path: string, at: number, text: string): string {
  return `${revealLine(path)}:${at}: ${shownLine(text.trim()).text}`;
}

const CITED = /([^\s:`'"*()<>[\],;]{1,300}):(\d{1,6})(?:[-–](\d{1,6}))?/g;
const MOST_CITED = 12;
/** Lines shown before and after the cited ones. */
const NEAR = 4;
const CITED_LINES = 40;

/** The lines that drafts cite as `path:line`, as far as they can be read, for the model that checks them. */
export async function citedLines(
  findings: readonly { readonly title: string; readonly body: string }[],
  lines: MaskedLines,
): Promise<string> {
  const said = findings.map(({ title, body }) => `${title}\n${body}`).join("\n");
  const places = new Map([...said.matchAll(CITED)].map((place) => [place[0], place]));
  const shown: string[] = [];
  for (const [, path = "", first, last = first] of [...places.values()].slice(0, MOST_CITED)) {
    const all = await lines(path);
    const from = Math.max(1, Number(first) - NEAR);
    const to = Math.min(Number(last) + NEAR, from + CITED_LINES);
    if (all === null || from > all.length) continue;
    shown.push(`### ${revealLine(path)}: cited by a finding\n${numbered(all, from, to)}`);
  }
  return shown.join("\n\n");
}
