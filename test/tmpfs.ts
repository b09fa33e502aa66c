// A folder in memory for what tests write. The app has each commit kept by the disk, and waiting
// for that was a third of the time of the tests that run it, for files that are deleted a second
// later. How often it asks is tested all the same.
import { accessSync, constants, readFileSync, statfsSync } from "node:fs";

const FOLDER = "/dev/shm";
/** Many times what a run needs; containers often have 64 MB. */
const LEAST_BYTES = 4 * 1024 ** 3;

/**
 * Null where there is none, where there is little room, and where programs that lie there may not
 * be started.
 */
export function tmpfs(): string | null {
  try {
    accessSync(FOLDER, constants.W_OK);
    const { bavail, bsize } = statfsSync(FOLDER);
    const mount = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" "))
      .find(([, place]) => place === FOLDER);
    const mayRun = mount !== undefined && !mount[3]?.split(",").includes("noexec");
    return mayRun && bavail * bsize >= LEAST_BYTES ? FOLDER : null;
  } catch {
    return null;
  }
}
