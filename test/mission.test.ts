// The mission in one play: a signed webhook comes in, and what the repository's reviewers said
// before about code like this reaches the model and the posted review. Probot, SQLite, sqlite-vec
// and both vendors' SDKs are real; GitHub, the embedding server and the model's server stand on
// loopback.
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, expect, test } from "vitest";
import { type MemoryRecord, memoryId, repoKey } from "../src/domain/memory.ts";
import { fnv1a } from "../src/domain/text/hash.ts";
import { openMemoryFile, reclaimFile } from "../src/store/memory/memory-file.ts";
import { storedMemory } from "../src/store/memory/stored-memory.ts";
import { loggedRetrieval, type RetrievalRow } from "../src/store/reviews/retrievals.ts";
import { type Harness, openHarness } from "./app/app-harness.ts";
import { aMemory } from "./builders/memory-record.ts";
import { says } from "./fakes/anthropic/replies.ts";
import { startAnthropic } from "./fakes/anthropic/server.ts";
import type { Pull, Repository } from "./fakes/github/conversation.ts";
import { json, type ScriptedServer, scriptedServer, status } from "./fakes/scripted-server.ts";

const KEY = "pa-0123456789abcdef0123456789abcdef";
const SPACE = { model: "voyage-code-3", dimension: 1024 };

/**
 * Unit length; the first number is the cosine to every query of this play, the rest points where
 * `direction` says.
 */
function vector(cosine: number, direction: number): Float32Array {
  const numbers = new Float32Array(SPACE.dimension);
  numbers[0] = cosine;
  numbers[direction] = Math.sqrt(1 - cosine * cosine);
  return numbers;
}

const SESSION_CPP = [
  "#include <mutex>",
  "",
  "class Session {",
  " public:",
  "  bool refresh(const Token& token) {",
  "    lock_.lock();",
  "    if (!token.valid()) return false;",
  "    token_ = token;",
  "    lock_.unlock();",
  "    return true;",
  "  }",
  "",
  " private:",
  "  std::mutex lock_;",
  "  Token token_;",
  "};",
];
const CHECK_PY = ["import session", "", "def check(token):", "    return session.refresh(token)"];

let harness: Harness | undefined;
let embeddings: ScriptedServer | undefined;
afterEach(async () => {
  await harness?.close();
  await embeddings?.close();
  harness = undefined;
  embeddings = undefined;
});

function remember(repository: Repository, name: string, over: Partial<MemoryRecord>, direction: number, owner = 77) {
  const repo = repoKey({ host: "github.com", id: repository.id });
  const record = aMemory({
    repo,
    repoName: `acme/${repository.name}`,
    ownerId: owner,
    visibility: "public",
    sourceId: name,
    // Words that no list of words knows: what is said weighs the same.
    text: `The lock stays held when the token is not valid (${direction === 2 ? "zaqwim" : "zoqwem"} time).`,
    severity: "major",
    category: "reliability",
    outcome: "accepted",
    provenance: { author: "mona", pull: 3, at: Date.UTC(2026, 5, 1) },
    ...over,
  });
  return { record, vector: vector(0.9, direction) };
}

interface Play {
  readonly harness: Harness;
  readonly pull: Pull;
  readonly ids: { readonly cpp: string; readonly python: string; readonly unsaid: string };
  readonly asked: () => readonly { readonly prompt: string; readonly system: string }[];
  readonly embedded: () => readonly Record<string, unknown>[];
}

async function play(embedding: "works" | "fails"): Promise<Play> {
  embeddings = await scriptedServer();
  const server = embeddings;
  server.script(
    embedding === "fails"
      ? status(500)
      : (response, request) => {
          const { input } = request.body as { input: readonly string[] };
          const data = input.map((_, index) => ({ object: "embedding", index, embedding: [...vector(1, 1)] }));
          json({ object: "list", data, model: SPACE.model, usage: { total_tokens: 60 } })(response, request);
        },
  );
  const anthropic = await startAnthropic({
    replies: (call) => {
      if (call.body.model === "claude-haiku-5-5") {
        const id = /\[(fnd_\w+)\]/.exec(call.prompt)?.[1] ?? "";
        return says({ findings: [{ id, verdict: "holds", severity: "major", confidence: 0.9, reason: "It is so." }] });
      }
      const anchorOf = (code: string) =>
        call.prompt
          .split("\n")
          .find((line) => line.endsWith(code))
          ?.split(":")[0] ?? null;
      return says({
        findings: [
          {
            path: "src/auth/session.cpp",
            anchor: anchorOf("if (!token.valid()) return false;"),
            endAnchor: anchorOf("lock_.unlock();"),
            quote: "    if (!token.valid()) return false;\n    token_ = token;\n    lock_.unlock();",
            severity: "major",
            category: "reliability",
            title: "The mutex stays locked when the token is not valid",
            body: "`refresh` returns before `unlock()`. The next caller waits forever. Use `std::lock_guard`.",
            true: 0.95,
            wanted: 1,
            suggestion: null,
            precedents: [/mem_\w{12}/.exec(call.prompt)?.[0] ?? ""],
          },
        ],
        ruleFindings: [],
        walkthrough: "Adds a session whose token can be refreshed.",
      });
    },
  });
  const opened = await openHarness({
    app: {
      embeddings: {
        kind: "voyage",
        apiKey: KEY,
        baseUrl: `${server.url}/v1`,
        model: SPACE.model,
        dimension: SPACE.dimension,
      },
      model: {
        apiKey: "sk-ant-0123456789abcdef",
        baseUrl: anthropic.url,
        names: { main: "claude-sonnet-5-5", small: "claude-haiku-5-5" },
        structuredOutput: "on",
        temperature: null,
        contextTokens: null,
      },
    },
  });
  harness = {
    ...opened,
    async close() {
      await opened.close();
      await anthropic.close();
    },
  };
  const { world } = opened;
  world.person("newcomer", { association: "FIRST_TIME_CONTRIBUTOR" });
  const config = "knowledge:\n  retrieval:\n    topK: 3\n";
  const repository = await world.repository("acme", "player", {
    files: { "README.md": "# Player\n", ".kodiai.yml": config },
  });
  const other = await world.repository("acme", "billing", { files: { "README.md": "# Billing\n" } });

  const remembered = (one: string) =>
    memoryId(repoKey({ host: "github.com", id: repository.id }), "review_comment", one);
  const url = "https://github.com/acme/player/pull/3#discussion_r31";
  const provenance = { url, author: "mona", authorIsBot: false, sha: null, pull: 3, at: Date.UTC(2026, 5, 1) };
  // Neither the order of arrival, nor the extension, nor the order of equals puts the C++ memory
  // before the Python one: only the factor of its language.
  const python = remember(repository, "python", { path: "src/lock.py", language: "python" }, 3);
  const isBehind = (id: string) => fnv1a(id) > fnv1a(python.record.id) && id > python.record.id;
  const name = Array.from({ length: 40 }, (_, at) => `cpp-${at}`).find((one) => isBehind(remembered(one)));
  const cpp = remember(repository, name ?? "", { path: "src/lock.cpp", language: "cpp", provenance }, 2);
  expect(isBehind(cpp.record.id)).toBe(true);
  // No word of it is a word of the change.
  const unsaid = remember(
    repository,
    "unsaid",
    { text: "walnut harbour violin meadow", language: "go", path: null },
    5,
  );
  const foreign = remember(other, "foreign", { text: "Another repository's secret plan", language: "cpp" }, 4);
  const db = await openMemoryFile(join(opened.dataDir, "memory.db"));
  await storedMemory(db, () => reclaimFile(db)).remember([python, foreign, unsaid], SPACE);
  await storedMemory(db, () => reclaimFile(db)).remember([cpp], SPACE);
  await db.close();

  const pull = await world.pullRequest(repository, {
    title: "fix(auth): refresh the session token",
    body: "The token expired while a film was playing.",
    author: "newcomer",
    files: { "src/auth/session.cpp": `${SESSION_CPP.join("\n")}\n`, "src/auth/check.py": `${CHECK_PY.join("\n")}\n` },
  });
  await opened.settled(pull);
  return {
    harness: opened,
    pull,
    ids: { cpp: cpp.record.id, python: python.record.id, unsaid: unsaid.record.id },
    asked: () => anthropic.requests,
    embedded: () => server.received.map(({ body }) => body),
  };
}

/** The lines that hold precedents in what the model's server received. */
function precedentLines(prompt: string): readonly string[] {
  return prompt.split("\n").filter((line) => line.startsWith("- mem_"));
}

test("what reviewers said before about code like this reaches the model and the posted review", async () => {
  const { harness: at, pull, ids, asked, embedded } = await play("works");

  const queries = embedded().filter(({ input_type }) => input_type === "query");
  expect(queries).toHaveLength(1);
  const [enriched, ...variants] = (queries[0]?.input ?? []) as readonly string[];
  expect(enriched?.split("\n")).toEqual([
    "fix(auth): refresh the session token",
    "The token expired while a film was playing.",
    "[fix]",
    "Languages: C++, Python",
    expect.stringMatching(/^Risk: touches authentication or authorization code/),
    "Author: first-time",
    "src/auth/session.cpp",
    "src/auth/check.py",
  ]);
  expect(new Set([enriched, ...variants]).size).toBe(1 + variants.length);

  const [question] = asked();
  const prompt = question?.prompt ?? "";
  const shown = precedentLines(prompt);
  expect(shown.map((line) => line.split(" ")[1])).toEqual([ids.cpp, ids.python, ids.unsaid]);
  expect(prompt).not.toContain("secret plan");
  const section = prompt.slice(prompt.indexOf("## What was said before"), prompt.indexOf("# The diff"));
  expect(section.trim().length).toBeLessThanOrEqual(2000);
  expect(prompt).toContain("Languages: C++ 80 %, Python 20 %");
  expect(prompt).toContain("Kind of change, says the title: fix");
  expect(prompt).toContain("Risk: touches authentication or authorization code");
  expect(prompt).toContain("The author is new to this repository");

  const { inline, summary } = at.world.comments(pull);
  expect(inline).toMatchObject([{ path: "src/auth/session.cpp", line: 9, startLine: 7 }]);
  expect(inline[0]?.body).toContain("**The mutex stays locked when the token is not valid**");
  expect(inline[0]?.body).toContain(
    "on [#3](https://github.com/acme/player/pull/3#discussion_r31) (2026-06-01, accepted)",
  );
  expect(summary[0]?.body).toContain("Adds a session whose token can be refreshed.");
  // Without vectors words would find the same.
  expect(summary[0]?.body).not.toContain("Incomplete");
  expect(shown).toEqual(Array(3).fill(expect.stringContaining("distance 0.1")));
  expect(summary[0]?.body).toMatch(/Cost: \d+ tokens in, \d+ out \(`claude-sonnet-5-5`\), USD 0\.\d{4}/);
  // Changes of which memory says nothing are not searched for, but for a sample: a twentieth, by
  // the head's SHA.
  for (const version of [1, 2, 3]) {
    const files = { "package-lock.json": `{ "lockfileVersion": ${version} }\n` };
    // A title of its own, since the vectors of a text are cached.
    const title = `chore: refresh the lock file of sprint ${version}`;
    const lock = await at.world.pullRequest(pull.repository, { title, files });
    await at.settled(lock);
  }
  expect(embedded().filter(({ input_type }) => input_type === "query").length).toBeLessThan(queries.length + 3);
  expect(at.world.violations).toEqual([]);
});

test("with the embedding server down the review is posted, and its footer says what is degraded", async () => {
  const { harness: at, pull, asked } = await play("fails");
  expect(at.world.comments(pull).inline).toMatchObject([{ path: "src/auth/session.cpp" }]);
  expect(at.world.comments(pull).summary[0]?.body).toMatch(/Incomplete, 1 reason[\s\S]*`embedding`/);
  expect(asked()[0]?.prompt).toContain("### FILE src/auth/session.cpp");
});

const LOCK_TS = [
  "export function refresh(lock: Lock, token: Token) {",
  "  lock.hold();",
  "  if (!token.valid) return;",
  "}",
];
/** The same words about the same line, remembered of files in these languages; and of none. */
const SAME: Readonly<Record<string, Partial<MemoryRecord>>> = {
  ts: { path: "lib/lock.ts", language: "TypeScript" },
  tsx: { path: "lib/lock.tsx", language: "TypeScript" },
  py: { path: "lib/lock.py", language: "Python" },
  md: { path: "lib/lock.md", language: "Markdown" },
  none: { path: null, language: "unknown" },
};
const NONCES = ["zaqwim", "zoqwem", "zuqwom", "zeqwam", "ziqwum"];

test("a memory in the language of the change gains its boost once, and none loses by its language or extension [004-02][004-12]", async () => {
  embeddings = await scriptedServer();
  embeddings.script((response, request) => {
    const { input } = request.body as { input: readonly string[] };
    const data = input.map((_, index) => ({ object: "embedding", index, embedding: [...vector(1, 1)] }));
    json({ object: "list", data, model: SPACE.model, usage: { total_tokens: 60 } })(response, request);
  });
  const space = { model: SPACE.model, dimension: SPACE.dimension };
  harness = await openHarness({
    app: { embeddings: { kind: "voyage", apiKey: KEY, baseUrl: `${embeddings.url}/v1`, ...space } },
  });
  const { world, dataDir } = harness;
  const config = "knowledge: {retrieval: {topK: 20, maxContextChars: 5000}}\n";
  const repository = await world.repository("acme", "player", { files: { ".kodiai.yml": config } });
  const hunk = LOCK_TS.map((line) => `+${line}`).join("\n");
  const same = Object.entries(SAME).map(([name, where], at) => {
    const text = `The lock stays held when the token is not valid (${NONCES[at]} time).`;
    const { record } = remember(repository, name, { text, hunk, ...where }, 2 + at);
    return { record, vector: vector(0.71, 2 + at) };
  });
  // Over the threshold of .3, and under it times the factor of its language; no word of it is a
  // word of the change.
  const far = remember(repository, "far", { text: "walnut harbour violin meadow", language: "TypeScript" }, 9);
  const db = await openMemoryFile(join(dataDir, "memory.db"));
  const all = [...same, { ...far, vector: vector(0.69, 9) }];
  await storedMemory(db, () => reclaimFile(db)).remember(all, SPACE);
  await db.close();

  const files = { "src/auth/session.ts": `${LOCK_TS.join("\n")}\n` };
  const pull = await world.pullRequest(repository, { title: "fix(auth): refresh the session token", files });
  await harness.settled(pull);
  const rows = new Database(join(dataDir, "queue.db"), { readonly: true });
  const [found] = (rows.prepare("SELECT query, entry FROM retrievals").all() as RetrievalRow[]).map(loggedRetrieval);
  rows.close();
  const scoreOf = (at: number) => found?.scores[found.ids.indexOf(same[at]?.record.id ?? "")] ?? Number.NaN;
  const gains = Object.keys(SAME).map((_, at) => scoreOf(at) - scoreOf(4));
  const boost = Math.log(1.25);
  for (const [at, gain] of [boost, boost, 0, 0, 0].entries()) expect(gains[at]).toBeCloseTo(gain, 6);
  expect(found?.ids).not.toContain(far.record.id);
  expect(found?.ids).toHaveLength(same.length);
});
