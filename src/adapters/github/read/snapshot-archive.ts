// Reads a repository's archive as it streams in. Identifies files by their bytes, so that names and
// links in it are harmless; refuses an archive that git would not write.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { type Extract, extract, type Header } from "tar-stream";
import { inMegabytes, NoSnapshot, type SnapshotLimits } from "../../snapshot-limits.ts";

/** Entries per file: folders and links come on top of files. */
const ENTRIES_A_FILE = 2;
/** Bytes unpacked at a time: each chunk uses the thread pool, which others share. */
const CHUNK_BYTES = 64 << 10;
/** Bytes between two entries, with those that tar-stream buffers. Git writes a few hundred. */
const MOST_BETWEEN = 8 * CHUNK_BYTES;

/**
 * Passes the bytes of each file that is not too large to `take`, one after the other.
 *
 * @param packed a `.tar.gz`, which is closed in every case
 * @param isLink whether the repository has a symbolic link at a path
 * @throws NoSnapshot when it is too large, breaks off, or git would not write it
 */
export async function readArchive(
  packed: AsyncIterable<Uint8Array>,
  limits: SnapshotLimits,
  signal: AbortSignal,
  isLink: (path: string) => boolean,
  take: (bytes: Buffer) => Promise<void>,
): Promise<void> {
  const tar = extract();
  const { packedBytes, unpackedBytes } = limits;
  const headerLimit = { until: MOST_BETWEEN };
  const unpacking = pipeline(
    Readable.from(upTo(packed, () => packedBytes, `the archive is larger than ${inMegabytes(packedBytes)}`)),
    createGunzip({ chunkSize: CHUNK_BYTES }),
    (chunks: AsyncIterable<Uint8Array>) =>
      upTo(chunks, () => unpackedBytes, `the unpacked archive is larger than ${inMegabytes(unpackedBytes)}`),
    // Stops at headers that are longer than any that git writes.
    (chunks: AsyncIterable<Uint8Array>) =>
      upTo(chunks, () => headerLimit.until, "the archive has a header that git does not write"),
    tar,
    { signal },
  );
  const reading = readEntries(tar, limits, headerLimit, isLink, take);
  const ends = await Promise.allSettled([reading, unpacking]);
  const failures = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
  if (failures.length === 0) return;
  signal.throwIfAborted();
  const known = failures.find((error) => error instanceof NoSnapshot || isOfTheDisk(error));
  throw known ?? new NoSnapshot("the archive is damaged or breaks off", { cause: failures[0] });
}

async function readEntries(
  tar: Extract,
  limits: SnapshotLimits,
  headerLimit: { until: number },
  isLink: (path: string) => boolean,
  take: (bytes: Buffer) => Promise<void>,
): Promise<void> {
  let entries = 0;
  let files = 0;
  for await (const entry of tar) {
    const header = entry.header as Header & { readonly byteOffset: number };
    headerLimit.until = header.byteOffset + (header.size ?? 0) + MOST_BETWEEN;
    entries += 1;
    if (header.type === "file") files += 1;
    if (files > limits.files || entries > limits.files * ENTRIES_A_FILE)
      throw new NoSnapshot(`the archive has more than ${limits.files.toLocaleString("en")} files`);
    const problem = problemOf(header, isLink);
    if (problem !== null) throw new NoSnapshot(problem);
    if (header.type !== "file" || (header.size ?? 0) > limits.fileBytes) {
      entry.resume();
      continue;
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of entry) chunks.push(chunk as Uint8Array);
    await take(Buffer.concat(chunks));
  }
}

/** Why git would not write such an entry, or null. */
function problemOf({ name, type }: Header, isLink: (path: string) => boolean): string | null {
  const steps = name.split("/");
  if (name.startsWith("/") || steps.includes("..")) return "the archive has a name that leads out of it";
  if (type === "file" || type === "directory") return null;
  // GitHub puts everything into one folder. A name that is not UTF-8 has two spellings.
  const path = steps.slice(1).join("/");
  if (type === "symlink" && (isLink(path) || path.includes("\uFFFD"))) return null;
  return "the archive has a link or a device that is not in the repository";
}

/** Passes chunks on, until they are more bytes than `most` at that moment. */
async function* upTo(
  chunks: AsyncIterable<Uint8Array>,
  most: () => number,
  problem: string,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > most()) throw new NoSnapshot(problem);
    yield chunk;
  }
}

function isOfTheDisk(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
