// How long a whole review keeps its process from everything else, for inputs that once blocked it for seconds. The longest stretch
// is compared with a loop of the same run.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FlowHarness, openFlow } from "../app/flow-harness.ts";

let flow: FlowHarness;
beforeAll(async () => {
  flow = await openFlow({ model: () => ({ findings: [], ruleFindings: [], walkthrough: "A change." }) });
});
afterAll(() => flow.close());

/** Processor milliseconds of this process; other processes of the machine change nothing. */
function spent(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The same work on every machine, some 200 ms. */
function calibration(): number {
  const bytes = Buffer.alloc(1 << 20);
  const before = spent();
  for (let at = 0; at < 100; at++) createHash("sha256").update(bytes).digest();
  return spent() - before;
}

const lines = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join("");

const INPUTS: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
  "800 equal registrations": () => ({ "src/a.ts": 'app.get("/a", x);\n'.repeat(800) }),
  "8,000 different handlers": () => ({ "src/a.ts": lines(8_000, (at) => `ipcMain.handle("c${at}", () => ${at});\n`) }),
  "2,000 keys in 2,000 files": () =>
    Object.fromEntries(
      Array.from({ length: 2_000 }, (_, at) => [`src/a${at}.ts`, `export const v = process.env.K${at};\n`]),
    ),
  "one line of 82 KB": () => ({ "src/a.ts": lines(9_000, (at) => `name${at} `) }),
  "700 KB of nested base64": () => ({
    "src/a.txt": lines(9_000, (at) => {
      const once = Buffer.from(`word number ${at} here`).toString("base64");
      return `${Buffer.from(once).toString("base64")} `.repeat(2);
    }),
  }),
  "700 KB of passwords in URLs": () => ({ "src/a.txt": lines(20_000, (at) => `postgres://u:Xy7${at}@db.acme.io `) }),
  "250 KB of # as the head's configuration": () => ({ ".kodiai.yml": "#\n".repeat(125_000) }),
};

test.each(Object.entries(INPUTS))("%s: the process turns in between", { timeout: 300_000 }, async (name, files) => {
  const repository = await flow.world.repository("acme", `r${name.length}${name[0]}`, { files: { "a.md": "x\n" } });
  const pull = await flow.world.pullRequest(repository, { title: "feat: more", files: files() });
  let longest = 0;
  let before = spent();
  const clock = setInterval(() => {
    const now = spent();
    longest = Math.max(longest, now - before);
    before = now;
  }, 1);
  try {
    expect((await flow.settled(pull)).state).toBe("done");
  } finally {
    clearInterval(clock);
  }
  const least = Math.min(calibration(), calibration(), calibration());
  console.info(`${name}: ${longest.toFixed(0)} ms without a turn, the calibrating loop ${least.toFixed(0)} ms`);
  // 125,000 lines that a model reads are the longest: 8 loops.
  expect(longest / least).toBeLessThan(15);
});
