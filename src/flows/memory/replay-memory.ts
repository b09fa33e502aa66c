// Replays a repository's history: each pull request searches memory as it was before its first
// comment, and the result is compared with what people said. Writes nothing, asks no model.

import { analyze } from "../../analyze/analyze.ts";
import { defaultKnowledge } from "../../config/knowledge.ts";
import {
  mostOf,
  placeboFor,
  REPLAY_TOP,
  type ReplayedPull,
  type ShownMemory,
  tallyArm,
} from "../../domain/figures/replay.ts";
import type { Repo } from "../../domain/job.ts";
import { NO_PULL, placeholderPullRequest } from "../../domain/memory/placeholder-pull-request.ts";
import { DELIMITER_CHARS, precedentEntries } from "../../domain/memory/precedent-section.ts";
import { isDeclined } from "../../domain/memory/read-reply.ts";
import { type MemoryRecord, repoKey } from "../../domain/memory.ts";
import type { Degraded } from "../../domain/omissions.ts";
import type { DiffLine, FileDiff, Hunk, PullRequestContext } from "../../domain/pull-request.ts";
import { ownScope } from "../../domain/retrieval.ts";
import { textVectors } from "../../domain/text/text-likeness.ts";
import type { Embedder, Recall } from "../../ports/memory.ts";
import { OF_THE_CHANGE, retrieve, UNAIDED } from "../../retrieve/retrieve.ts";
import { nameOf } from "./find-repository.ts";
import { type ExportPorts, recordsOf } from "./memory-file.ts";

interface ReplayPorts extends Omit<ExportPorts, "space"> {
  readonly embedder: Embedder;
  readonly repositories: () => Promise<readonly Repo[]>;
}

export type Replayed = Awaited<ReturnType<typeof replayMemory>>;

interface PastPull {
  readonly number: number;
  readonly comments: readonly MemoryRecord[];
  /** Epoch milliseconds of the first comment. */
  readonly at: number;
}

/** Languages of documentation, which do not count as a repository's language. */
const PROSE = new Set(["markdown", "restructuredtext", "asciidoc", "text", "mdx"]);
/** Characters per token, about. */
const TOKEN_CHARS = 4;
const DELIMITER = "=".repeat(DELIMITER_CHARS);
const NO_TALLY = tallyArm([], []);

/**
 * @param last most pull requests, the newest first
 * @throws Transient when memory cannot be read now
 */
export async function replayMemory(repo: Repo, last: number, ports: ReplayPorts) {
  const comments = await commentsOf(repo, ports);
  const pulls = pullsOf(comments);
  const candidates = await candidatesOf(await ports.repositories(), ports.recall);
  const own = candidates.find(({ key }) => key === repoKey(repo));
  const placebo = own === undefined ? null : placeboFor(own, candidates);
  // Word frequencies come from everything that is compared.
  const others = placebo === null ? [] : await commentsOf(placebo.repo, ports);
  const vectors = textVectors([...comments, ...others].map(({ text }) => text));
  const spent = { tokens: 0, usd: 0 };
  const degraded = new Map<string, Degraded>();
  const done: ReplayedPull[] = [];
  const leftOut: { pull: number; reason: string }[] = [];
  for (const pull of pulls.slice(-last)) {
    const people = pull.comments.filter(({ provenance }) => !provenance.authorIsBot);
    if (people.length === 0) leftOut.push({ pull: pull.number, reason: "no person commented on it" });
    else done.push(await replayed(pull, people));
  }
  return {
    /** Oldest first. */
    pulls: done,
    language: own?.language ?? mostOf([]),
    /** Whose memory replaced the own one; null when no other one has this main language. */
    placebo: placebo === null ? null : { repo: placebo.repo, memories: placebo.memories },
    /** Pull requests with comments in memory, and why some of them are not replayed. */
    known: pulls.length,
    leftOut,
    spent,
    degraded: [...degraded.values()],
  };

  async function replayed(pull: PastPull, people: readonly MemoryRecord[]): Promise<ReplayedPull> {
    const later = people.map(({ text }) => vectors(text));
    const ask = async (of: Repo, number: number) => {
      const context = pastChange(of, number, people);
      const settings = { ...OF_THE_CHANGE, knowledge: defaultKnowledge(), now: pull.at, before: pull.at };
      const searching = { ...UNAIDED, embedder: ports.embedder, recall: ports.recall };
      const found = await retrieve(context, analyze(context), searching, settings);
      for (const one of found.degraded) degraded.set(`${one.part} ${one.reason}`, one);
      spent.tokens += found.usage.tokens;
      spent.usd += found.usage.usd;
      const { maxContextChars: maxChars } = settings.knowledge.retrieval;
      const sent = precedentEntries(found.ranked, { maxChars, delimiter: DELIMITER, repo: nameOf(of) });
      const entries = found.ranked.slice(0, REPLAY_TOP).map(
        (memory, at): ShownMemory => ({
          vector: vectors(memory.record.text),
          isDeclined: isDeclined(memory.record),
          tokens: Math.ceil((sent[at]?.length ?? 0) / TOKEN_CHARS),
        }),
      );
      return tallyArm(entries, later);
    };
    return {
      pull: pull.number,
      language: mostOf(people.map(({ language }) => [language, 1])),
      comments: later.length,
      arms: {
        on: await ask(repo, pull.number),
        off: NO_TALLY,
        placebo: placebo === null ? NO_TALLY : await ask(placebo.repo, NO_PULL),
      },
    };
  }
}

async function commentsOf(repo: Repo, { memory, recall, embedder }: ReplayPorts): Promise<readonly MemoryRecord[]> {
  const ports = { memory, recall, space: embedder.space };
  return Array.fromAsync(recordsOf({ repo, corpora: ["review_comment"] }, ports));
}

function pullsOf(comments: readonly MemoryRecord[]): readonly PastPull[] {
  const pulls: PastPull[] = [];
  for (const [number, own] of Map.groupBy(comments, ({ provenance }) => provenance.pull)) {
    const at = Math.min(...own.map(({ provenance }) => provenance.at));
    if (number !== null) pulls.push({ number, comments: own, at });
  }
  return pulls.sort((a, b) => a.at - b.at || a.number - b.number);
}

function candidatesOf(repos: readonly Repo[], recall: Recall) {
  return Promise.all(
    repos.map(async (repo) => {
      const counts = await recall.counts(ownScope(repo));
      const memories = counts.byCorpus.get("review_comment") ?? 0;
      const languages = [...counts.byLanguage].filter(([language]) => !PROSE.has(language));
      return { repo, key: repoKey(repo), language: mostOf(languages), memories };
    }),
  );
}

const HEADER = /^@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@ ?(.{0,300})/;

/**
 * Reconstructs a past pull request from memory: the commented pieces of code. Without title and
 * other files, it asks memory less than the pull request itself did.
 *
 * @param number whose own memories are not searched; NO_PULL for another repository's
 * @param places the same one counts once. GitHub's `diff_hunk` ends at the comment; null when only
 *   the file is known
 */
export function pastChange(
  repo: Repo,
  number: number,
  places: readonly Pick<MemoryRecord, "path" | "hunk">[],
): PullRequestContext {
  const byPath = new Map<string, Map<string, Hunk>>();
  for (const { path, hunk } of places) {
    if (path === null) continue;
    const hunks = byPath.get(path) ?? new Map<string, Hunk>();
    if (hunk !== null) hunks.set(hunk, readHunk(hunk));
    byPath.set(path, hunks);
  }
  const files = [...byPath].map(([path, hunks]) => fileOf(path, withoutShorter(hunks)));
  return { ...placeholderPullRequest("", repo, number).context, files };
}

/** Two comments on one hunk have it twice, cut at different lines: the longer has the shorter. */
function withoutShorter(hunks: ReadonlyMap<string, Hunk>): readonly Hunk[] {
  const texts = [...hunks.keys()];
  return [...hunks].flatMap(([text, hunk]) =>
    texts.some((other) => other.length > text.length && other.startsWith(text)) ? [] : [hunk],
  );
}

function fileOf(path: string, hunks: readonly Hunk[]): FileDiff {
  const count = (kind: DiffLine["kind"]) =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.kind === kind).length, 0);
  return {
    path,
    previousPath: null,
    status: "modified",
    binary: false,
    oldMode: null,
    newMode: null,
    additions: count("added"),
    deletions: count("removed"),
    hunks,
    complete: false,
  };
}

/** The header counts the whole hunk, and only a part of it is here: lines are counted again. */
function readHunk(diff: string): Hunk {
  const [first = "", ...rest] = diff.split("\n");
  const header = HEADER.exec(first);
  const [oldStart, newStart] = [Number(header?.[1] ?? 1), Number(header?.[2] ?? 1)];
  let [oldLine, newLine] = [oldStart, newStart];
  const lines = (header === null ? [first, ...rest] : rest).flatMap((line): DiffLine[] => {
    const text = line.slice(1);
    if (line.startsWith("+")) return [{ kind: "added", oldLine: null, newLine: newLine++, text }];
    if (line.startsWith("-")) return [{ kind: "removed", oldLine: oldLine++, newLine: null, text }];
    // Others are no lines of a diff: the mark of a cut, "\ No newline at end of file".
    return line.startsWith(" ") ? [{ kind: "context", oldLine: oldLine++, newLine: newLine++, text }] : [];
  });
  return {
    oldStart,
    oldLines: oldLine - oldStart,
    newStart,
    newLines: newLine - newStart,
    section: header?.[3] ?? "",
    lines,
  };
}
