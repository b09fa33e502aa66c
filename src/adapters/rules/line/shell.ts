// Rules about commands in scripts, Makefiles, Dockerfiles and pipelines.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the examples hold expressions of shells and of GitHub Actions
import type { InspectedFile } from "../../../ports.ts";
import { knownLines } from "../known-lines.ts";
import type { LineRule } from "../rule.ts";
import { holdsCommands, isComment, linesOf, realOnes, searchLines } from "./line-rule.ts";

const INTO_SHELL =
  /\|\s{0,9}(?:sudo\s{1,9}(?:-\w{1,9}\s{1,9}){0,3})?(?:env\s{1,9}\S{1,60}\s{1,9})?(?:\/(?:usr\/)?bin\/)?(?:ba|z|k|da)?sh(?![\w.-])/g;
const SHELL_OF_DOWNLOAD = /\b(?:ba|z)?sh\s{1,9}(?:-c\s{1,9}["']?\$\(|<\()\s{0,9}(?:curl|wget)\b/;

/** True for `curl … | sh` and `sh -c "$(curl …)"`; the pipe is looked for first, so that a line costs its length. */
function runsDownload(text: string): boolean {
  if (!/\b(?:curl|wget)\b/.test(text)) return false;
  if (SHELL_OF_DOWNLOAD.test(text)) return true;
  for (const pipe of text.slice(0, 2000).matchAll(INTO_SHELL)) {
    const before = text.slice(0, pipe.index);
    const command = before.slice(Math.max(before.lastIndexOf(";"), before.lastIndexOf("&&")) + 1);
    if (/\b(?:curl|wget)\b[^#]*$/.test(command)) return true;
  }
  return false;
}

/** Installers that their publishers document in this form: a finding on each would be noise. */
const DOCUMENTED_INSTALLER =
  /sh\.rustup\.rs|nvm-sh|get\.docker\.com|deb\.nodesource\.com|Homebrew\/install|install\.python-poetry\.org|astral\.sh|bun\.sh|deno\.land|fnm\.vercel\.app|get\.pnpm\.io|raw\.githubusercontent\.com\/(?:helm|nvm-sh|Homebrew|anchore|aquasecurity|golangci|k3d-io|rancher)\/|get\.helm\.sh|k3s\.io|dl\.k8s|sdkman\.io|get-helm|foundry\.paradigm|nixos\.org|codecov\.io|cli\.github\.com|starship\.rs|volta\.sh|pyenv\.run|get\.sdkman/i;

const REMOVE_ALL =
  /\brm\s+(?:-[a-zA-Z]*[rR][a-zA-Z]*|--recursive)(?:\s+-{1,2}[\w-]+)*\s+["']?\$\{?([A-Za-z_]\w{0,60})\}?["']?\/["']?(?:\*|\{|["']?\s*$|["']?\s*[;&|])/;

/** True when an unset variable stops the script, or a line above gives this one a value. */
function isKnownSet(file: InspectedFile, variable: string, before: number): boolean {
  const assigned = new RegExp(
    `(?:^|[\\s;&])(?:local\\s+|export\\s+|readonly\\s+)?${variable}\\s*[:?]?=\\s*["']?[^\\s"';]|\\$\\{${variable}:[?=-]|\\bfor\\s+${variable}\\s+in\\b|-[nzd]\\s+["']?\\$\\{?${variable}\\b`,
  );
  return knownLines(file).some(({ line, text }) => {
    if (line > before || text.length > 1000) return false;
    return /^\s*set\s+-[a-zA-Z]*u|^\s*set\s+-o\s+nounset|^#!.*\s-[a-z]*u/.test(text) || assigned.test(text);
  });
}

const WORLD_WRITABLE =
  /\bchmod\s+(?:-[a-zA-Z]+\s+|--recursive\s+)*(?:0?[0-7]?777|0?[0-7]?666|a\+rwx|o\+[rx]*w[rx]*|ugo\+rwx|a\+w)\b/;

export const SHELL_RULES: readonly LineRule[] = [
  {
    id: "download-piped-to-shell",
    title: "Download runs without a check",
    severity: "medium",
    category: "security",
    confidence: 0.5,
    why: "Whatever the server sends is run, also when it was exchanged or cut off in the middle.",
    fix: "Download to a file, compare its checksum, then run it.",
    bad: { path: "scripts/setup.sh", code: "curl -sSL https://get.acme.io/install | sudo bash -s -- --yes" },
    good: {
      path: "scripts/setup.sh",
      code: "curl -sSL https://get.acme.io/install -o install.sh\nsha256sum -c install.sha256",
    },
    check: linesOf(
      realOnes(holdsCommands),
      (text) => !isComment(text) && runsDownload(text) && !DOCUMENTED_INSTALLER.test(text),
    ),
  },
  {
    id: "rm-of-empty-variable",
    title: "Deletion from the root when the variable is empty",
    severity: "major",
    category: "reliability",
    confidence: 0.6,
    why: "If the variable is unset or empty, the command becomes `rm -rf /…`.",
    fix: "Write `${NAME:?}` so that the script stops instead.",
    bad: { path: "scripts/clean.sh", code: 'rm -rf "$BUILD_DIR"/*' },
    good: { path: "scripts/clean.sh", code: 'rm -rf "${BUILD_DIR:?}"/*' },
    check: (file) => {
      if (!holdsCommands(file)) return [];
      return searchLines(file, (text, at) => {
        const variable = isComment(text) ? undefined : REMOVE_ALL.exec(text)?.[1];
        return variable !== undefined && !isKnownSet(file, variable, at.line);
      });
    },
  },
  {
    id: "shell-eval-of-variable",
    title: "Shell evaluates a variable as code",
    severity: "major",
    category: "security",
    confidence: 0.45,
    why: "Whatever reaches the variable runs as a command: a file name with `;` in it is enough.",
    fix: 'Keep the command in an array and call `"${command[@]}"`.',
    bad: { path: "scripts/run.sh", code: 'eval "$1"' },
    good: { path: "scripts/run.sh", code: 'eval "$(ssh-agent -s)"' },
    check: linesOf(
      (file) => file.facts.language === "shell",
      /(?:^|[;&|]|\bthen|\bdo)\s*eval\s+["']?\$(?:[1@*]|\{?(?:user|input|arg|cmd|command|query|line|REPLY|INPUT|CMD|COMMAND)\w{0,40}\b)(?!=)/,
    ),
  },
  {
    id: "file-writable-by-everybody",
    title: "Files become writable for everybody",
    severity: "medium",
    category: "security",
    confidence: 0.6,
    why: "Any user or process of the machine can then exchange the files, and with them what runs later.",
    fix: "Give the owner or group what they need, such as `chmod 755` or `chown`.",
    fixes: [
      { from: /\b(0?)777\b/, to: "$1755" },
      { from: /\b(0?)666\b/, to: "$1644" },
    ],
    bad: { path: "Dockerfile", code: "RUN chmod -R 777 /app" },
    good: { path: "Dockerfile", code: "RUN chmod 755 /app/entrypoint.sh" },
    check: linesOf(
      realOnes(holdsCommands),
      (text) => !isComment(text) && WORLD_WRITABLE.test(text) && !/\bchmod\s+(?:-\w+\s+)?0?1777\b/.test(text),
    ),
  },
];
