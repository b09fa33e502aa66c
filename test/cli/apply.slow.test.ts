// `kodiai review --apply`: what it writes into files of every kind, and what it asks at a terminal.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WATCHDOG_MS } from "../watchdog.ts";
import { type Clone, kodiai, newClone } from "./kodiai.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const ASKED = 'reply = requests.get("https://a.example.com")';
const CHANGED = 'reply = requests.get("https://a.example.com", timeout=10)';
const FILE = `import requests\n${ASKED}\n`;

let own: Clone;
let outside: Clone;
beforeEach(() => {
  own = newClone();
  outside = newClone();
  own.write({ "README.md": "# Shop\n" });
  own.commit("Lay the ground");
});
afterEach(() => {
  own.remove();
  outside.remove();
});
const read = (path: string) => readFileSync(join(own.path, path), "utf8");

test("a file keeps its end, its ends of lines and its mode; what is no longer there, or elsewhere, is named and left alone", async () => {
  own.write({
    "end.py": `import requests\n${ASKED}`,
    "windows.py": `import requests\r\n${ASKED}\r\n`,
    "run.py": FILE,
    "deep in/größe.py": FILE,
    "twice.py": `import requests\n${ASKED}\nprint(reply)\n${ASKED}\n`,
    "gone.py": FILE,
    "link.py": FILE,
    "moved.py": FILE,
  });
  // What git writes with core.autocrlf, where the commit has LF.
  own.write({ "checked-out.py": FILE });
  chmodSync(join(own.path, "run.py"), 0o755);
  own.commit("feat: ask");
  own.write({ "checked-out.py": FILE.replaceAll("\n", "\r\n") });
  rmSync(join(own.path, "gone.py"));
  rmSync(join(own.path, "link.py"));
  outside.write({ "a.py": FILE });
  symlinkSync(join(outside.path, "a.py"), join(own.path, "link.py"));
  own.write({ "moved.py": `# above\n${FILE}` });
  const cwd = join(own.path, "deep in");
  const { code, err } = await kodiai(["review", "--base", "HEAD~1", "--apply", "--yes"], { cwd });
  expect(code).toBe(0);
  for (const path of ["end.py", "run.py", "deep in/größe.py"]) expect(err).toContain(`applied 1 suggestion to ${path}`);
  expect(err).toContain("applied 2 suggestions to twice.py");
  for (const path of ["gone.py", "link.py", "moved.py"]) expect(err).toContain(`not applied: ${path}`);
  expect(read("end.py")).toBe(`import requests\n${CHANGED}`);
  expect(read("windows.py")).toBe(`import requests\r\n${CHANGED}\r\n`);
  expect(read("checked-out.py")).toBe(`import requests\r\n${CHANGED}\r\n`);
  expect(read("deep in/größe.py")).toBe(`import requests\n${CHANGED}\n`);
  expect(read("twice.py")).toBe(`import requests\n${CHANGED}\nprint(reply)\n${CHANGED}\n`);
  expect(read("moved.py")).toBe(`# above\n${FILE}`);
  expect(statSync(join(own.path, "run.py")).mode & 0o777).toBe(0o755);
  expect(readFileSync(join(outside.path, "a.py"), "utf8")).toBe(FILE);
});

const hasTerminal =
  process.platform === "linux" && /util-linux/.test(String(spawnSync("script", ["--version"]).stdout));
if (!hasTerminal)
  console.warn("SKIPPED: there is no `script` of util-linux here: nobody answered the question of --apply");

describe.skipIf(!hasTerminal)("at a terminal it asks", () => {
  test.each([
    ["y", CHANGED],
    ["n", ASKED],
    ["\u0003", ASKED],
  ])("and %j decides", async (key, expected) => {
    own.write({ "a.py": FILE });
    own.commit("feat: ask");
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
    const env = {
      PATH,
      HOME,
      NODE_COMPILE_CACHE,
      TERM: "xterm",
      NO_COLOR: "1",
      XDG_DATA_HOME: join(own.path, "..", "no-data"),
    };
    const command = `stty cols 120 rows 40; exec '${process.execPath}' '${MAIN}' review --base HEAD~1 --apply`;
    const running = spawn("script", ["-qec", command, "/dev/null"], { cwd: own.path, env, timeout: WATCHDOG_MS });
    let screen = "";
    let isAnswered = false;
    running.stdout.on("data", (chunk: Buffer) => {
      screen = stripVTControlCharacters(screen + String(chunk));
      if (isAnswered || !screen.includes("Apply 1 suggestion to 1 file?")) return;
      isAnswered = true;
      running.stdin.write(key);
    });
    await new Promise((resolve) => running.on("close", resolve));
    expect(screen).toContain("Apply 1 suggestion to 1 file?");
    expect(read("a.py")).toBe(`import requests\n${expected}\n`);
  });
});
