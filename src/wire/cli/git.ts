// Git for verbs: hooks for `kodiai hook`, the files of a checkout for `kodiai init`.

import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { GitFailed, git, gitText } from "../../adapters/git/git.ts";
import { UsageError } from "../../cli/usage.ts";

/** @param cwd a folder of the clone */
export function hookPorts(cwd: string) {
  const ask = (...args: readonly string[]) => gitText(cwd, args);
  /** Null when git fails. */
  const tried = (...args: readonly string[]) =>
    ask(...args).catch((error: unknown) => {
      if (error instanceof GitFailed) return null;
      throw error;
    });
  return {
    /** Where git looks for hooks here, and whether other repositories share that folder. */
    async hooksFolder(): Promise<{ readonly path: string; readonly isShared: boolean }> {
      const top = await ask("rev-parse", "--show-toplevel");
      const set = (await tried("config", "--show-scope", "--type=path", "--get-all", "core.hooksPath")) ?? "";
      // Our git runs with hooks disabled by an option, which it lists last.
      const [scope, path] = set.split("\n").slice(0, -1).at(-1)?.split("\t") ?? [];
      if (scope !== undefined && path !== undefined) {
        return { path: resolve(top, path), isShared: scope === "global" || scope === "system" };
      }
      const common = await ask("rev-parse", "--git-common-dir");
      return { path: join(resolve(cwd, common), "hooks"), isShared: false };
    },
    /**
     * The base of the commits that are new to the remote: the remote's commit, else where the branch left the remote's own; null
     * when nothing of the remote is known.
     */
    async base(remote: string, remoteSha: string | null, localSha: string): Promise<string | null> {
      if (remoteSha !== null && (await tried("cat-file", "-e", `${remoteSha}^{commit}`)) !== null) return remoteSha;
      for (const ref of [
        `refs/remotes/${remote}/HEAD`,
        `refs/remotes/${remote}/main`,
        `refs/remotes/${remote}/master`,
      ]) {
        const base = await tried("merge-base", "--end-of-options", ref, localSha);
        if (base !== null) return base;
      }
      return null;
    },
  };
}

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
