// The other verbs: explain, config, doctor, version and help.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { localWords } from "../../src/adapters/local/local-embedder.ts";
import type { LoggedRetrieval } from "../../src/domain/figures/logged-retrieval.ts";
import { openStore } from "../../src/wire/store.ts";
import { anEntry } from "../adapters/contracts/retrieval-log.ts";
import { BACKUP } from "../app/change-builders.ts";
import { startGitHub } from "../fakes/github/github.ts";
import { givenRecord } from "../learn/memory-builders.ts";
import { type Clone, newClone, verb } from "./kodiai.ts";

let clone: Clone;
let dataDir: string;
beforeAll(() => {
  clone = newClone();
  dataDir = mkdtempSync(join(tmpdir(), "kodiai-data-"));
  clone.write({ "README.md": "# Shop\n" });
  clone.commit("Lay the ground");
  clone.write({ "ops/backup.py": BACKUP });
  clone.commit("feat(ops): back up");
});
afterAll(() => {
  clone.remove();
  rmSync(dataDir, { recursive: true });
});

const run = (words: readonly string[], env: Record<string, string> = {}) => verb(words, { cwd: clone.path, env });

test("explain prints each stage in about ten lines, all of it with --full, and as JSON", async () => {
  const [pretty, full, json] = await Promise.all([
    run(["explain", "--base", "HEAD~1"]),
    run(["explain", "--base", "HEAD~1", "--full"]),
    run(["explain", "--base", "HEAD~1", "--json"]),
  ]);
  expect(pretty.code).toBe(0);
  const heads = pretty.out.split("\n").filter((line) => /^\w+ \d+ ms$/.test(line));
  expect(heads.map((line) => line.split(" ")[0])).toEqual(["gather", "analyze", "retrieve", "context", "review"]);
  for (const page of pretty.out.split("\n\n")) expect(page.split("\n").length).toBeLessThan(20);
  expect(pretty.out).toMatch(/ {2}findings +1\n.* major ops\/backup\.py:\d+ .*\(inline\)/);
  expect(full.out).toContain("rule: 'shell-from-strings'");
  expect(full.out).not.toMatch(/\[(?:Object|Array)\]/);
  expect(full.out).toMatch(/kind: 'added',/);
  const name = basename(clone.path);
  expect(pretty.out).toContain(`repository local/${name}\n`);
  expect(pretty.out).toMatch(/admitted +probability at least 0\.\d+\n|the repository has no memory|nothing remembered/);
  const { version, job, stages } = JSON.parse(json.out);
  expect(version).toBe(1);
  expect(job).toMatchObject({ trigger: "command-line" });
  expect(stages.map(({ stage }: { stage: string }) => stage)).toEqual([
    "gather",
    "analyze",
    "retrieve",
    "context",
    "review",
  ]);
  expect(stages[0].value.headTexts).toEqual({ "ops/backup.py": BACKUP });
  expect(stages[4].value.findings).toHaveLength(1);
});

test("config check prints problems as compilers do, and its exit code says whether there were any", async () => {
  clone.write({
    "good.yml": "review: {profile: quiet}\n",
    "bad.yml": "review:\n  profil: quiet\nrules: {weak-hassh: off}\n",
  });
  const [good, bad, json, none] = await Promise.all([
    run(["config", "check", "good.yml"]),
    run(["config", "check", "bad.yml"]),
    run(["config", "check", "bad.yml", "--json"]),
    run(["config", "check"]),
  ]);
  expect(good).toEqual({ code: 0, out: "good.yml: no problems\n", err: "" });
  expect(bad.code).toBe(2);
  expect(bad.out).toMatch(
    /^bad\.yml:2:3: error: review\.profil: unknown key `profil`; did you mean `profile`\?\nbad\.yml:3:9: notice: rules\.weak-hassh: /,
  );
  expect(JSON.parse(json.out)).toMatchObject({
    version: 1,
    problems: [
      { line: 2, column: 3 },
      { line: 3, column: 9 },
    ],
  });
  expect(none).toMatchObject({ code: 2, err: expect.stringContaining("no .kodiai.yml in ") });
});

test("config schema prints the JSON Schema that editors use", async () => {
  const { code, out } = await run(["config", "schema"]);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ title: "Kodiai configuration (.kodiai.yml)", type: "object" });
});

test("doctor is content with a command line, and says what a server lacks", async () => {
  const file = join(dataDir, "a-file");
  writeFileSync(file, "");
  const [fine, broken, half] = await Promise.all([
    run(["doctor", "--data-dir", join(dataDir, "fresh"), "--json"]),
    run(["doctor", "--data-dir", join(file, "inside")]),
    run(["doctor", "--data-dir", dataDir], { APP_ID: "4242", WEBHOOK_SECRET: "secret" }),
  ]);
  expect(fine.code).toBe(0);
  expect(JSON.parse(fine.out).checks.map(({ name, state }: Record<string, string>) => `${name} ${state}`)).toEqual([
    "node ok",
    "rules ok",
    "data ok",
    "queue ok",
    "missed ok",
    "memory ok",
    "search ok",
    "retrieval ok",
    "embedder ok",
    "model note",
    "server ok",
  ]);
  expect(existsSync(join(dataDir, "fresh/queue.db"))).toBe(true);
  expect(broken).toMatchObject({
    code: 3,
    out: expect.stringMatching(/broken data .*set KODIAI_DATA_DIR or --data-dir/),
  });
  expect(half.code).toBe(3);
  expect(half.out).toMatch(/broken server .*PRIVATE_KEY/);
  expect(half.out).toMatch(/broken server .*WEBHOOK_SECRET/);
});

const lately = (more: Partial<LoggedRetrieval>) => anEntry({ createdAt: Date.now() - 60_000, ...more });

test("doctor gives symptom, cause and remedy for low scores, slow retrieval, irrelevant results and a cold start, each where it is seen, as the manual does [003-44]", async () => {
  const doctorOf = async (name: string, entries: readonly LoggedRetrieval[]) => {
    const folder = join(dataDir, name);
    const store = await openStore(folder);
    for (const entry of entries) await store.retrievals.write(entry);
    await store.close();
    return run(["doctor", "--all", "--data-dir", folder]);
  };
  const far = lately({ averageDistance: 0.9, calibrated: 0.3 });
  const [well, slow, cold] = await Promise.all([
    doctorOf("well", [lately({ averageDistance: 0.2, calibrated: 0.3, retrievalMs: 9 })]),
    doctorOf("slow", [{ ...far, retrievalMs: 900 }]),
    doctorOf(
      "cold",
      [900, 9, 9].map((retrievalMs) => lately({ retrievalMs, averageDistance: null })),
    ),
  ]);
  expect(well.out).not.toContain("remedy");
  expect([...slow.out.matchAll(/^remedy ([a-z ]+) \(/gm)].map(([, symptom]) => symptom)).toEqual([
    "low scores",
    "slow retrieval",
    "irrelevant results",
  ]);
  expect(cold.out).not.toContain("remedy slow retrieval");
  const out = slow.out + cold.out;
  const manual = readFileSync("docs/operating.md", "utf8").replaceAll("`", "").replace(/\s+/g, " ");
  const remedies = [...out.matchAll(/^remedy ([a-z ]+) \(([^)]+)\): (.+) → (.+)$/gm)].filter(
    ([line], at, all) => all.findIndex(([one]) => one === line) === at,
  );
  expect(remedies.map(([, symptom, sign]) => `${symptom}: ${sign}`)).toEqual([
    "low scores: the average similarity of results is below .6",
    "slow retrieval: a retrieval takes longer than 500 ms",
    "irrelevant results: cited comments have nothing to do with the change",
    "cold start: the first review after a start is slower than the next ones",
  ]);
  const low = (text: string) => text.toLowerCase();
  for (const [, symptom = "", sign = ""] of remedies) {
    expect(low(manual)).toContain(`### ${symptom}`);
    expect(low(manual)).toContain(low(sign));
  }
  expect(out).toMatch(/warm up/);
  // Every command and key that is advised exists.
  const { out: help } = await run([]);
  for (const [, verb = ""] of out.matchAll(/kodiai (doctor|explain|memory)/g)) expect(help).toContain(`  ${verb} `);
  const keys = readFileSync("docs/configuration.md", "utf8");
  for (const [key] of out.matchAll(/knowledge\.[a-zA-Z.]+[a-zA-Z]/g)) expect(keys).toContain(key);
});

test.each([
  ["voyage-code-3", 1024],
  [localWords().space.model, 512],
])(
  "doctor names memories whose vectors come from another embedder than the one that is chosen: %s [003-42]",
  async (model, dimension) => {
    const folder = join(dataDir, `moved-${dimension}`);
    const store = await openStore(folder);
    const vector = new Float32Array(dimension).fill(1);
    await store.memory.remember([{ record: givenRecord(), vector }], { model, dimension });
    await store.close();
    const { checks } = JSON.parse((await run(["doctor", "--data-dir", folder, "--json"])).out);
    expect(checks.find(({ name }: { name: string }) => name === "vectors")).toEqual({
      name: "vectors",
      state: "note",
      text: expect.stringContaining(
        `1 of ${model} (${dimension} numbers); 1 of another model than the embedder's: not compared`,
      ),
    });
  },
);

test("doctor says that a server of the user's own is asked for a model of the provider", async () => {
  const at = { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" };
  const words = ["doctor", "--data-dir", dataDir];
  const [unnamed, named] = await Promise.all([run(words, at), run(words, { ...at, KODIAI_MODEL: "qwen3-coder" })]);
  expect(unnamed.out).toMatch(/^note +model +KODIAI_MODEL is not set: 127\.0\.0\.1:9 will be asked for gpt-/m);
  expect(unnamed.out).not.toContain("no problems");
  expect(named.out).not.toContain("KODIAI_MODEL is not set");
});

test("doctor asks GitHub for the App's name", async () => {
  const world = await startGitHub();
  try {
    const { appId, privateKey, webhookSecret } = world.appCredentials;
    const credentials = { APP_ID: String(appId), PRIVATE_KEY: privateKey, WEBHOOK_SECRET: webhookSecret };
    const url = { KODIAI_GITHUB_API_URL: world.apiUrl };
    const { code, out } = await run(["doctor", "--all", "--data-dir", dataDir], { ...credentials, ...url });
    expect(out).toContain(`${world.apiUrl} recognises this App as kodiai`);
    expect(code).toBe(0);
  } finally {
    await world.close();
  }
});

test("help and version are always there; another verb is a mistake with a hint", async () => {
  const [help, ofVerb, version, wrong] = await Promise.all([
    run([]),
    run(["review", "--help"]),
    run(["version"]),
    run(["reveiw"]),
  ]);
  expect(help).toMatchObject({ code: 0, err: "", out: expect.stringContaining("usage: kodiai VERB [options]") });
  expect(ofVerb.out).toMatch(/^kodiai review: .+\n\nusage:\n {2}kodiai review .+\n/);
  expect(version.out).toMatch(/^kodiai \d+\.\d+\.\d+, Node \d+/);
  expect(wrong).toEqual({ code: 2, out: "", err: 'kodiai: unknown command "reveiw"; did you mean review?\n' });
});
