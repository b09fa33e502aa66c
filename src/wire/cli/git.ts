// Git for verbs: hooks for `kodiai hook`, the files of a checkout for `kodiai init`.

import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { GitFailed, git, gitText } from "../../adapters/git/git.ts";
import type { Checkout } from "../../cli/fit-config.ts";
import type { HookPorts } from "../../cli/hook.ts";
import { UsageError } from "../../cli/usage.ts";

/** @param cwd a folder of the clone */
export function hookPorts(cwd: string): HookPorts {
  const ask = (...args: readonly string[]) => gitText(cwd, args);
  /** Null when git fails. */
  const tried = (...args: readonly string[]) =>
    ask(...args).catch((error: unknown) => {
      if (error instanceof GitFailed) return null;
      throw error;
    });
  return {
    async hooksFolder() {
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
    async base(remote, remoteSha, localSha) {
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
