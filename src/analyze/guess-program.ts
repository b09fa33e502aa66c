// A file without an extension, of which only the path is known: a program, or a licence, a note, a list?
// Where the contents are known, their `#!` line decides instead.

/** Folders whose files are sources, inputs or texts; what stands there without an extension is no program. */
const OTHER_FOLDERS = new Set([
  ...["src", "lib", "include", "pkg", "app", "corpus", "license", "licenses", "input", "inputs", "output", "outputs"],
  ...["data", "texts", "files", "images", "logs", "public", "static", "target", "config", ".bundle", ".git", "git"],
  ...["info", "secrets", "streams", ".well-known", "json"],
]);

/** Names of things that are read, not run. */
const OTHER_NAMES =
  /(?:^|[-_])(?:licen[cs]e|readme|notice|authors|changelog|copyright|config|summary|version|token|key|keyfile|toolchain|hosts|kubeconfig|file|link|user|data|example|sample|template|empty|valid|invalid|marker|plan|excluded?|sources)\d*$/i;

/** Folders that hold programs, whatever those are called. */
const SCRIPT_FOLDERS = new Set([
  ...["bin", "sbin", "script", "scripts", "tools", "ci", "hooks", "git_hooks", ".git_hooks", "githooks", ".githooks"],
  ...[".husky", "init.d", "build-aux"],
]);

/** What a script at the root is called for; a lone word there is otherwise a note or a list. */
const TASK_AT_ROOT = /-|^(?:autogen|bootstrap|build|configure|gradlew|install|make|run|setup|start|test)/;

/** Programs that a Ruby project carries under these names; what lies beside them in `bin` is Ruby too. */
const RUBY_STUBS = new Set(["rails", "rake", "bundle", "rspec", "rubocop", "spring", "brakeman", "importmap"]);

/**
 * The language of a program without an extension, by its path alone: nine in ten such names below the root are shell.
 *
 * @param path a path whose basename and extension linguist does not know
 * @param siblings other paths of the change
 * @returns linguist's name, or undefined when the file is as likely no program: `LICENSE-MIT`, `constructor`
 */
export function guessProgram(path: string, siblings: readonly string[]): string | undefined {
  const parts = path.split("/");
  const folder = parts.at(-2) ?? "";
  // `commit-msg.sample` of git's hooks, `config.guess` of autoconf, `foo-config.in` of configure.
  const base = (parts.at(-1) ?? "").replace(/(?<=.)\.(?:sample|in|guess|sub)$/, "");
  if (base === "artisan") return "PHP";
  if (!/^[a-z][A-Za-z0-9_-]{1,100}$/.test(base)) return undefined;
  if (folder === "bin") return inBin(base, parts, siblings);
  if (SCRIPT_FOLDERS.has(folder)) return "Shell";
  if (OTHER_FOLDERS.has(folder) || OTHER_NAMES.test(base) || base !== parts.at(-1)) return undefined;
  return parts.length > 1 || TASK_AT_ROOT.test(base) ? "Shell" : undefined;
}

function inBin(base: string, parts: readonly string[], siblings: readonly string[]): string {
  if (parts.includes("node_modules")) return "JavaScript";
  const bin = parts.slice(0, -1).join("/");
  const ruby = RUBY_STUBS.has(base) || siblings.includes(`${bin}/rails`) || siblings.includes(`${bin}/rake`);
  return ruby ? "Ruby" : "Shell";
}
