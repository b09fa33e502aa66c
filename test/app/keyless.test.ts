// A server that nobody gave a key or a setting: rules, words and the local embedder, from the
// webhook to the posted review.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Precedents } from "../../src/domain/retrieval.ts";
import type { Pull } from "../fakes/github/conversation.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { ALWAYS, BACKUP, summaryOf } from "./change-builders.ts";
import { comment, remembering, smallTalk } from "./seed-memory.ts";

let harness: Harness;
const retrieved = new Map<string, Precedents>();
beforeAll(async () => {
  harness = await openHarness({
    app: {
      onStep: ({ key }, step, value) =>
        step === "retrieve" ? void retrieved.set(key, value as Precedents) : undefined,
    },
  });
});
afterEach(() => expect(harness.world.violations).toEqual([]));
afterAll(() => harness.close());

const precedentsOf = ({ repository, number }: Pull) => retrieved.get(`github.com/${repository.id}#${number}`);

test("a review without any key has a rule's finding, what people said before, and says that no model read the change [005-09]", async () => {
  const { world } = harness;
  const repository = await world.repository("acme", "keyless", { files: { ...ALWAYS, "README.md": "# Nightly\n" } });
  const said = comment(repository, "31");
  await remembering(harness, [said, ...smallTalk(repository, 12)]);
  const pull = await world.pullRequest(repository, {
    title: "feat(ops): back up by name",
    files: { "ops/nightly.py": BACKUP, "src/Notes.elm": "module Notes exposing (..)\n" },
  });
  await harness.settled(pull);

  const { body } = summaryOf(world, pull);
  const { inline } = world.comments(pull);
  expect(inline).toMatchObject([{ path: "ops/nightly.py", body: expect.stringContaining("shell") }]);
  // Found by its words and by its local vector, and told with where it was said.
  const [found] = precedentsOf(pull)?.ranked ?? [];
  expect(found).toMatchObject({
    record: { text: said.text },
    keywordRank: 1,
    vectorRank: 1,
    distance: expect.any(Number),
  });
  expect(precedentsOf(pull)).toMatchObject({ degraded: [], provenance: { method: "hybrid" } });
  expect(body).toContain("/pull/900#discussion_r31");
  expect(body).toMatch(/Memory: \d+ precedents?\./);
  expect(body).toContain("Cost: no model used");
  expect(body).not.toContain("Incomplete");

  const quiet = await world.pullRequest(repository, { title: "docs", files: { "src/a.py": "total = 1\n" } });
  await harness.settled(quiet);
  expect(summaryOf(world, quiet).body).toMatch(/No rule fired.*no model read it/);
});

test("the summary's files name who commented on them before, and mention no one", async () => {
  const { world } = harness;
  const repository = await world.repository("acme", "known", { files: { ...ALWAYS, "ops/backup.py": "import os\n" } });
  const by = (sourceId: string, author: string) =>
    comment(repository, sourceId, { provenance: { ...comment(repository, sourceId).provenance, author } });
  await remembering(harness, [by("71", "ines"), by("72", "ines"), by("73", "mona"), by("74", "vera")]);
  const pull = await world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  await harness.settled(pull);
  const { body } = summaryOf(world, pull);
  expect(body).toContain("Commented on these files before: `ines` (2 comments), `vera` (1 comment).");
  expect(body).not.toMatch(/@(?:ines|vera|mona)/);
});

test("by changed lines, four fifths C++ raise its memories by 1.2 and one fifth Python by 1.05; the log has the query [000-10][004-11]", async () => {
  const { world } = harness;
  const repository = await world.repository("acme", "shares", { files: { "README.md": "# Demux\n" } });
  const said = (name: string, language: string, path: string) =>
    comment(repository, name, { text: `Check the size of the packet of ${name} first.`, language, path, hunk: null });
  await remembering(harness, [
    said("51", "C++", "src/mux.cc"),
    said("52", "python", "tools/old.py"),
    said("53", "go", "cmd/main.go"),
    ...smallTalk(repository, 12),
  ]);
  const lines = (count: number) => `${Array.from({ length: count }, (_, at) => `x${at} = 1;`).join("\n")}\n`;
  const pull = await world.pullRequest(repository, {
    title: "feat(demux): check the size of each packet first",
    files: { "src/demux.cpp": lines(8), "tools/probe.py": lines(2) },
  });
  await harness.settled(pull);
  const { ranked = [], query, gate } = precedentsOf(pull) ?? {};
  const lifted = ranked.flatMap(({ record, terms }) => {
    const term = terms.find(({ name }) => name === "language");
    const source = /of (5\d)/.exec(record.text)?.[1];
    return source === undefined ? [] : [[source, Math.exp(term?.value ?? 0).toFixed(6)]];
  });
  expect(Object.fromEntries(lifted)).toEqual({ "51": "1.200000", "52": "1.050000", "53": "1.000000" });

  const line = harness.log
    .map((one) => JSON.parse(one) as Record<string, unknown>)
    .find(({ stage, job }) => stage === "retrieve" && job === `github.com/${repository.id}#${pull.number}`);
  expect(line).toMatchObject({
    level: 20,
    gate: { retrieve: true, decidedBy: gate?.decidedBy, confidence: gate?.confidence, reason: gate?.reason },
    query: { chars: query?.text.length, dropped: [], variants: query?.variants.length },
  });
});

test("a pattern about Python is found for the same pattern in PHP, and no language lowers it [000-42]", async () => {
  const { world } = harness;
  const repository = await world.repository("acme", "patterns", { files: { "README.md": "# Shop\n" } });
  const pattern = comment(repository, "41", {
    text: "SQL built by concatenation: a value of the request becomes part of the query. Bind it as a parameter.",
    path: "shop/orders.py",
    hunk: '+cursor.execute("SELECT * FROM orders WHERE id = " + request.args["id"])',
    severity: "critical",
  });
  await remembering(harness, [pattern, ...smallTalk(repository, 12)]);
  const pull = await world.pullRequest(repository, {
    title: "Look up users by name",
    files: {
      "web/users.php":
        '<?php\nfunction user(PDO $db, array $request) {\n  return $db->query("SELECT * FROM users WHERE name = \'" . $request["name"] . "\'");\n}\n',
    },
  });
  await harness.settled(pull);
  const [found] = precedentsOf(pull)?.ranked ?? [];
  expect(found?.record).toMatchObject({ text: pattern.text, language: "Python" });
  expect(found?.languageMatch).toBe(false);
  expect(found?.terms.map(({ name }) => name)).not.toContain("language");
  expect(summaryOf(world, pull).body).toMatch(/Memory: \d+ precedents?\./);
});

test("a suggestion for lines that end in CR LF is posted with such ends", async () => {
  const { world } = harness;
  const repository = await world.repository("acme", "windows", { files: { "README.md": "# Shop\r\n" } });
  const ask = 'import requests\nreply = requests.get("https://a.example.com")\n';
  const pull = await world.pullRequest(repository, {
    title: "feat: ask",
    files: { "windows.py": ask.replaceAll("\n", "\r\n"), "unix.py": ask },
  });
  await harness.settled(pull);
  const bodyOf = (path: string) => world.comments(pull).inline.find((one) => one.path === path)?.body;
  const fixed = 'reply = requests.get("https://a.example.com", timeout=10)';
  expect(bodyOf("windows.py")).toContain(`\`\`\`suggestion\n${fixed}\r\n\`\`\``);
  expect(bodyOf("unix.py")).toContain(`\`\`\`suggestion\n${fixed}\n\`\`\``);
});
