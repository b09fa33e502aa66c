// How much of a repository a snapshot reads: hand-written code, as far as a process can.

const MB = 1 << 20;

export const SNAPSHOT_LIMITS = {
  /** Bytes of the archive as it is sent. */
  packedBytes: 50 * MB,
  /** Bytes of the archive once unpacked, and of all files of the commit. */
  unpackedBytes: 200 * MB,
  files: 50_000,
  /** Bytes of a file; larger ones are left out, because they are not hand-written. */
  fileBytes: 256 << 10,
  /** Files requested one by one: the archive lacks them, or too few changed for an archive. */
  blobs: 50,
  /** Milliseconds for all of it. */
  ms: 30_000,
};
export type SnapshotLimits = Readonly<typeof SNAPSHOT_LIMITS>;

/** There is no snapshot, for a reason that people are shown. */
export class NoSnapshot extends Error {
  override readonly name = "NoSnapshot";
}

/** @throws NoSnapshot if the files of a commit exceed the limits */
export function checkSize(files: readonly { readonly bytes: number }[], limits: SnapshotLimits): void {
  if (files.length > limits.files)
    throw new NoSnapshot(`the repository has more than ${limits.files.toLocaleString("en")} files`);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > limits.unpackedBytes)
    throw new NoSnapshot(`its files are larger than ${inMegabytes(limits.unpackedBytes)}`);
}

export function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / MB)} MB`;
}
