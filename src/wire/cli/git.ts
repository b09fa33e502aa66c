// The files of a checkout, for `kodiai init`.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { git } from "../../adapters/git/git.ts";
import { UsageError } from "../../cli/usage.ts";

/** The content of a checkout. */
export interface Checkout {
  /** Tracked paths and those that git does not ignore, with `/`. */
  readonly files: readonly string[];
  /** Text of .gitattributes; "" without one. */
  readonly attributes: string;
}

/** @throws UsageError when the folder is not a repository */
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
