// The files of one commit of a local clone: one listing, and one process that hands out the blobs one after another.
import { once } from "node:events";
import type { Tree, TreeFile } from "../../ports/memory.ts";
import { GitFailed, git, gitProcess, gitText } from "./git.ts";

/**
 * The tree of a revision.
 *
 * @throws GitFailed when the folder is no repository or the revision does not exist
 */
export async function gitTree(cwd: string, revision: string): Promise<Tree> {
  const commit = await gitText(cwd, ["rev-parse", "--verify", "--end-of-options", `${revision}^{commit}`]);
  // From the top of the clone, whichever folder of it was named.
  const list = async () => {
    const files = parseListing(await git(cwd, ["ls-tree", "-r", "-z", "-l", "--full-tree", commit]));
    return { files, incomplete: null };
  };
  return { commit, list, texts: (files) => texts(cwd, files) };
}

/** `MODE blob HASH SIZE\tPATH` with a NUL after each. Links (120000) and submodules are not files. */
function parseListing(listing: Buffer): TreeFile[] {
  const files: TreeFile[] = [];
  for (const entry of listing.toString("utf8").split("\0")) {
    const tab = entry.indexOf("\t");
    const [mode, type, hash, size] = entry.slice(0, tab).split(/ +/);
    if (tab === -1 || type !== "blob" || mode === "120000" || hash === undefined) continue;
    files.push({ path: entry.slice(tab + 1), hash, bytes: Number(size) });
  }
  return files;
}

async function* texts(
  cwd: string,
  files: readonly TreeFile[],
): AsyncGenerator<{ readonly file: TreeFile; readonly text: string | null }> {
  if (files.length === 0) return;
  const process = gitProcess(cwd, ["cat-file", "--batch"]);
  // A reader that stops early closes the pipe; what git then says is of no interest.
  process.stdin.on("error", () => {});
  process.stderr.resume();
  const failed = new Promise<never>((_, reject) => {
    process.on("error", (error) => reject(new GitFailed(error.message, { cause: error })));
  });
  failed.catch(() => {});
  try {
    // By hash: a path may hold a line break, and then would be two questions.
    process.stdin.end(files.map((file) => `${file.hash}\n`).join(""));
    const read = reader(process.stdout);
    for (const file of files) yield { file, text: textOf(await Promise.race([blob(read), failed])) };
  } finally {
    process.kill();
    if (process.exitCode === null && process.signalCode === null) await once(process, "exit").catch(() => {});
  }
}

/** `HASH blob SIZE\n` and the bytes with a line feed after them, or `HASH missing\n`. */
async function blob(read: Reader): Promise<Buffer | null> {
  const [, type, size] = (await read.line()).split(" ");
  if (type === "missing" || size === undefined) return null;
  const bytes = await read.bytes(Number(size) + 1);
  return type === "blob" ? bytes.subarray(0, -1) : null;
}

function textOf(bytes: Buffer | null): string | null {
  return bytes === null || bytes.includes(0) ? null : bytes.toString("utf8");
}

interface Reader {
  /** Up to the next line feed, without it. */
  line(): Promise<string>;
  bytes(count: number): Promise<Buffer>;
}

function reader(stream: AsyncIterable<Buffer>): Reader {
  const chunks = stream[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  const more = async () => {
    const { value, done } = await chunks.next();
    if (done === true) throw new GitFailed("git ended before it had told everything");
    return value;
  };
  return {
    async line() {
      let end = held.indexOf(10);
      for (; end === -1; end = held.indexOf(10)) held = Buffer.concat([held, await more()]);
      const line = held.subarray(0, end).toString("utf8");
      held = held.subarray(end + 1);
      return line;
    },
    async bytes(count) {
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
