// A Node that is too old for Kodiai, where the machine has one.
import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";

/** The first in the path that strips no types. Null, and said so, without one. */
export function oldNode(): string | null {
  const folders = (process.env.PATH ?? "").split(delimiter);
  for (const node of folders.map((folder) => join(folder, "node"))) {
    const { status, stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
    if (status === 0 && Number(/^v(\d+)/.exec(stdout)?.[1] ?? 99) < 22) return node;
  }
  console.warn("SKIPPED, NOT TESTED: there is no Node older than 22 in the path");
  return null;
}
