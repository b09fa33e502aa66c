// `kodiai setup` at a terminal: util-linux's `script` gives it one, and the test types.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type GitHubWorld, startGitHub } from "../fakes/github/github.ts";
import { WATCHDOG_MS } from "../watchdog.ts";
import { browse } from "./setup-process.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const HOOK = "https://kodiai.example.com/api/github/webhooks";
const hasTerminal =
  process.platform === "linux" && /util-linux/.test(String(spawnSync("script", ["--version"]).stdout));
if (!hasTerminal) console.warn("SKIPPED: there is no `script` of util-linux here: nobody answered set-up's questions");

describe.skipIf(!hasTerminal)("set-up at a terminal", () => {
  let world: GitHubWorld;
  let folder: string;
  let child: ChildProcess | undefined;
  beforeAll(async () => {
    world = await startGitHub();
  });
  afterAll(() => world.close());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "kodiai-setup-"));
  });
  afterEach(() => {
    child?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts it with a screen of its own. */
  function atTerminal() {
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, HOME, NODE_COMPILE_CACHE, TERM: "xterm", NO_COLOR: "1", KODIAI_GITHUB_API_URL: world.apiUrl };
    // A screen of no width shows one character a line.
    const command = `stty cols 120 rows 40; exec '${process.execPath}' '${MAIN}' setup`;
    const running = spawn("script", ["-qec", command, "/dev/null"], { cwd: folder, env, timeout: 2 * WATCHDOG_MS });
    child = running;
    let screen = "";
    running.stdout.on("data", (chunk: Buffer) => (screen += chunk));
    const ended = new Promise<number | null>((resolve) => running.on("close", resolve));
    return {
      ended,
      type: (keys: string) => void running.stdin.write(keys),
      screen: () => stripVTControlCharacters(screen),
      async shows(words: RegExp): Promise<string> {
        const until = Date.now() + WATCHDOG_MS;
        for (;;) {
          const found = words.exec(stripVTControlCharacters(screen));
          if (found !== null) return found[0];
          if (Date.now() > until) throw new Error(`${words} was not shown:\n${stripVTControlCharacters(screen)}`);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      },
    };
  }

  test("asks for the address, says what is wrong with it, and goes on with the page and to the end", async () => {
    const { shows, type, ended } = atTerminal();
    await shows(/Where will GitHub reach this server\?/);
    type("http://kodiai.example.com/x\r");
    await shows(/must begin with https:\/\//);
    type("\u0015");
    type(`${HOOK}\r`);
    const url = await shows(/http:\/\/127\.0\.0\.1:\d+\/start\?token=[\w-]{32}/);
    const { manifest, send } = await browse(url);
    expect(manifest.hook_attributes).toMatchObject({ url: HOOK });
    await send(world.confirmManifest(manifest));
    expect(await ended).toBe(0);
    await shows(/permissions +permissions and events match app\.yml/);
    expect(readFileSync(join(folder, ".env"), "utf8")).toContain("APP_ID=4242");
  });

  test("a Ctrl-C at a question ends it without a stack, says that what was done stays, and writes nothing", async () => {
    const { shows, type, ended, screen } = atTerminal();
    await shows(/Where will GitHub reach this server\?/);
    type("\u0003");
    expect(await ended).toBe(3);
    expect(screen()).toMatch(/Stopped\. Completed steps stay; run the command again to resume\./);
    expect(screen()).not.toMatch(/ at .*\.ts:\d+/);
    expect(existsSync(join(folder, ".env"))).toBe(false);
  });
});
