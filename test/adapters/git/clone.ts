// A clone in a temporary folder, made by git itself.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface Clone {
  readonly path: string;
  /** Writes files (null removes one), commits, and returns the commit. */
  commit(files: Readonly<Record<string, string | Uint8Array | null>>): string;
  link(path: string, to: string): void;
  git(...args: readonly string[]): string;
  remove(): void;
}

export function givenClone(): Clone {
  const path = mkdtempSync(join(tmpdir(), "kodiai-clone-"));
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: path, encoding: "utf8" }).trim();
  git("init", "-q", "-b", "main");
  return {
    path,
    git,
    link: (from, to) => symlinkSync(to, join(path, from)),
    remove: () => rmSync(path, { recursive: true, force: true }),
    commit(files) {
      for (const [name, text] of Object.entries(files)) {
        const file = join(path, name);
        if (text === null) rmSync(file);
        else {
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, text);
        }
      }
      git("add", "-A");
      git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "--allow-empty", "-m", "change");
      return git("rev-parse", "HEAD");
    },
  };
}
