// What `kodiai init` reads of a checkout: the paths that git knows or would add, and .gitattributes.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { git } from "../adapters/git/git.ts";
import type { Checkout } from "../cli/fit-config.ts";
import { UsageError } from "../cli/usage.ts";

/** @throws UsageError when the folder is no repository */
export async function checkoutIn(folder: string): Promise<Checkout> {
  const listed = await git(folder, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).catch(
    (error: unknown) => {
      throw new UsageError(`${folder}: ${error instanceof Error ? error.message : String(error)}`);
    },
  );
  const files = [...new Set(listed.toString("utf8").split("\0"))].filter((path) => path !== "");
  const attributes = await readFile(join(folder, ".gitattributes"), "utf8").catch(() => "");
  return { files, attributes };
}
