// Writes into folders that may be others': a repository can hold links to the user's files.
import { randomBytes } from "node:crypto";
import { closeSync, constants, lstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { UsageError } from "../config/usage-error.ts";

interface Writing {
  readonly mode: number;
  /** Whether a file that is there is replaced; else it is refused. */
  readonly replaces: boolean;
  readonly makesFolders?: boolean;
  /** The folder that the file must lie in, and not in its `.git`. Absent: any folder. */
  readonly below?: string;
}

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_WRONLY } = constants;

/**
 * Writes a file, as a whole or not at all. Never writes through a link: neither the file nor, below
 * the working folder, one of its folders may be one.
 *
 * @throws UsageError when it is a link, may not be replaced, or cannot be written
 */
export async function writeForeignFile(
  path: string,
  text: Iterable<string> | AsyncIterable<string>,
  { mode, replaces, makesFolders = false, below }: Writing,
): Promise<void> {
  const file = resolve(path);
  if (below !== undefined) refuseOutside(file, below);
  refuseLinks(file, below);
  if (makesFolders) mkdirSync(dirname(file), { recursive: true });
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there !== undefined && !replaces) throw new UsageError(`${path} already exists`);
  // A device or a pipe is written to as it is.
  const isDirect = there !== undefined && !there.isFile();
  const target = isDirect ? file : `${file}.${randomBytes(6).toString("hex")}.new`;
  let opened: number | null = null;
  try {
    opened = openSync(target, O_WRONLY | O_NOFOLLOW | (isDirect ? 0 : O_CREAT | O_EXCL), mode);
    for await (const part of text) writeAll(opened, Buffer.from(part));
    if (isDirect) return;
    if (!replaces && lstatSync(file, { throwIfNoEntry: false }) !== undefined)
      throw new UsageError(`${path} already exists`);
    renameSync(target, file);
  } catch (error) {
    if (!isDirect && opened !== null) rmSync(target, { force: true });
    if (!(error instanceof Error && "code" in error && "syscall" in error)) throw error;
    throw new UsageError(`${path} cannot be written: ${error.message}`);
  } finally {
    if (opened !== null) closeSync(opened);
  }
}

function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

/** Of a path through the working folder: none of its folders there may be a link. */
function refuseLinks(file: string, root: string = process.cwd()): void {
  const steps = relative(root, file).split(sep);
  const isBelow = steps[0] !== ".." && !isAbsolute(steps.join(sep));
  const folders = isBelow ? steps.map((_, at) => resolve(root, ...steps.slice(0, at + 1))) : [];
  for (const path of [file, ...folders])
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw new UsageError(`${path} is a link, through which nothing is written; remove it or name its target`);
}

function refuseOutside(file: string, root: string): void {
  const way = relative(root, file);
  const steps = way.split(sep);
  if (isAbsolute(way) || steps[0] === ".." || steps.some((step) => step.toLowerCase() === ".git"))
    throw new UsageError(`${file} is outside of the working tree`);
}
