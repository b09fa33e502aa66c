// What the processes that read untrusted text can really read: another program is run with the
// rights of one that runs.
import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { codeSymbols } from "../../src/adapters/code-index/symbols.ts";
import { readingProcess } from "../../src/adapters/reading-child.ts";
import { isolatedInspector } from "../../src/adapters/rules/isolated-inspector.ts";
import type { ProbeAnswer, ProbeQuestion } from "./reading-probe.child.ts";
import { exampleFile } from "./rules/example-file.ts";

const DENIED = "ERR_ACCESS_DENIED";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-data-"));
  writeFileSync(join(folder, "kodiai.private-key.pem"), "a key");
  writeFileSync(join(folder, "secret.json"), "{}");
  const db = new Database(join(folder, "queue.db"));
  db.exec("CREATE TABLE kept (text)");
  db.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Node's options of a child of this process that runs this program now. */
function optionsOf(program: string): readonly string[] {
  const children = execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(process.pid)])
    .toString()
    .split("\n");
  const pid = Number.parseInt(children.find((line) => line.includes(program)) ?? "", 10);
  const [, ...args] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  return args.slice(
    0,
    args.findIndex((word) => word.endsWith(program)),
  );
}

async function probe(execArgv: readonly string[], question: ProbeQuestion): Promise<ProbeAnswer> {
  const program = new URL("./reading-probe.child.ts", import.meta.url);
  const child = fork(program, { execArgv: [...execArgv], env: {}, serialization: "advanced" });
  try {
    child.send(question);
    const [answer] = await Promise.race([once(child, "message"), once(child, "exit")]);
    return answer as ProbeAnswer;
  } finally {
    child.kill("SIGKILL");
  }
}

const READERS = [
  [
    "the rules",
    "inspect-process.ts",
    async () => {
      const inspector = isolatedInspector();
      await inspector.inspect([exampleFile("src/run.ts", "eval(x);\n")], new Map(), []);
      return () => inspector.close();
    },
  ],
  [
    "names in code",
    "symbols-process.ts",
    async () => {
      const symbols = codeSymbols();
      await symbols.outline("src/run.ts", "export const one = 1;\n");
      return () => symbols.close();
    },
  ],
] as const;

test.runIf(process.platform === "linux").each(READERS)(
  "the process of %s reads its own code alone: no data folder, no key, no environment of the server [T1]",
  async (_, program, start) => {
    const close = await start();
    const options = optionsOf(program);
    close();
    const database = join(folder, "queue.db");
    const own = join(import.meta.dirname, "../../src/adapters/grammars.ts");
    const others = [
      ...[`/proc/${process.pid}/environ`, "/proc/self/environ", `/proc/${process.pid}/mem`, "/etc/passwd"],
      ...[database, join(folder, "kodiai.private-key.pem"), join(import.meta.dirname, "../../.env.example")],
    ];
    const found = await probe(options, { files: [own, ...others], folder, database });
    expect(found.files).toEqual([[own, "done"], ...others.map((path) => [path, DENIED])]);
    const { sqlite, betterSqlite, ...denied } = found.others;
    expect(new Set(Object.values(denied))).toEqual(new Set([DENIED]));
    expect([sqlite, betterSqlite]).toEqual(["ERR_UNKNOWN_BUILTIN_MODULE", DENIED]);
    expect(found.parsed).toHaveLength(9);
    expect(found.environment).toEqual([]);
  },
);

// A process that rests is what one that waits for the processor of a busy machine looks like.
test.runIf(process.platform === "linux").each([
  ["rests", { restMs: 1_000, busyMs: 0 }, { answer: "answered" }],
  ["is busy", { restMs: 0, busyMs: 60_000 }, { silence: "too long" }],
  ["rests for ever", { restMs: 60_000, busyMs: 0 }, { silence: "too long" }],
])("a process that %s is judged by its own time, and only at last by the clock", async (_, question, result) => {
  const program = new URL("./late-answer.child.ts", import.meta.url);
  const none = Number.POSITIVE_INFINITY;
  const reading = readingProcess(() => fork(program, { serialization: "advanced" }), {
    ...{ ms: 400, bytes: none, restingBytes: none, idleMs: null, stuckFiles: 1, reviewMs: none },
  });
  try {
    expect(await reading.reader().ask(question, 1)).toEqual(result);
  } finally {
    reading.end();
  }
});
