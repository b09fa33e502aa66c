// Blobs of a clone, by their hash: one git process answers one request after another.
import type { Socket } from "node:net";
import { oneAtATime } from "../../domain/one-at-a-time.ts";
import { decodeText } from "../../domain/text/decode-text.ts";
import { GitFailed, gitProcess } from "./git.ts";

/** An idle process ends after this. */
const IDLE_MS = 1_000;

/**
 * Starts git with the first request. It does not keep this process alive, and ends with it. `read`
 * gives null for a blob that does not exist, and throws GitFailed when git ends early; after
 * `close` the next request starts git again.
 */
export function blobReader(cwd: string) {
  let running: ReturnType<typeof talk> | null = null;
  const inTurn = oneAtATime();
  let idle: NodeJS.Timeout | undefined;
  const close = () => {
    clearTimeout(idle);
    running?.end();
    running = null;
  };

  async function answered(hash: string): Promise<Buffer | null> {
    clearTimeout(idle);
    running ??= talk(cwd);
    try {
      return await running.ask(hash);
    } catch (error) {
      close();
      throw error;
    } finally {
      idle = setTimeout(close, IDLE_MS).unref();
    }
  }

  return { read: (hash: string) => inTurn(() => answered(hash)), close };
}

/** The text of a blob; null for a binary one. */
export function textOf(bytes: Buffer | null): string | null {
  return bytes === null ? null : decodeText(bytes);
}

/** The size in bytes of each blob that exists, by its hash. */
export async function blobSizes(cwd: string, hashes: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const child = gitProcess(cwd, ["cat-file", "--batch-check"]);
  const failed = failureOf(child);
  child.stdin.end(hashes.map((hash) => `${hash}\n`).join(""));
  const output = await Promise.race([child.stdout.setEncoding("utf8").toArray(), failed]);
  const found = output.join("").matchAll(/^(\w+) blob (\d+)$/gm);
  return new Map(found.map(([, hash = "", size]) => [hash, Number(size)]));
}

/** Rejects when git cannot run. Ignores its words, and errors after its reader was closed. */
function failureOf(child: ReturnType<typeof gitProcess>): Promise<never> {
  child.stdin.on("error", () => {});
  child.stderr.resume();
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  child.on("error", (error) => reject(new GitFailed(error.message, { cause: error })));
  return promise;
}

function talk(cwd: string) {
  const child = gitProcess(cwd, ["cat-file", "--batch"]);
  const failed = failureOf(child);
  const read = reader(child.stdout);
  // Pipes to a child are sockets, whatever their types say.
  const pipes = [child.stdin, child.stdout, child.stderr] as unknown as readonly Socket[];
  const handles = [child, ...pipes];
  for (const handle of handles) handle.unref();
  return {
    async ask(hash: string): Promise<Buffer | null> {
      for (const handle of handles) handle.ref();
      try {
        // By hash: a path may hold a line break, and then would be two questions.
        child.stdin.write(`${hash}\n`);
        return await Promise.race([blob(read), failed]);
      } finally {
        for (const handle of handles) handle.unref();
      }
    },
    end: () => void child.kill(),
  };
}

/** `HASH blob SIZE\n` and the bytes with a line feed after them, or `HASH missing\n`. */
async function blob(read: ReturnType<typeof reader>): Promise<Buffer | null> {
  const [, type, size] = (await read.line()).split(" ");
  if (type === "missing" || size === undefined) return null;
  const bytes = await read.bytes(Number(size) + 1);
  return type === "blob" ? bytes.subarray(0, -1) : null;
}

function reader(stream: AsyncIterable<Buffer>) {
  const chunks = stream[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  const more = async () => {
    const { value, done } = await chunks.next();
    if (done === true) throw new GitFailed("git ended before it had answered everything");
    return value;
  };
  return {
    /** Up to the next line feed, without it. */
    async line(): Promise<string> {
      let end = held.indexOf(10);
      for (; end === -1; end = held.indexOf(10)) held = Buffer.concat([held, await more()]);
      const line = held.subarray(0, end).toString("utf8");
      held = held.subarray(end + 1);
      return line;
    },
    async bytes(count: number): Promise<Buffer> {
      const parts = [held];
      for (let length = held.length; length < count; ) {
        const part = await more();
        parts.push(part);
        length += part.length;
      }
      const all = Buffer.concat(parts);
      held = all.subarray(count);
      return all.subarray(0, count);
    },
  };
}
