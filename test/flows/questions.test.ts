// What a question brings along: its thread, its file, the description of its change. The gate and
// the search use all of them.
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, expect, test } from "vitest";
import { loggedRetrieval, type RetrievalRow } from "../../src/store/reviews/retrievals.ts";
import { BACKUP } from "../app/change-builders.ts";
import { type FlowHarness, openFlow } from "../app/flow-harness.ts";
import { comment, remembering } from "../app/seed-memory.ts";

let harness: FlowHarness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

/** A reviewed pull request with one finding, in a repository that remembers `remembered`. */
async function play({ body = null as string | null, config = "", remembered = [] as readonly string[] } = {}) {
  const at = await openFlow({
    model: ({ system }) =>
      system.includes("You answer one question") ? { answer: "Yes." } : { findings: [], ruleFindings: [] },
  });
  harness = at;
  const { world } = at;
  world.person("wren", { permission: "write", association: "MEMBER" });
  const files = { "README.md": "# Shop\n", ...(config === "" ? {} : { ".kodiai.yml": config }) };
  const repository = await world.repository("acme", "shop", { files });
  const first = await world.pullRequest(repository, { title: "docs: begin", files: { "NOTES.md": "Begin.\n" } });
  await at.settled(first);
  for (const text of remembered) await world.comment(first, "wren", `/kodiai remember ${text}`);
  await at.answered();
  const change = { title: "feat: back up", body, files: { "ops/backup.py": BACKUP } };
  const pull = await world.pullRequest(repository, change);
  await at.settled(pull);
  const root = pull.comments[0]?.id ?? 0;
  const last = async () => {
    await at.answered();
    const db = new Database(join(at.dataDir, "queue.db"), { readonly: true });
    const rows = db.prepare("SELECT query, entry FROM retrievals").all() as RetrievalRow[];
    db.close();
    const found = rows.map(loggedRetrieval).findLast(({ origin }) => origin === "question");
    if (found === undefined) throw new Error("no question was logged");
    return found;
  };
  return {
    repository,
    inThread: (text: string) => world.reply(pull, "wren", root, `@kodiai ask ${text}`).then(last),
    inConversation: (text: string) => world.comment(pull, "wren", `@kodiai ask ${text}`).then(last),
  };
}

const REMEMBERED = ["Locks are released by the night job.", "The shelf of the archive is counted on Fridays."];

test("the gate knows the thread, the file and the description that a question stands in [001-02]", async () => {
  const { inThread, inConversation } = await play({ body: "Uses `NightJob` for the archive.", remembered: REMEMBERED });
  expect((await inThread("Is that alright?")).gate).toMatchObject({ retrieve: true, decidedBy: "asked-in-thread" });
  expect((await inConversation("Is that alright?")).gate).toMatchObject({ decidedBy: "named-around" });
  const general = "What is a closure in javascript?";
  expect((await inConversation(general)).gate).toMatchObject({ retrieve: false, decidedBy: "general-question" });
});

test("a vague question finds what its change is about [001-02]", async () => {
  const vague = "Is that alright?";
  const told = await play({ body: "The shelf of the archive is counted.", remembered: REMEMBERED });
  expect((await told.inConversation(vague)).ids).toHaveLength(1);
  await harness?.close();
  const untold = await play({ remembered: REMEMBERED });
  expect((await untold.inConversation(vague)).ids).toHaveLength(0);
});

test("a question about a fault searches for the changed files too, and no other question does [001-07]", async () => {
  const { inThread, inConversation } = await play({ remembered: ["The folder ops and its backup.py belong to Ines."] });
  const fault = await inConversation("Why does it hang?");
  expect(fault.gate.decidedBy).toBe("project-question");
  expect(fault.ids).toHaveLength(1);
  const other = await inConversation("Where does it begin?");
  expect(other.ids).toHaveLength(0);
  expect(fault.embedding.texts).toBe(other.embedding.texts + 1);
  expect((await inThread("Why does it hang?")).ids).toHaveLength(1);
});

test("skipPatterns and retrievePatterns read a question; retrievePatterns win [001-18]", async () => {
  const config = `knowledge: {retrieval: {gate: {skipPatterns: ["^status of"], retrievePatterns: ["urgent"]}}}\n`;
  const { inConversation } = await play({ config, remembered: REMEMBERED });
  const skipped = await inConversation("Status of the night job?");
  expect([skipped.searched, skipped.gate.decidedBy]).toEqual([false, "skip-pattern"]);
  const wanted = await inConversation("Status of the night job? It is urgent");
  expect([wanted.searched, wanted.gate.decidedBy]).toEqual([true, "retrieve-pattern"]);
});

test("each decision is timed, and a search knows what its memories take in a prompt [001-26]", async () => {
  const { inConversation } = await play({ remembered: REMEMBERED });
  const searched = await inConversation("Which locks are released by the night job?");
  expect(searched.gate).toMatchObject({ retrieve: true, ms: expect.any(Number) });
  expect(searched.promptTokens).toBeGreaterThan(5);
  const skipped = await inConversation("What is a closure in javascript?");
  expect(skipped.gate).toMatchObject({ retrieve: false, ms: expect.any(Number) });
  expect(skipped.promptTokens).toBe(0);
});

test("names are searched by words, wishes by their kind, small talk and book knowledge not at all [001-06][001-08][001-22][001-23][001-24][001-29]", async () => {
  const { inConversation } = await play({ remembered: REMEMBERED });
  const questions = {
    "What does `NightJob` promise about locks?": "named-in-question",
    "Who calls the ArchiveService here?": "named-in-question",
    "where do we count the shelf?": "project-question",
    "explain the locking here": "project-question",
    "list all callers of the parser": "project-question",
    "history of schema migrations": "ambiguous",
    "type guards for webhook payloads": "ambiguous",
    "is that alright?": "ambiguous",
    "12 * 4 = ?": "small-talk",
    "hello there": "small-talk",
    "let vs const?": "general-question",
  };
  for (const [text, decidedBy] of Object.entries(questions)) {
    const { gate, searched, promptTokens } = await inConversation(text);
    const isSkipped = decidedBy === "small-talk" || decidedBy === "general-question";
    expect([text, gate.decidedBy, searched, gate.retrieve]).toEqual([text, decidedBy, !isSkipped, !isSkipped]);
    expect(gate.confidence).toBeGreaterThanOrEqual(decidedBy === "ambiguous" ? 0.6 : 0.9);
    if (isSkipped) expect(promptTokens).toBe(0);
  }
});

test("a question in a thread prefers the language of its file, and one in the conversation none [004-02][004-10]", async () => {
  const { repository, inThread, inConversation } = await play();
  const said = (name: string, language: string) => {
    const text = `The shelf of the archive is counted on Fridays, as zq${name}zq found out.`;
    return comment(repository, name, { text, path: null, hunk: null, language });
  };
  const records = [said("python", "python"), said("unknown", ""), said("go", "go")];
  await remembering(harness as never, records);
  const question = "Is the shelf of the archive counted?";
  const boosts = ({ ids, scores }: Awaited<ReturnType<typeof inThread>>) => {
    const scoreOf = (at: number) => scores[ids.indexOf(records[at]?.id ?? "")] ?? Number.NaN;
    return [0, 2].map((at) => Math.exp(scoreOf(at) - scoreOf(1)));
  };
  expect(boosts(await inThread(question))).toEqual([expect.closeTo(1.25, 4), expect.closeTo(1, 4)]);
  expect(boosts(await inConversation(question))).toEqual([expect.closeTo(1, 4), expect.closeTo(1, 4)]);
});
