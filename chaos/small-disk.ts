// A file system of a few dozen MiB that can be filled without harm.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SmallDisk {
  readonly folder: string;
  close(): void;
}

/** Space for the databases of a run of a thousand deliveries. */
const SIZE = "size=96m";

/** Null where this process may not mount a tmpfs. */
export function openSmallDisk(): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-chaos-disk-"));
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", SIZE, "tmpfs", folder]);
  if (status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    return null;
  }
  return {
    folder,
    close() {
      spawnSync("umount", ["--lazy", folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
