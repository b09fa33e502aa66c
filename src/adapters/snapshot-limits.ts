// How much of a repository a snapshot reads: enough for hand-written code, and no more than a process can afford.

export interface SnapshotLimits {
  /** Bytes of the archive as it is sent. */
  readonly packedBytes: number;
  /** Bytes of the archive once unpacked, and of all files of the commit. */
  readonly unpackedBytes: number;
  readonly files: number;
  /** Bytes of a file; larger ones are left out, because they are not hand-written. */
  readonly fileBytes: number;
  /** Files that are requested one by one, if the archive lacks them or too few changed to be worth an archive. */
  readonly blobs: number;
  /** Milliseconds for all of it. */
  readonly ms: number;
}

const MB = 1 << 20;

export const SNAPSHOT_LIMITS: SnapshotLimits = {
  packedBytes: 50 * MB,
  unpackedBytes: 200 * MB,
  files: 50_000,
  fileBytes: 256 << 10,
  blobs: 50,
  ms: 30_000,
};

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
