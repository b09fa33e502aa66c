// The GitHub Action with `comment: true`, as a runner runs it: a child process, GitHub over
// loopback, the workflow's own token.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BACKUP, BALANCE, said, writes } from "../app/change-builders.ts";
import type { Pull } from "../fakes/github/conversation.ts";
import { type GitHubWorld, startGitHub } from "../fakes/github/github.ts";

const BOT = "github-actions[bot]";

let world: GitHubWorld;
let temp: string;
beforeAll(async () => {
  world = await startGitHub();
  temp = mkdtempSync(join(tmpdir(), "kodiai-action-"));
});
afterAll(async () => {
  await world.close();
  rmSync(temp, { recursive: true });
});

let runs = 0;

interface Around {
  readonly token: string;
  readonly fork?: boolean;
  readonly inputs?: Readonly<Record<string, string>>;
}

/** Every run is on another runner: nothing of an earlier one is there. */
async function act(pull: Pull, { token, fork = false, inputs = {} }: Around) {
  runs += 1;
  const runner = join(temp, `runner-${runs}`);
  mkdirSync(runner);
  const file = (name: string, text = "") => {
    writeFileSync(join(runner, name), text);
    return join(runner, name);
  };
  const { owner, name } = pull.repository;
  const from = `${fork ? "mallory" : owner}/${name}`;
  const event = {
    repository: { full_name: `${owner}/${name}` },
    pull_request: {
      html_url: `https://github.com/${owner}/${name}/pull/${pull.number}`,
      head: { repo: { full_name: from } },
    },
  };
  const given = { comment: "true", token, ...inputs };
  const [output, summary] = [file("output"), file("summary")];
  const child = spawn(process.execPath, [resolve("scripts/action.mjs")], {
    cwd: runner,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      HOME: runner,
      RUNNER_TEMP: runner,
      GITHUB_WORKSPACE: runner,
      GITHUB_ACTIONS: "true",
      GITHUB_API_URL: world.apiUrl,
      GITHUB_EVENT_PATH: file("event.json", JSON.stringify(event)),
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
      ...Object.fromEntries(Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
    },
  });
  const log: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => log.push(chunk));
  const code = await new Promise<number | null>((done) => child.on("close", done));
  const lines = readFileSync(output, "utf8").trim().split("\n");
  const outputs = Object.fromEntries(lines.map((line) => /^([^=]+)=(.*)$/.exec(line)?.slice(1) ?? ["", ""]));
  return { code, log: Buffer.concat(log).toString(), outputs, summary: readFileSync(summary, "utf8") };
}

test("one review and one summary, found again by the next run; a fixed finding is no longer open", async () => {
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const files = { "ops/backup.py": BACKUP, "src/balance.py": BALANCE };
  const pull = await world.pullRequest(repository, { title: "feat: back up", files });
  const token = world.workflowToken("acme", "write");
  const stands = () => {
    const { summary, reviews } = world.comments(pull);
    expect([...summary, ...reviews].every(({ author }) => author === BOT)).toBe(true);
    return { said: said(world, pull).toSorted(), summaries: summary.length, reviews: reviews.length };
  };
  const once = {
    said: ["ops/backup.py:3 shell-from-strings", "src/balance.py:5 tls-verify-disabled"],
    summaries: 1,
    reviews: 1,
  };

  const first = await act(pull, { token, inputs: { "fail-on": "major" } });
  expect({ code: first.code, findings: first.outputs.findings, log: first.log }).toMatchObject({
    code: 1,
    findings: "2",
    log: expect.not.stringMatching(/^::(?:error|warning) file=/m),
  });
  expect(first.outputs.posted).toMatch(/\/acme\/shop\/(?:pull|issues)\/1#issuecomment-\d+$/);
  expect(first.summary).toBe("");
  expect(stands()).toEqual(once);
  // The action answers no command, so its comments offer none.
  const bodies = world.comments(pull).inline.map(({ body }) => body);
  expect(bodies).toHaveLength(2);
  for (const body of bodies) {
    expect(body).toMatch(/write `kodiai-ignore [\w-]+ REASON` in a comment above/);
    expect(body).not.toContain("/kodiai");
  }

  const again = await act(pull, { token, inputs: { "fail-on": "major" } });
  expect({ code: again.code, findings: again.outputs.findings }).toEqual({ code: 1, findings: "2" });
  expect(stands()).toEqual(once);

  await world.push(pull, { "src/balance.py": BALANCE.replace("verify=False, ", "") });
  const fixed = await act(pull, { token, inputs: { "fail-on": "never" } });
  expect({ code: fixed.code, findings: fixed.outputs.findings }).toEqual({ code: 0, findings: "1" });
  expect(stands()).toEqual(once);
  const [summary] = world.comments(pull).summary;
  expect(summary?.body).toMatch(/addressed|fixed|no longer/i);
  expect(world.violations).toEqual([]);
});

test("a 👍 of an earlier run goes when there is something to say", async () => {
  const repository = await world.repository("acme", "quiet", { files: { "README.md": "# Quiet\n" } });
  const pull = await world.pullRequest(repository, { title: "docs: say more", files: { "README.md": "# Quieter\n" } });
  const token = world.workflowToken("acme", "write");
  await act(pull, { token, inputs: { "fail-on": "never" } });
  expect(pull.reactions).toMatchObject([{ author: { login: BOT }, content: "+1" }]);
  await world.push(pull, { "ops/backup.py": BACKUP });
  await act(pull, { token, inputs: { "fail-on": "never" } });
  expect(said(world, pull)).toEqual(["ops/backup.py:3 shell-from-strings"]);
  expect(pull.reactions).toEqual([]);
});

test("what the configuration leaves out is not reviewed, but a step that may fail answers for it", async () => {
  const repository = await world.repository("acme", "drafts", { files: { "README.md": "# Drafts\n" } });
  const files = { "ops/backup.py": BACKUP };
  const pull = await world.pullRequest(repository, { title: "[wip] feat: back up", files });
  const token = world.workflowToken("acme", "write");
  const left = await act(pull, { token });
  expect(left).toMatchObject({ code: 0, outputs: { "exit-code": "0", report: "", findings: "0" } });
  expect(left.summary).toContain("did not review this pull request: the title");
  expect(said(world, pull)).toEqual([]);
  const failing = await act(pull, { token, inputs: { "fail-on": "major" } });
  expect(failing).toMatchObject({ code: 1, outputs: { findings: "1" } });
});

test("a fork's token cannot write: annotations, the job's summary, and the exit code by fail-on", async () => {
  const repository = await world.repository("acme", "stall", { files: { "README.md": "# Stall\n" } });
  const pull = await world.pullRequest(repository, {
    title: "feat: back up",
    files: { "ops/a,b:c.py": BACKUP, "src/balance.py": BALANCE.replace("verify", "  verify") },
  });
  const token = world.workflowToken("acme", "read");
  const ran = await act(pull, { token, fork: true, inputs: { "fail-on": "major" } });
  expect(world.comments(pull)).toMatchObject({ inline: [], summary: [], reviews: [] });
  expect(ran.code).toBe(1);
  expect(ran.outputs).toEqual({ "exit-code": "1", report: "kodiai.sarif", findings: "2" });
  expect(ran.log).toContain("not posted: ");
  expect(ran.log).toMatch(/^::error file=ops\/a%2Cb%3Ac\.py,line=3,endLine=3,title=[^:]+::/m);
  expect(ran.summary).toContain("balance.py");
  // The first refusal says enough.
  expect(writes(world).filter((one) => one.includes("/acme/stall/")).length).toBeLessThanOrEqual(1);
});
