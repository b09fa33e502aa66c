// Runs one verb of `kodiai` after another, so that tests pay for loading the program once and not
// for each command.
import { Readable } from "node:stream";
import { runVerb } from "../../src/cli/run-verb.ts";
import { guardExit } from "../../src/server/guard-exit.ts";

export interface Command {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly stdin: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What the process sends back, in order: what the verb writes, then its exit code. */
export type Sent = { readonly stream: "out" | "err"; readonly chunk: Uint8Array } | { readonly code: number };

const send = (message: Sent) => process.send?.(message);

function sending(stream: "out" | "err"): typeof process.stdout.write {
  return (chunk: string | Uint8Array, encoding?: unknown, done?: unknown) => {
    send({ stream, chunk: Buffer.from(chunk as Uint8Array) });
    for (const callback of [encoding, done]) if (typeof callback === "function") queueMicrotask(() => callback());
    return true;
  };
}

guardExit();
process.stdout.write = sending("out");
process.stderr.write = sending("err");
process.on("disconnect", () => process.exit());
process.on("message", async ({ words, cwd, stdin, env }: Command) => {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  Object.defineProperty(process, "stdin", { value: Readable.from([Buffer.from(stdin)]), configurable: true });
  process.stdout.removeAllListeners("error");
  send({ code: await runVerb(words) });
});
