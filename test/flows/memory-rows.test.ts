// Rows of memory from a webhook to the prompt and the log of retrievals, with the keyless embedder
// and whatever .kodiai.yml says.
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Transient } from "../../src/domain/errors.ts";
import type { MemoryRecord } from "../../src/domain/memory.ts";
import { loggedRetrieval, type RetrievalRow } from "../../src/store/reviews/retrievals.ts";
import { summaryOf } from "../app/change-builders.ts";
import { type FlowHarness, openFlow } from "../app/flow-harness.ts";
import { comment, remembering, smallTalk } from "../app/seed-memory.ts";
import type { Repository } from "../fakes/github/conversation.ts";

let flow: FlowHarness;
let gateAnswers: unknown;
/** The next review ends while the model reads the change. */
let diesSoon = false;
beforeAll(async () => {
  flow = await openFlow({
    model({ purpose }) {
      if (purpose === "gate") return gateAnswers;
      if (!diesSoon) return { findings: [], ruleFindings: [] };
      diesSoon = false;
      throw new Transient("the process ends");
    },
  });
});
afterAll(() => flow.close());

const DAY = 86_400_000;
/** Its words are in every change of these tests. */
const said = (name: string) => `What fails between acquire and release leaves the lock held, as zq${name}zq found out.`;
/** As every memory here is, but for what a test varies. */
const PLAIN = { path: null, hunk: null, severity: null, category: null, outcome: null } as const;
const on = (at: number) => ({
  provenance: { url: null, author: "ines", authorIsBot: false, sha: null, pull: 900, at },
});

type Varied = Readonly<Record<string, Partial<MemoryRecord>>>;

interface Play {
  readonly retrieval?: string;
  readonly memories: Varied;
  readonly title?: string;
  readonly files?: Readonly<Record<string, string | null>>;
  readonly base?: Readonly<Record<string, string>>;
}

let repositories = 0;

async function repositoryWith({ retrieval = "", memories, base = {} }: Play): Promise<Repository> {
  repositories += 1;
  const files = { "README.md": "# Jobs\n", ".kodiai.yml": `knowledge: {retrieval: {${retrieval}}}\n`, ...base };
  const repository = await flow.world.repository("acme", `jobs-${repositories}`, { files });
  const records = Object.entries(memories).map(([name, over]) =>
    comment(repository, name, { ...PLAIN, ...on(Date.now()), text: said(name), ...over }),
  );
  await remembering(flow as never, [...records, ...smallTalk(repository, 3)]);
  return repository;
}

/** The retrievals of a repository, oldest first. */
function logsOf(id: number) {
  const db = new Database(join(flow.dataDir, "queue.db"), { readonly: true });
  const rows = db.prepare("SELECT query, entry FROM retrievals ORDER BY row").all() as RetrievalRow[];
  db.close();
  return rows.map(loggedRetrieval).filter(({ repo }) => repo === `github.com/${id}`);
}

/** The latest retrieval. */
function logOf({ id }: Repository) {
  const log = logsOf(id).at(-1);
  if (log === undefined) throw new Error("no retrieval was logged");
  return log;
}

async function reviewed(repository: Repository, { title = "release the lock", files = PYTHON }: Partial<Play>) {
  const before = flow.asked().length;
  const author = title.startsWith("Bump ") ? { author: "dependabot[bot]" } : {};
  const pull = await flow.world.pullRequest(repository, { title, files, ...author });
  expect((await flow.settled(pull)).state).toBe("done");
  const asked = flow.asked().slice(before);
  const prompts = asked.filter(({ purpose }) => purpose !== "gate").map(({ prompt }) => prompt);
  const lines = [
    ...new Set(prompts.flatMap((prompt) => prompt.split("\n").filter((line) => line.startsWith("- mem_")))),
  ];
  const log = logOf(repository);
  const named = (id: string) =>
    /as zq(\w+)zq found out/.exec(lines.find((line) => line.startsWith(`- ${id} `)) ?? "")?.[1];
  const shown = log.ids.map((id) => named(id) ?? "?");
  return {
    pull,
    asked,
    lines,
    log,
    shown,
    scores: new Map(shown.map((name, at) => [name, log.scores[at] ?? Number.NaN])),
  };
}

const play = async (given: Play) => reviewed(await repositoryWith(given), given);

const PYTHON = { "src/run.py": "acquire(job); run()\n" };
/** More than a few files, of which no rule of the gate but those on their kind knows anything. */
const many = (ending: string) =>
  Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`content/part${at}${ending}`, "lock: held\n"]));
const lines = (count: number, text: string) => `${text}\n`.repeat(count);

describe("where distances order, language multiplies them", () => {
  const RETRIEVAL = "method: semantic, distanceThreshold: 2";
  const distances = (line: string) => {
    const [, adjusted, raw] = /; adjusted distance (\d\.\d{3}), raw (\d\.\d{3})[);]/.exec(line) ?? [];
    return { adjusted: Number(adjusted), raw: Number(raw) };
  };

  test.each<[string, string, Readonly<Record<string, readonly [string, string | null, number]>>]>([
    [
      "TypeScript [000-18][000-19][000-20][000-21][000-22][000-24][004-03][004-04][004-06][004-07]",
      "src/run.ts",
      {
        same: ["TypeScript", null, 0.85],
        related: ["javascript", null, 0.925],
        other: ["go", null, 1],
        unknown: ["unknown", "src/a.ts", 1],
        old: ["", "src/a.TSX", 0.85],
      },
    ],
    [
      "C++ [004-05][004-07]",
      "src/run.CC",
      { same: ["C++", null, 0.85], related: ["c", null, 0.925], other: ["C#", null, 1], old: ["", "a.json", 1] },
    ],
    ["Kotlin [004-05]", "src/run.kt", { same: ["Kotlin", null, 0.85], related: ["java", null, 0.925] }],
    ["Java [004-05]", "src/run.java", { same: ["Java", null, 0.85], other: ["kotlin", null, 1] }],
    ["a document", "docs/run.md", { same: ["markdown", null, 1], other: ["python", null, 1] }],
  ])("of a change of %s", async (_, path, expected) => {
    const memories = Object.fromEntries(
      Object.entries(expected).map(([name, [language, at]]) => [name, { language, path: at }]),
    );
    const files = { [path]: lines(30, "acquire(job); run();") };
    const { lines: entries, shown, log } = await play({ retrieval: RETRIEVAL, memories, files });
    const weighed = entries
      .map((line, at) => ({ name: shown[at] ?? "", ...distances(line) }))
      .filter(({ name }) => name !== "?");
    expect(weighed.map(({ name }) => name).toSorted()).toEqual(Object.keys(expected).toSorted());
    for (const { name, adjusted, raw } of weighed) expect(adjusted / raw).toBeCloseTo(expected[name]?.[2] ?? 0, 2);
    const order = weighed.map(({ adjusted }) => adjusted);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(log.scores.every((score) => score >= 0 && score <= 1)).toBe(true);
  });

  test("a threshold holds against the raw distance, whatever language brings below it [000-25][003-02]", async () => {
    const memories = { python: { language: "python" } };
    const open = await play({ retrieval: RETRIEVAL, memories });
    const [raw = 0] = open.log.distances.map(Number);
    const at = (threshold: number) => `method: semantic, distanceThreshold: ${threshold.toFixed(4)}`;
    const below = await play({ retrieval: at(raw * 0.93), memories });
    expect([below.shown, below.lines]).toEqual([[], []]);
    expect((await play({ retrieval: at(raw + 0.001), memories })).shown).toEqual(["python"]);
  });
});

test("the operator's threshold admits by the vector alone, 0 included, where a repository sets none [003-02]", async () => {
  const memories = { far: { language: "", text: "Paper is short, as zqfarzq found out." } };
  expect((await play({ memories })).shown).toEqual([]);
  const usual = flow;
  flow = await openFlow({ model: () => ({ findings: [], ruleFindings: [] }), scoreThreshold: 0 });
  try {
    expect((await play({ memories })).shown).toContain("far");
    expect((await play({ memories, retrieval: "distanceThreshold: .1" })).shown).toEqual([]);
  } finally {
    await flow.close();
    flow = usual;
  }
});

describe("on the order of defaults, language adds its logarithm", () => {
  const change = (cpp: number, python: number) => ({
    "src/run.cc": lines(cpp, "acquire(job); run();"),
    "tools/run.py": lines(python, "acquire(job); run()"),
  });
  const of = async (files: Play["files"], memories: Varied, retrieval = "") => {
    const { scores, shown, log } = await play({
      retrieval,
      files,
      memories: { unknown: { language: "" }, ...memories },
    });
    expect(shown.toSorted()).toEqual([...Object.keys(memories), "unknown"].toSorted());
    const boost = (name: string) => Math.exp((scores.get(name) ?? Number.NaN) - (scores.get("unknown") ?? Number.NaN));
    return { boost, log };
  };
  const LANGUAGES = {
    cpp: { language: "C++" },
    python: { language: "python" },
    c: { language: "c" },
    go: { language: "go" },
  };

  test.each([
    ["defaults", ""],
    ["fusion: rrf", "fusion: rrf"],
    ["fusion: weighted", "fusion: weighted"],
  ])(
    "by each language's share of the changed lines, once: %s [004-02][004-10][004-11][004-12][004-15][004-16]",
    async (_, retrieval) => {
      const { boost, log } = await of(change(16, 4), LANGUAGES, retrieval);
      // Ranks differ by their places, so only the order of defaults has the factor alone.
      if (retrieval !== "") return expect(log.languageMatch).toBeCloseTo(2 / 5);
      expect(boost("cpp")).toBeCloseTo(1.2, 4);
      expect(boost("python")).toBeCloseTo(1.05, 4);
      expect(boost("c")).toBeCloseTo(1.1, 4);
      expect(boost("go")).toBeCloseTo(1, 4);
      const half = await of(change(10, 10), LANGUAGES);
      expect(half.boost("cpp")).toBeCloseTo(1.125, 4);
    },
  );

  test("a header counts as C++ where any C++ is changed, and a change of C++ prefers C++ [004-08][004-21]", async () => {
    const files = { "include/run.h": lines(10, "acquire(job); run();"), "lib/other.cpp": lines(10, "run();") };
    const { boost } = await of(files, { cpp: { language: "cpp" }, python: { language: "python" } });
    expect([boost("cpp"), boost("python")]).toEqual([expect.closeTo(1.25, 4), expect.closeTo(1, 4)]);
  });

  test("age, a verdict and a source weigh beside it, each by its own factor [000-40][004-19]", async () => {
    const { boost } = await of(
      PYTHON,
      {
        aged: { language: "", ...on(Date.now() - 90 * DAY) },
        old: { language: "", ...on(Date.now() - 3_000 * DAY) },
        severe: { language: "", severity: "critical", ...on(Date.now() - 3_000 * DAY) },
        back: { language: "", outcome: "reintroduced" },
      },
      "sourceWeights: {review_comment: 1.1}",
    );
    expect(boost("aged")).toBeCloseTo(1 / 1.5, 3);
    expect(boost("old")).toBeCloseTo(1 / 1.85, 3);
    expect(boost("severe")).toBeCloseTo(1 / 1.7, 3);
    expect(boost("back")).toBeCloseTo(1.1, 3);
  });
});

describe("what the gate does with a change", () => {
  const MANIFEST = '{\n  "dependencies": {\n    "left-pad": "1.0.0"\n  }\n}\n';
  const CODE = "def work(job):\n    acquire(job)\n    run()\n";
  const base = {
    "package.json": MANIFEST,
    "package-lock.json": "{}\n",
    ".gitattributes": "gen/** linguist-generated\n",
    "gen/a.py": "a = 1\n",
    "docs/a.md": "One.\n",
    "src/run.py": CODE,
  };

  test.each<[string, boolean, string, Readonly<Record<string, string | null>>, string]>([
    ["lock-files", false, "Refresh the lock", { "package-lock.json": '{"a": 1}\n' }, ""],
    ["generated", false, "Generate the lock again", { "gen/a.py": "a = 2\n" }, ""],
    ["few-files", true, "Generate the lock again", { "gen/a.py": "a = 2\n", "src/run.py": `${CODE}    more()\n` }, ""],
    [
      "dependency-bump",
      false,
      "Bump left-pad from 1.0.0 to 1.0.1",
      { "package.json": MANIFEST.replace("1.0.0", "1.0.1") },
      "",
    ],
    [
      "large-dependency-bump",
      true,
      "Bump left-pad from 1.0.0 to 2.0.0",
      { "package.json": MANIFEST.replace("1.0.0", "2.0.0") },
      "",
    ],
    ["small-docs", false, "docs: the lock", { "docs/a.md": "Two.\n" }, ""],
    ["docs", true, "docs: the lock", { "docs/a.md": lines(30, "A lock is held.") }, ""],
    ["comments-only", false, "Describe the lock", { "src/run.py": `# Holds the lock.\n${CODE}` }, ""],
    ["revert", true, 'Revert "release the lock"', { "src/run.py": `${CODE}    more()\n` }, ""],
    ["explicit", true, "[strict-review] the lock", { "package-lock.json": '{"a": 2}\n' }, ""],
    ["few-files", true, "release the lock", { "src/run.py": `${CODE}    more()\n` }, ""],
    ["bug-fix", true, "fix: release the lock", many(".yaml"), ""],
    ["code", true, "release the lock", many(".py"), ""],
    ["default", true, "release the lock", many(".yaml"), ""],
    ["disabled", true, "Refresh the lock", { "package-lock.json": '{"a": 3}\n' }, "gate: {enabled: false}"],
    [
      "skip-pattern",
      false,
      "release the lock",
      { "src/run.py": `${CODE}    more()\n` },
      "gate: {skipPatterns: ['^src/']}",
    ],
  ])(
    "%s: searched %s for %j %j %s [001-04][001-09][001-14][001-19][001-30]",
    async (rule, searched, title, files, retrieval) => {
      const { log, shown, asked } = await play({ base, title, files, retrieval, memories: { wren: { language: "" } } });
      expect(log.gate).toMatchObject({ retrieve: searched, decidedBy: rule });
      expect(log.gate.confidence).toBeGreaterThanOrEqual(searched ? 0.5 : 0.7);
      if (!searched)
        expect([shown, log.promptTokens, log.embedding.texts]).toEqual([
          [],
          0,
          log.gate.shadow ? expect.any(Number) : 0,
        ]);
      expect(asked.filter(({ purpose }) => purpose === "gate")).toEqual([]);
    },
  );

  test.each([
    ["a sure skip", { shouldRetrieve: false, confidence: 0.9, reason: "only data" }, false, /model/],
    ["a skip below .7", { shouldRetrieve: false, confidence: 0.69, reason: "only data" }, true, /model/],
    ["no decision", { confidence: 0.9, reason: "only data" }, true, /model/],
    ["a confidence over 1", { shouldRetrieve: false, confidence: 7, reason: "only data" }, false, /model/],
    ["no JSON", "I would not", true, /model/],
  ])(
    "a model that gives %s is asked once, where no rule knows [001-05][001-11][001-15]",
    async (_, answer, searched, by) => {
      gateAnswers = answer;
      const retrieval = "gate: {model: true}";
      const repository = await repositoryWith({ retrieval, memories: { wren: { language: "" } } });
      const { log, asked } = await reviewed(repository, { files: many(".yaml") });
      expect(log.gate).toMatchObject({ retrieve: searched, decidedBy: expect.stringMatching(by) });
      expect(log.gate.confidence).toBeLessThanOrEqual(1);
      expect(asked.filter(({ purpose }) => purpose === "gate")).toHaveLength(1);
      const known = await reviewed(repository, { files: PYTHON });
      expect(known.log.gate.decidedBy).toBe("few-files");
      expect(known.asked.filter(({ purpose }) => purpose === "gate")).toEqual([]);
    },
  );
});

describe("a decision of the gate", () => {
  const deciders = ({ id }: Repository) => logsOf(id).map(({ gate: { decidedBy } }) => decidedBy);
  /** Reviewed twice at one head: the first try dies after memory was searched. */
  const twice = async (repository: Repository, files: Play["files"] & {}, meanwhile: () => unknown = () => {}) => {
    diesSoon = true;
    const pull = await flow.world.pullRequest(repository, { title: "release the lock", files });
    expect((await flow.settled(pull)).state).toBe("waiting");
    await meanwhile();
    flow.hurry();
    expect((await flow.settled(pull)).state).toBe("done");
    return pull;
  };
  const memories = { wren: { language: "" } };
  const gateQuestions = () => flow.asked().filter(({ purpose }) => purpose === "gate").length;
  const SEARCH = { shouldRetrieve: true, confidence: 0.9, reason: "it may matter" };

  test("is remembered for its head and its memory, on defaults [001-05][001-17]", async () => {
    const repository = await repositoryWith({ memories });
    const pull = await twice(repository, PYTHON);
    expect(deciders(repository)).toEqual(["few-files", "cache"]);
    await flow.world.push(pull, { "src/more.py": "release(job)\n" });
    await flow.settled(pull);
    expect(deciders(repository).slice(2)).toEqual(["few-files"]);
  });

  test.each([
    ["", 1, "cache"],
    [", cacheDecisions: false", 2, "model"],
  ])("of a model is asked for again only where none is kept: %j [001-17]", async (more, questions, decidedBy) => {
    gateAnswers = SEARCH;
    const repository = await repositoryWith({ memories, retrieval: `gate: {model: true${more}}` });
    const before = gateQuestions();
    await twice(repository, many(".yaml"));
    expect(gateQuestions() - before).toBe(questions);
    expect(deciders(repository)).toEqual(["model", decidedBy]);
  });

  test("of a model is asked for again when its time is over, or when memory changed [001-17]", async () => {
    gateAnswers = SEARCH;
    const repository = await repositoryWith({ memories, retrieval: "gate: {model: true, cacheTTLSeconds: 60}" });
    const later = (seconds: number) => () => void vi.setSystemTime(Date.now() + seconds * 1_000);
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      await twice(repository, many(".yaml"), later(50));
      await twice(repository, many(".yaml"), later(60));
    } finally {
      vi.useRealTimers();
    }
    expect(deciders(repository)).toEqual(["model", "cache", "model", "model"]);
    const changed = await repositoryWith({ memories, retrieval: "gate: {model: true}" });
    await twice(changed, many(".yaml"), () => remembering(flow as never, smallTalk(changed, 5)));
    expect(deciders(changed)).toEqual(["model", "model"]);
  });

  test.each([
    ["vector_search", 0.25 + 0.6],
    ["entity_lookup", 0.25 * 0.6 + 1],
    ["graph_traverse", 1.2 * (0.25 + 1)],
    ["anything_else", 0.25 + 1],
  ])(
    "takes its strategy from a model: %s weighs words and vectors %d times a rank [001-19][001-21][003-40]",
    async (word, weight) => {
      gateAnswers = { ...SEARCH, suggestedStrategy: word };
      const { log } = await play({
        memories: { wren: { language: "", path: "content/old.yaml" } },
        retrieval: "fusion: rrf, gate: {model: true}",
        files: many(".yaml"),
      });
      expect(Math.exp(log.scores[0] ?? Number.NaN)).toBeCloseTo(weight / 61, 6);
    },
  );

  test.each<[string, string, Play["files"], number]>([
    ["bug-fix", "fix: release the lock", { ...many(".yaml"), "top.yaml": "lock: held\n" }, 1.2],
    ["code", "release the lock", many(".py"), 1],
    ["named-in-text", "release the lock of `Job`", many(".yaml"), 1],
  ])(
    "by the rule %s, on defaults, lifts what was said in the same folder, and nothing else [001-19][001-21][003-40]",
    async (rule, title, files, factor) => {
      const places = {
        same: { language: "", path: "content/old.txt" },
        top: { language: "", path: "old.txt" },
        none: { language: "" },
      };
      const chosen = await play({ memories: places, title, files });
      expect(chosen.log.gate.decidedBy).toBe(rule);
      const without = await play({ memories: places, title, files, retrieval: "gate: {enabled: false}" });
      const gain = (name: string) =>
        Math.exp((chosen.scores.get(name) ?? Number.NaN) - (without.scores.get(name) ?? 0));
      expect([gain("same"), gain("top"), gain("none")].map((one) => one.toFixed(4))).toEqual(
        [factor, 1, 1].map((one) => one.toFixed(4)),
      );
    },
  );
});

test("what was said about a file counts for it after it moved [003-40]", async () => {
  const code = lines(20, "acquire(job); run()");
  const change = { "src/old/lock.py": null, "lib/new/guard.py": code, "web/run.py": "acquire(job); run()\n" };
  const memories = {
    moved: { language: "", path: "src/old/lock.py" },
    here: { language: "", path: "lib/new/guard.py" },
    other: { language: "", path: "tools/gen/page.py" },
  };
  const { scores } = await play({ base: { "src/old/lock.py": code }, memories, files: change });
  const scoreOf = (name: string) => scores.get(name) ?? Number.NaN;
  expect(scoreOf("moved")).toBeCloseTo(scoreOf("here"), 9);
  expect(scoreOf("moved")).toBeGreaterThan(scoreOf("other") + 1);
});

describe("another fusion of words and vectors", () => {
  const memories = { ada: { language: "" } };
  const of = async (fusion: string, gate = "gate: {enabled: false}") => {
    const { log } = await play({ memories, retrieval: `fusion: ${fusion}, ${gate}` });
    expect(log.ids).toHaveLength(1);
    return { fused: Math.exp(log.scores[0] ?? Number.NaN), near: 1 - (log.distances[0] ?? Number.NaN) };
  };

  test("by ranks counts from 1, each query by itself and the best one, vectors a quarter [002-17][003-14][004-18]", async () => {
    expect((await of("rrf")).fused).toBeCloseTo(1.25 / 61, 6);
    // A small change is searched by its words.
    expect((await of("rrf", "topK: 5")).fused).toBeCloseTo((0.25 * 0.6 + 1) / 61, 6);
  });

  test("by scores is .7 of the likeness and .3 of the words, and only one of them at a weight of 0 [002-18][003-10]", async () => {
    const { fused, near } = await of("weighted");
    expect(fused).toBeGreaterThan(0.3);
    expect(fused).toBeLessThanOrEqual(0.7 * near + 0.3 + 1e-9);
    expect((await of("weighted, weights: {semantic: 0, keyword: .5}")).fused).toBeCloseTo(1, 6);
    const alone = await of("weighted, weights: {semantic: .5, keyword: 0}");
    expect(alone.fused).toBeCloseTo(alone.near, 6);
  });
});

test("without a model the summary quotes what is surely about the changed code, and nothing that is just near it [005-09]", async () => {
  const usual = flow;
  flow = await openFlow();
  try {
    const about = "Retrying a POST without an idempotency key charges the customer twice";
    const memories = {
      sure: { language: "", path: "payments/refunds.ts", text: `${about}, as zqsurezq found out.` },
      near: {
        language: "",
        path: "payments/price.ts",
        text: "Name the charges after the customer, as zqnearzq found out.",
      },
    };
    const files = { "payments/client.ts": "return retry(() => http.post('/charges', charge), { times: 3 });\n" };
    const title = "Retry payments when the gateway times out";
    const { pull } = await play({ memories, title, files });
    const { body } = summaryOf(flow.world, pull);
    expect(body).toMatch(
      /\*\*Said here before:\*\*\n\n- .*charges the customer twice.* → `payments\/client\.ts` \(code \d+% similar\)/,
    );
    expect(body).not.toContain("zqnearzq");
  } finally {
    await flow.close();
    flow = usual;
  }
});

describe("one search", () => {
  const five = Object.fromEntries(["ada", "bob", "cyd", "dan", "eve", "fay"].map((name) => [name, { language: "" }]));

  test("shows five on defaults, best first, and logs its figures [000-27][003-01][003-30][004-23]", async () => {
    const { log, shown, scores } = await play({ memories: five });
    expect(shown).toHaveLength(5);
    expect([...scores.values()]).toEqual([...scores.values()].toSorted((a, b) => b - a));
    expect(log).toMatchObject({ method: "hybrid", searched: true, topK: 5, totalScanned: 9, rerankScores: [] });
    expect(log).toMatchObject({ languageMatch: 0, averageDistance: expect.any(Number), threshold: expect.any(Number) });
  });

  test("shows as many as topK and maxContextChars allow, in whole entries [000-27]", async () => {
    expect((await play({ memories: five, retrieval: "topK: 2" })).shown).toHaveLength(2);
    const { lines: entries } = await play({ memories: five, retrieval: "maxContextChars: 900" });
    expect(entries.length).toBeGreaterThan(0);
    expect(entries.length).toBeLessThan(5);
    for (const entry of entries) expect(entry).toMatch(/ found out\." \(.*\)$/);
    expect((await play({ memories: five, retrieval: "maxContextChars: 0" })).lines).toEqual([]);
    expect((await play({ memories: five, retrieval: "enabled: false" })).log.searched).toBe(false);
  });

  test("is made again for each change: what was remembered in between is found [003-35]", async () => {
    const repository = await repositoryWith({ memories: { ada: { language: "" } } });
    expect((await reviewed(repository, {})).shown).toEqual(["ada"]);
    await remembering(flow as never, [comment(repository, "bob", { ...PLAIN, ...on(Date.now()), text: said("bob") })]);
    const again = await reviewed(repository, { files: { "src/again.py": "acquire(job); run()\n" } });
    expect(again.shown.toSorted()).toEqual(["ada", "bob"]);
  });

  test("by words alone embeds nothing, and ranks rare words before a later memory [002-19][003-16]", async () => {
    const memories = {
      ada: {
        language: "",
        ...on(Date.now() - 10 * DAY),
        text: "The lock of the release stays held, as zqadazq found out.",
      },
      bob: { language: "", text: "Release is a release, as zqbobzq found out." },
    };
    const { shown, log } = await play({ memories, retrieval: "method: keyword" });
    expect(shown[0]).toBe("ada");
    expect(log).toMatchObject({ method: "keyword", embedding: { texts: 0 } });
    expect(log.distances.every((distance) => distance === null)).toBe(true);
  });
});
