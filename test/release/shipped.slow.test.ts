// The container and the action, started from no other files than those that ship: a Dockerfile's
// COPY lines, a checkout of a tag.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { until, WEBHOOK_PATH } from "../app/app-harness.ts";
import { BACKUP, BALANCE, said } from "../app/change-builders.ts";
import { freePorts } from "../app/server-process.ts";
import { newClone } from "../cli/kodiai.ts";
import { oldNode } from "../cli/old-node.ts";
import { startGitHub } from "../fakes/github/github.ts";
import { newUser, registryProblem } from "./registry.ts";

let temp: string;
let problem: string | null;
let user: Readonly<Record<string, string | undefined>>;
beforeAll(() => {
  temp = mkdtempSync(join(tmpdir(), "kodiai-shipped-"));
  problem = registryProblem();
  user = newUser(temp);
});
afterAll(() => rmSync(temp, { recursive: true, force: true }));

/** Does in a folder what the lines of the Dockerfile do in the image. */
function build(folder: string): {
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
} {
  const lines = readFileSync("Dockerfile", "utf8").replaceAll("\\\n", " ").split("\n");
  const env: Record<string, string> = {};
  let command: readonly string[] = [];
  for (const line of lines) {
    const [, instruction = "", rest = ""] = /^([A-Z]+) +(.+)$/.exec(line) ?? [];
    if (instruction === "ENV")
      for (const pair of rest.split(" ")) env[pair.split("=")[0] ?? ""] = pair.split("=")[1] ?? "";
    if (instruction === "CMD") command = JSON.parse(rest);
    if (instruction === "COPY") {
      const words = rest.split(" ");
      const target = words.pop() ?? "";
      for (const source of words)
        cpSync(source, join(folder, target, target.endsWith("/") ? source : ""), { recursive: true });
    }
    const install = instruction === "RUN" ? /^npm ci [^&]*/.exec(rest)?.[0].trim() : undefined;
    if (install !== undefined)
      execFileSync("sh", ["-c", install], {
        cwd: folder,
        env: { ...user, ...env },
        stdio: ["ignore", "ignore", "inherit"],
      });
  }
  return { env, command };
}

test("the container's files are all that its server needs: it answers, reviews a pull request, and stops", async (context) => {
  if (problem !== null) return context.skip(problem);
  const folder = join(temp, "image");
  mkdirSync(folder);
  const { env, command } = build(folder);
  expect(command.at(-1)).toBe("src/main.ts");
  const world = await startGitHub();
  const { appId, privateKey, webhookSecret } = world.appCredentials;
  const [PORT, KODIAI_ADMIN_PORT] = await freePorts();
  const app = { APP_ID: String(appId), PRIVATE_KEY: privateKey.replaceAll("\n", "\\n"), WEBHOOK_SECRET: webhookSecret };
  const own = { PATH: process.env.PATH, HOME: user.HOME, KODIAI_DATA_DIR: join(temp, "data"), PORT, KODIAI_ADMIN_PORT };
  // The image's `node` is the one that the tests run on.
  const here = { cwd: folder, env: { ...env, ...own, ...app, KODIAI_GITHUB_API_URL: world.apiUrl } };
  const server = spawn(process.execPath, command.slice(1), here);
  let log = "";
  for (const stream of [server.stdout, server.stderr]) stream.on("data", (chunk) => (log += String(chunk)));
  try {
    let status = 0;
    const ask = () =>
      fetch(`http://127.0.0.1:${PORT}/healthz`).then(
        (answer) => (status = answer.status),
        () => {},
      );
    const asking = setInterval(ask, 100);
    await until("it answers", () => status !== 0 || server.exitCode !== null).finally(() => clearInterval(asking));
    expect({ status, log }).toMatchObject({ status: 200 });
    world.setWebhookUrl(`http://127.0.0.1:${PORT}${WEBHOOK_PATH}`);
    const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
    await until("it listens", () => log.includes("Kodiai is listening"));
    const pull = await world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
    await until("it reviewed", () => said(world, pull).length > 0);
    // As docs/deploy.md has it.
    const doctor = spawn(process.execPath, ["src/cli/main.ts", "doctor"], {
      ...here,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let checks = "";
    doctor.stdout.on("data", (chunk) => (checks += String(chunk)));
    await until("it was looked at", () => doctor.exitCode !== null);
    expect({ code: doctor.exitCode, checks }).toMatchObject({ code: 0 });
    server.kill("SIGTERM");
    await until("it stops", () => server.exitCode !== null);
    expect(server.exitCode).toBe(0);
  } finally {
    await ended(server);
    await world.close();
  }
});

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

test("a checkout of a tag is all that the action needs: it installs its packages, reviews, and says when Node is too old", (context) => {
  if (problem !== null) return context.skip(problem);
  const listed = spawnSync("git", ["ls-files", "-z"], { encoding: "utf8", maxBuffer: 10_000_000 });
  if (listed.status !== 0) {
    console.warn("SKIPPED, NOT TESTED: the action from a checkout, since this is none");
    return context.skip("no checkout");
  }
  const action = join(temp, "action");
  for (const path of listed.stdout.split("\0").filter((one) => one !== "" && existsSync(one))) {
    mkdirSync(join(action, dirname(path)), { recursive: true });
    cpSync(path, join(action, path), { verbatimSymlinks: true });
  }
  const { runs } = parse(readFileSync(join(action, "action.yml"), "utf8"));
  const clone = newClone();
  clone.write({ "README.md": "# Shop\n" });
  clone.commit("Lay the ground");
  clone.write({ "src/balance.py": BALANCE });
  clone.commit("feat: balance");
  const output = join(temp, "output");
  const run = (node: string) => {
    writeFileSync(output, "");
    const inputs = { INPUT_BASE: "HEAD~1", "INPUT_FAIL-ON": "major", INPUT_MODEL: "off" };
    const runner = { GITHUB_WORKSPACE: clone.path, RUNNER_TEMP: temp, GITHUB_OUTPUT: output };
    const env = { ...user, ...inputs, ...runner };
    const done = spawnSync(node, [join(action, runs.steps.at(-1).run.replace(/.*GITHUB_ACTION_PATH\/|"/g, ""))], {
      cwd: clone.path,
      env,
      encoding: "utf8",
    });
    return { code: done.status, said: done.stdout + done.stderr, outputs: readFileSync(output, "utf8") };
  };
  try {
    expect(existsSync(join(action, "node_modules"))).toBe(false);
    expect(run(process.execPath)).toMatchObject({ code: 1, outputs: "exit-code=1\nreport=kodiai.sarif\nfindings=1\n" });
    const node = oldNode();
    if (node !== null)
      expect(run(node)).toEqual({
        code: 3,
        said: expect.stringMatching(
          /kodiai needs Node 22\.18 or newer; this is [\s\S]*::error::Kodiai could not review/,
        ),
        outputs: "exit-code=3\nreport=\nfindings=\n",
      });
  } finally {
    clone.remove();
  }
});
