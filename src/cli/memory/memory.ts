// kodiai memory: lists, shows, moves and deletes memories.

import { createReadStream } from "node:fs";
import { UsageError } from "../../config/usage-error.ts";
import { type Evidence, isWriterAct } from "../../domain/memory/evidence.ts";
import { embeddedText } from "../../domain/memory/write-report.ts";
import { CORPORA, type Corpus, type MemoryRecord, type RepoKey, repoKey } from "../../domain/memory.ts";
import { ownScope } from "../../domain/retrieval.ts";
import { counted } from "../../domain/text/counted.ts";
import { lowInformation } from "../../domain/text/low-information.ts";
import { writeForeignFile } from "../../environment/write-file.ts";
import { nameOf } from "../../flows/memory/find-repository.ts";
import { backfillLanguages, exportMemory, type Imported, importMemory } from "../../flows/memory/memory-file.ts";
import { whyOutcome } from "../../flows/memory/why-outcome.ts";
import { heldEvidence } from "../../learn/learn.ts";
import type { EvidenceStore } from "../../ports/feedback.ts";
import { type MemoryVerbPorts, memoryVerbPorts } from "../../wire/cli/memory-ports.ts";
import { escapedJson, terminalText } from "../terminal-text.ts";
import { type ExitCode, noMore, oneOf, printed, type readWords, verb, wholeNumber, withPorts } from "../usage.ts";
import type { VERBS } from "../verbs.ts";
import { countsText, lessonsLine, lineOf, mostFirst, pageOf, whyPage } from "./memory-lines.ts";

/** @returns 0; 2 when an import had wrong lines, after the rest was stored @throws UsageError */
export const memory = verb("memory", 2, async (values, [verb = "", subject]) => {
  const run = ACTIONS.get(verb);
  if (run === undefined)
    throw new UsageError(
      "use `memory ls`, `show ID`, `why ID`, `stats`, `forget ID`, `export FILE`, `import FILE` or `backfill`",
    );
  return withPorts(memoryVerbPorts(values["data-dir"]), (ports) => run(subject, values, ports));
});

type MemoryWords = ReturnType<typeof readWords<typeof VERBS.memory.options>>["values"];

type Action = (subject: string | undefined, values: MemoryWords, ports: MemoryVerbPorts) => Promise<ExitCode>;

const ACTIONS: ReadonlyMap<string, Action> = new Map<string, Action>([
  ["import", importFile],
  ["export", exportFile],
  ["backfill", backfill],
  ["ls", list],
  ["show", show],
  ["why", why],
  ["stats", stats],
  ["forget", forget],
]);

async function importFile(file: string | undefined, values: MemoryWords, ports: MemoryVerbPorts): Promise<ExitCode> {
  if (file === undefined) throw new UsageError("name the file to import; - reads standard input");
  const { embedder, memory: store, redact } = ports;
  const into = values.repo === undefined ? {} : { into: await ports.repoOf(values.repo) };
  const rules = { remembering: { redact }, lowInformation, ...into };
  const done = await importMemory(readLines(file), rules, { embedder, memory: store });
  printed(values, done, () => importReport(file, done));
  return done.wrongLines > 0 ? 2 : 0;
}

/** Problems shown on a screen; `--json` has them all. */
const SHOWN = 20;

function importReport(file: string, imported: Imported): string {
  const { lines, remembered, problems, wrongLines, notRemembered, degraded } = imported;
  const { added, updated, unchanged, repeated, refused } = remembered;
  return [
    `${file}: ${counted(lines, "row")}: ${added} added, ${updated} updated, ${unchanged} unchanged, ${repeated} repeated, ` +
      `${notRemembered.length} not worth remembering, ${refused.length} refused, ${wrongLines} wrong; ${embeddedText(remembered)}`,
    ...problems.slice(0, SHOWN).map((problem) => `  line ${problem.line}: ${problem.reason}`),
    ...(wrongLines > SHOWN ? [`  and ${wrongLines - SHOWN} more`] : []),
    ...refused.slice(0, SHOWN).map(({ id, reason }) => `  ${id}: ${reason}`),
    ...degraded.filter(({ part }) => part !== "embedding").map(({ part, reason }) => `  ${part}: ${reason}`),
  ].join("\n");
}

async function exportFile(file: string | undefined, values: MemoryWords, ports: MemoryVerbPorts): Promise<ExitCode> {
  if (file === undefined) throw new UsageError("name the file to write; - writes to standard output");
  if (values.all === true && values.repo !== undefined) throw new UsageError("--all and --repo exclude each other");
  const corpora = corporaOf(values);
  const what = values.pairs === true ? "pairs" : "records";
  const repos = values.all === true ? await ports.labels.all() : [await ports.repoOf(values.repo)];
  const { memory: store, recall, embedder } = ports;
  let lines = 0;
  async function* text() {
    for (const repo of repos) {
      const wanted = { repo, corpora, what } as const;
      for await (const line of exportMemory(wanted, { memory: store, recall, space: embedder.space })) {
        lines += 1;
        yield `${line}\n`;
      }
    }
  }
  await writeText(file, text());
  // Standard output may be piped into another program.
  if (file === "-") return 0;
  const of = values.all === true ? counted(repos.length, "repository", "repositories") : repos.map(nameOf).join();
  return printed(values, { lines }, () => `${file}: ${counted(lines, what.slice(0, -1))} of ${of}`);
}

async function writeText(file: string, text: AsyncIterable<string>): Promise<void> {
  if (file === "-") {
    for await (const line of text) process.stdout.write(escapedJson(line));
    return;
  }
  // The file contains code and conversations of repositories that may be private.
  await writeForeignFile(file, text, { mode: 0o600, replaces: true });
}

async function backfill(subject: string | undefined, values: MemoryWords, ports: MemoryVerbPorts): Promise<ExitCode> {
  noMore([subject]);
  const repo = await ports.repoOf(values.repo);
  const done = await backfillLanguages(repo, ports, { redact: ports.redact });
  const byLanguage = mostFirst(done.byLanguage);
  return printed(values, { ...done, byLanguage: Object.fromEntries(byLanguage) }, () =>
    [
      `${nameOf(repo)}: ${counted(done.without, "memory", "memories")} without a language`,
      `  from their paths: ${countsText(byLanguage)}; still unknown: ${done.unknown}`,
      ...done.remembered.degraded.map(({ part, reason }) => `  ${part}: ${reason}`),
    ].join("\n"),
  );
}

async function forget(id: string | undefined, values: MemoryWords, ports: MemoryVerbPorts): Promise<ExitCode> {
  if (id === undefined) throw new UsageError("name the memory to forget: memory forget mem_0123456789ab");
  const repo = await ports.repoOf(values.repo);
  const forgotten = await ports.memory.forget(repoKey(repo), [id]);
  if (forgotten === 0) throw new UsageError(`${nameOf(repo)} has no memory ${JSON.stringify(id)}`);
  return printed(values, { forgotten }, () => `forgot ${terminalText(id)}`);
}

function corporaOf({ corpus }: MemoryWords): readonly Corpus[] {
  return corpus === undefined ? CORPORA : [oneOf("corpus", corpus, CORPORA)];
}

async function list(subject: string | undefined, values: MemoryWords, ports: MemoryVerbPorts): Promise<ExitCode> {
  noMore([subject]);
  const limit = wholeNumber("limit", values.limit ?? "50", 1);
  const corpora = corporaOf(values);
  const repo = await ports.repoOf(values.repo);
  const { memory: store, recall, embedder } = ports;
  const known = await Promise.all(corpora.map((corpus) => store.known(repoKey(repo), corpus, embedder.space, null)));
  const ids = known.flatMap((of) => [...of.values()].map(({ id }) => id));
  const records = await recall.records(ownScope(repo), ids.slice(0, limit));
  return printed(values, { total: ids.length, records }, () =>
    [
      ...records.map((record) => terminalText(lineOf(record))),
      `${records.length} of ${counted(ids.length, "memory", "memories")} of ${nameOf(repo)}`,
    ].join("\n"),
  );
}

async function show(id: string | undefined, values: MemoryWords, ports: MemoryVerbPorts): Promise<ExitCode> {
  const record = await recordOf("show", id, values, ports);
  return printed(values, { record }, () => terminalText(pageOf(record)));
}

async function why(id: string | undefined, values: MemoryWords, ports: MemoryVerbPorts): Promise<ExitCode> {
  const record = await recordOf("why", id, values, ports);
  const weighed = await whyOutcome(record, ports.evidence);
  return printed(values, { id, ...weighed }, () => terminalText(whyPage(record, weighed)));
}

/** @throws UsageError when the repository has no such memory */
async function recordOf(
  verb: string,
  id: string | undefined,
  { repo: word }: MemoryWords,
  { repoOf, recall }: MemoryVerbPorts,
): Promise<MemoryRecord> {
  if (id === undefined) throw new UsageError(`name the memory: memory ${verb} mem_0123456789ab`);
  const repo = await repoOf(word);
  const [record] = await recall.records(ownScope(repo), [id]);
  if (record === undefined) throw new UsageError(`${nameOf(repo)} has no memory ${JSON.stringify(id)}`);
  return record;
}

async function stats(_: string | undefined, values: MemoryWords, ports: MemoryVerbPorts): Promise<ExitCode> {
  const repo = await ports.repoOf(values.repo);
  const { total, ...by } = await ports.recall.counts(ownScope(repo));
  const fields = await ports.memory.fieldCounts(repoKey(repo));
  const acts = await heldActs(repoKey(repo), ports.evidence);
  const tables = Object.entries({ corpus: by.byCorpus, language: by.byLanguage, outcome: by.byOutcome });
  const json = {
    total,
    ...Object.fromEntries(tables.map(([name, counts]) => [name, Object.fromEntries(counts)])),
    lessons: { ...fields, without: Object.fromEntries(fields.without) },
    feedback: acts,
  };
  return printed(values, json, () =>
    [
      `${nameOf(repo)}: ${counted(total, "memory", "memories")}`,
      ...tables.map(([name, counts]) => `  by ${name}: ${countsText(mostFirst(counts))}`),
      `  ${lessonsLine(fields)}`,
      ...heldLines(acts).map((line) => `  ${line}`),
    ]
      .map(terminalText)
      .join("\n"),
  );
}

/**
 * Feedback that did not count, for the owner: held acts of each pull request, and acts by bots,
 * unknown accounts and people without write access. @throws Transient
 */
async function heldActs(repo: RepoKey, store: Pick<EvidenceStore, "pulls" | "evidence">) {
  const bursts: { pull: number; acts: number; reason: string }[] = [];
  const strangers: Evidence[] = [];
  for (const pull of await store.pulls(repo)) {
    const evidence = await store.evidence(repo, pull);
    const byReason = Map.groupBy(heldEvidence(evidence).values(), (reason) => reason);
    for (const [reason, acts] of byReason) bursts.push({ pull, acts: acts.length, reason });
    strangers.push(...evidence.filter((act) => act.by !== null && !isWriterAct(act)));
  }
  const accounts = new Set(strangers.map(({ by }) => by?.id)).size;
  return { bursts, weightless: { acts: strangers.length, accounts } };
}

function heldLines({
  bursts,
  weightless: { acts, accounts },
}: Awaited<ReturnType<typeof heldActs>>): readonly string[] {
  return [
    acts === 0
      ? "feedback: none from people without write access"
      : `feedback: ${counted(acts, "act")} of ${counted(accounts, "account")} without write access, without weight`,
    ...bursts.map(({ pull, acts: count, reason }) => `burst on #${pull}: ${counted(count, "act")}, ${reason}`),
  ];
}

/** A longer line is cut, so that no file can fill the memory; readers refuse one of this length. */
const MAX_LINE = 2_097_152;

/**
 * Lines of UTF-8 without their ends; `-` is standard input. Not node:readline, which also breaks at
 * U+2028, a valid character in JSON. @throws UsageError if unreadable
 */
export async function* readLines(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let held = "";
  try {
    for await (const chunk of file === "-" ? process.stdin : createReadStream(file)) {
      const lines = (held + decoder.decode(chunk as Uint8Array, { stream: true })).split("\n");
      held = lines.pop() ?? "";
      yield* lines.map((line) => line.replace(/\r$/, ""));
      if (held.length > MAX_LINE) held = held.slice(0, MAX_LINE);
    }
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause)) throw cause;
    throw new UsageError(`${file} cannot be read: ${cause.message}`);
  }
  held += decoder.decode();
  if (held !== "") yield held.replace(/\r$/, "");
}
