// A token that stands in a pull request goes no further: not into a comment, not into the summary,
// not into the log.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { statelessToken } from "../fakes/github/stateless-token.ts";
import { type Harness, openHarness, until } from "./app-harness.ts";
import { said, summaryOf } from "./change-builders.ts";

// Put together here, so that no scanner takes this file for a leak.
const TOKEN = ["ghp", "b7Qk2ZpXv9Lr4TnWs8Yc1HdJ6mGfA3eUo5iK"].join("_");
/** Stands in no path: those are kept as they are. */
const OTHER = ["ghp", "Wq3Vt8ZkN5xRb1LmYc7Hd2JpGf6Sa9EuTo4i"].join("_");
const CONFIG = `customRules:
  - id: no-raw-sleep
    language: python
    message: "time.sleep() blocks ${TOKEN}"
    note: "Ask with ${TOKEN} at the desk."
    severity: major
    rule:
      pattern: time.sleep($SECONDS)
`;

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

test("posts and logs contain no token, from code, a path, a title or the configuration [T9]", async () => {
  const { world } = harness;
  const repository = await world.repository("acme", "shop", { files: { ".kodiai.yml": CONFIG } });
  const pull = await world.pullRequest(repository, {
    title: `feat(${TOKEN}): wait`,
    files: {
      "src/wait.py": "import time\ntime.sleep(5)\n",
      "src/client.py": `TOKEN = "${TOKEN}"\n`,
      [`keys/${TOKEN}.py`]: "import time\ntime.sleep(1)\n",
      [`vendor/${TOKEN}/index.js`]: "var a = 1;\n",
    },
  });
  expect(await harness.settled(pull)).toMatchObject({ state: "done" });

  expect(
    said(world, pull)
      .map((one) => one.replace(TOKEN, "TOKEN"))
      .toSorted(),
  ).toEqual(["keys/TOKEN.py:2 no-raw-sleep", "src/client.py:1 leaked-secret"]);
  const { inline, reviews } = world.comments(pull);
  const { body } = summaryOf(world, pull);
  const posted = [...inline.map((one) => one.body), ...reviews.map((one) => one.body), body].join("\n");
  expect(posted).not.toContain(TOKEN);
  expect(posted).toContain("blocks ‹redacted:github-token›");
  expect(body).toContain("‹redacted:github-token›");
  expect(harness.log.join("\n")).not.toContain(TOKEN);
  // Every comment is still known by its marker: nothing is said again.
  await world.push(pull, { "docs/wait.md": "# Waiting\n" });
  await harness.settled(pull);
  expect(world.comments(pull).inline).toHaveLength(2);
});

test("of an installation token, dots and all, no part is posted or logged", async () => {
  const { world } = harness;
  const token = statelessToken("of somebody else");
  const repository = await world.repository("acme", "tokens", { files: { "README.md": "# Tokens\n" } });
  const pull = await world.pullRequest(repository, {
    title: `Use ${token}`,
    files: { "src/client.py": `TOKEN = "${token}"\n` },
  });
  expect(await harness.settled(pull)).toMatchObject({ state: "done" });
  expect(said(world, pull)).toEqual(["src/client.py:1 leaked-secret"]);
  const { inline, reviews } = world.comments(pull);
  const posted = [...inline.map((one) => one.body), ...reviews.map((one) => one.body), summaryOf(world, pull).body];
  for (const part of token.split(".").flatMap((one) => one.match(/.{20}/g) ?? [])) {
    expect(posted.join("\n")).not.toContain(part);
    expect(harness.log.join("\n")).not.toContain(part);
  }
});

test("what the log quotes of others holds no token [T19]", async () => {
  const { world } = harness;
  const repository = await world.repository("acme", "quoted", { files: { "README.md": "# Quoted\n" } });
  const pull = await world.pullRequest(repository, { title: "Quote", files: { "src/a.ts": "export const a = 1;\n" } });
  await harness.settled(pull);
  const { payload } = world.deliveries.findLast(({ event }) => event === "pull_request") ?? {};
  await world.deliver("pull_request", { ...(payload as object), action: OTHER });
  const quoted = () =>
    harness.log.map((line) => /action (\S+) is not handled/.exec(line)?.[1]).filter((one) => one !== undefined);
  await until("the log quotes it", () => quoted().length > 0);
  expect(quoted()).toEqual(['\\"‹redacted:github-token›\\"']);
});

test("an ordinary comment passes the redaction unchanged, its links included", async () => {
  const { world } = harness;
  const repository = await world.repository("acme", "plain", { files: { "README.md": "# Plain\n" } });
  const pull = await world.pullRequest(repository, {
    title: "feat(auth): read the session",
    files: { "src/session.ts": "export const read = (cookie: string) => eval(cookie);\n" },
  });
  await harness.settled(pull);
  const { body } = summaryOf(world, pull);
  expect(
    body +
      world
        .comments(pull)
        .inline.map((one) => one.body)
        .join("\n"),
  ).not.toContain("redacted");
  expect(body).toContain(`/commit/${pull.headSha}`);
});

test("a dry run writes the review, logs it without secrets and posts nothing", async () => {
  const { world } = harness;
  const repository = await world.repository("acme", "dry", { files: { ".kodiai.yml": CONFIG } });
  await harness.restart({ dryRun: true });
  const before = harness.log.length;
  const pull = await world.pullRequest(repository, {
    title: "Wait",
    files: { "src/wait.py": "import time\ntime.sleep(5)\n" },
  });
  expect(await harness.settled(pull)).toMatchObject({ state: "done" });
  await harness.restart();
  const { inline, reviews, summary } = world.comments(pull);
  expect({ inline, reviews, summary }).toEqual({ inline: [], reviews: [], summary: [] });
  const log = harness.log.slice(before).join("\n");
  expect(log).toContain("dry run: not posted");
  expect(log).toContain("blocks ‹redacted:github-token›");
  expect(log).not.toContain(TOKEN);

  // What a dry run wrote was not said: the next push has it said.
  await world.push(pull, { "README.md": "# Dry\n" });
  await harness.settled(pull);
  expect(said(world, pull)).toEqual(["src/wait.py:2 no-raw-sleep"]);
});

test("the files of the data folder contain no token in any form, and no secret of Kodiai [T18]", async () => {
  const { world } = harness;
  const { webhookSecret } = world.appCredentials;
  const repository = await world.repository("acme", "kept", {
    files: { ".kodiai.yml": CONFIG.replaceAll(TOKEN, OTHER) },
  });
  const base64 = Buffer.from(OTHER).toString("base64");
  const pull = await world.pullRequest(repository, {
    title: `feat(${OTHER}): wait ${base64}`,
    files: {
      "src/wait.py": `import time\n# ${base64}\ntime.sleep(5)\n`,
      "src/client.py": `TOKEN = "${OTHER}"\n`,
    },
  });
  expect(await harness.settled(pull)).toMatchObject({ state: "done" });
  await world.push(pull, { "src/later.py": `import time\ntime.sleep(6)  # ${OTHER} ${webhookSecret}\n` });
  expect(await harness.settled(pull)).toMatchObject({ state: "done" });
  const files = readdirSync(harness.dataDir).map((name) => readFileSync(join(harness.dataDir, name), "latin1"));
  const kept = files.join("\n");
  expect(kept).toContain("no-raw-sleep");
  expect(kept).toContain("redacted:github-token");
  for (const secret of [OTHER, base64, webhookSecret]) expect(kept).not.toContain(secret);
});
