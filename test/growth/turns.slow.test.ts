// How long a whole review keeps its process from everything else, for inputs that once blocked it
// for seconds.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FlowHarness, openFlow } from "../app/flow-harness.ts";
import { longestTurn } from "./longest-turn.ts";

let flow: FlowHarness;
beforeAll(async () => {
  flow = await openFlow({ model: () => ({ findings: [], ruleFindings: [], walkthrough: "A change." }) });
});
afterAll(() => flow.close());

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

test.each(Object.entries(INPUTS))("%s: the process turns in between", async (name, files) => {
  const repository = await flow.world.repository("acme", `r${name.length}${name[0]}`, { files: { "a.md": "x\n" } });
  const pull = await flow.world.pullRequest(repository, { title: "feat: more", files: files() });
  const { ms, loops } = await longestTurn(async () => expect((await flow.settled(pull)).state).toBe("done"));
  console.info(`${name}: ${ms.toFixed(0)} ms without a turn, as long as ${loops.toFixed(1)} loops`);
  // 125,000 lines that a model reads are the longest: 8 loops.
  expect(loops).toBeLessThan(15);
});
