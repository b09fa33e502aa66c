// How much of a repository a snapshot reads: enough for what people write by hand, and no more than a process can spare.

export interface SnapshotLimits {
  /** Bytes of the archive as it is sent. */
  readonly packedBytes: number;
  /** Bytes of the archive once unpacked, and of all files of the commit. */
  readonly unpackedBytes: number;
  readonly files: number;
  /** Bytes of a file; larger ones are left out, since nobody writes them by hand. */
  readonly fileBytes: number;
  /** Files that are asked for one by one, where the archive lacks them or so few changed that it is not worth its bytes. */
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

/** @throws NoSnapshot where the files of a commit are more than is read */
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
