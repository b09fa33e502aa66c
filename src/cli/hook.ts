// kodiai hook: a pre-push hook that reviews what is about to be pushed. It runs after an existing hook, and is never installed in
// a folder of hooks that other repositories share.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text as readStream } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { SEVERITIES } from "../domain/finding.ts";
import { hookPorts } from "../wire/cli/git.ts";
import { review } from "./review.ts";
import { terminalText } from "./terminal-text.ts";
import { type ExitCode, noMore, oneOf, readWords, UsageError } from "./usage.ts";
import { VERBS } from "./verbs.ts";

type HookPorts = ReturnType<typeof hookPorts>;
type Words = ReturnType<typeof readWords<typeof VERBS.hook.options>>["values"];

const NAME = "pre-push";
/** The name that an existing hook is moved to. */
const EARLIER = "pre-push.before-kodiai";
const MARK = "# kodiai pre-push hook";
const DEFAULT_FAIL_ON = "major";

/**
 * @returns 0; `run` ends with 1 when a push should stop
 * @throws UsageError
 */
export async function hook(words: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = readWords(words, VERBS.hook.options);
  const [verb, ...more] = positionals;
  const ports = hookPorts(values.repo ?? ".");
  if (verb === "run") return run(more[0] ?? "origin", values, ports);
  noMore(more);
  switch (verb) {
    case "install":
      return install(values, await ports.hooksFolder());
    case "uninstall":
      return uninstall(await ports.hooksFolder());
    case "status":
      return say(statusOf((await ports.hooksFolder()).path));
    default:
      throw new UsageError("use `hook install`, `hook uninstall` or `hook status`");
  }
}

type Folder = Awaited<ReturnType<HookPorts["hooksFolder"]>>;

function install(values: Words, { path, isShared }: Folder): ExitCode {
  const failOn = oneOf("fail-on", values["fail-on"] ?? DEFAULT_FAIL_ON, SEVERITIES);
  const model = oneOf("model", values.model ?? "off", ["auto", "off"]);
  if (isShared) {
    throw new UsageError(
      `core.hooksPath is ${path} for all your repositories; a hook there would run in each of them. Call Kodiai from your hook there ` +
        "(docs/pre-push.md shows how), or set core.hooksPath for this repository alone",
    );
  }
  const file = join(path, NAME);
  const earlier = join(path, EARLIER);
  if (existsSync(file) && !isOurs(file)) {
    if (existsSync(earlier))
      throw new UsageError(`${file} is not Kodiai's, and ${earlier} exists: move one of them away`);
    renameSync(file, earlier);
  }
  mkdirSync(path, { recursive: true });
  writeFileSync(file, script(failOn, model));
  chmodSync(file, 0o755);
  const chained = existsSync(earlier) ? `; the existing hook runs first (${EARLIER})` : "";
  return say(`installed ${file}: pushes with findings from ${failOn} on are stopped${chained}`);
}

function uninstall({ path }: Folder): ExitCode {
  const file = join(path, NAME);
  const earlier = join(path, EARLIER);
  if (!existsSync(file) || !isOurs(file))
    throw new UsageError(`${file} does not exist or is not Kodiai's; nothing was changed`);
  rmSync(file);
  if (!existsSync(earlier)) return say(`removed ${file}`);
  renameSync(earlier, file);
  return say(`removed ${file}; the previous hook is restored`);
}

function statusOf(folder: string): string {
  const file = join(folder, NAME);
  if (!existsSync(file)) return `no pre-push hook in ${folder}`;
  if (!isOurs(file)) return `${file} is not Kodiai's; \`kodiai hook install\` adds Kodiai after it`;
  return `${file} is Kodiai's${existsSync(join(folder, EARLIER)) ? `, after ${EARLIER}` : ""}`;
}

function isOurs(file: string): boolean {
  return readFileSync(file, "utf8").split("\n", 2)[1]?.startsWith(MARK) === true;
}

/** A Kodiai that was removed must not stop a push. */
function script(failOn: string, model: string): string {
  const main = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "./main.ts" : "./main.js", import.meta.url));
  return `#!/bin/sh
${MARK}: installed by \`kodiai hook install\`, removed by \`kodiai hook uninstall\`.
# \`git push --no-verify\` or KODIAI_HOOK=off skips it.
node=${quoted(process.execPath)}
main=${quoted(main)}
pushed=$(cat)
earlier="$(dirname "$0")/${EARLIER}"
if [ -x "$earlier" ]; then
  printf '%s\\n' "$pushed" | "$earlier" "$@" || exit $?
fi
[ "$KODIAI_HOOK" = off ] && exit 0
if [ ! -x "$node" ] || [ ! -f "$main" ]; then
  echo "kodiai is no longer at $main: not reviewed (kodiai hook install, or uninstall)" >&2
  exit 0
fi
printf '%s\\n' "$pushed" | "$node" "$main" hook run --fail-on ${failOn} --model ${model} -- "$@"
`;
}

/** For a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** `LOCAL-REF LOCAL-SHA REMOTE-REF REMOTE-SHA`: git passes one line for each ref. */
const PUSHED = /^(\S+) ([0-9a-f]{40,64}) (\S+) ([0-9a-f]{40,64})$/;
const MOST_REFS = 10;

/** Reviews each branch that is pushed. A branch that cannot be reviewed is pushed with a note. */
async function run(remote: string, values: Words, ports: HookPorts): Promise<ExitCode> {
  const refs = pushedRefs(await readStream(process.stdin));
  if (refs.length > MOST_REFS) note(`${refs.length} branches and tags at once: the first ${MOST_REFS} are reviewed`);
  let isStopped = false;
  for (const { ref, local, there } of refs.slice(0, MOST_REFS)) {
    const code = await reviewed({ ref, base: await ports.base(remote, there, local), head: local }, values);
    isStopped ||= code === 1;
  }
  if (isStopped) note("not pushed. `git push --no-verify` pushes anyway");
  return isStopped ? 1 : 0;
}

interface PushedRef {
  readonly ref: string;
  readonly local: string;
  /** The remote's commit; null for a new ref. */
  readonly there: string | null;
}

/** Without deleted refs. */
function pushedRefs(text: string): readonly PushedRef[] {
  return text.split("\n").flatMap((line) => {
    const [, , local = "", ref = "", there = ""] = PUSHED.exec(line.trim()) ?? [];
    if (local === "" || isNothing(local)) return [];
    return [{ ref, local, there: isNothing(there) ? null : there }];
  });
}

function isNothing(sha: string): boolean {
  return /^0+$/.test(sha);
}

async function reviewed(
  { ref, base, head }: { readonly ref: string; readonly base: string | null; readonly head: string },
  values: Words,
): Promise<ExitCode> {
  if (base === head) return 0;
  if (base === null) {
    note(`${ref} is not reviewed: nothing of the remote is known here to compare it with`);
    return 0;
  }
  const failOn = values["fail-on"] ?? DEFAULT_FAIL_ON;
  const range = [`--base=${base}`, `--head=${head}`, `--repo=${values.repo ?? "."}`];
  try {
    return await review([...range, `--fail-on=${failOn}`, `--model=${values.model ?? "off"}`]);
  } catch (error) {
    note(`${ref} is not reviewed: ${error instanceof Error ? error.message : String(error)}`);
    return 0;
  }
}

function note(text: string): void {
  console.error(`kodiai: ${terminalText(text)}`);
}

function say(text: string): ExitCode {
  console.log(terminalText(text));
  return 0;
}
