// The third scene of the demo: semgrep has scanned a pull request, a maintainer declines its result
// with a reason, and the next pull request has the same code.
import type { Pull, Repository } from "../test/fakes/github/conversation.ts";
import type { Stage } from "./repeated-findings.ts";

const CONFIG = "review:\n  tools:\n    codeScanning: true\n";
const TEMPLATE = ["from jinja2 import Template", "", "def page(name):", "    return Template(name).render()", ""].join(
  "\n",
);
const SEMGREP = {
  rule: "python.flask.security.audit.template-from-input",
  path: "web/page.py",
  line: 4,
  message: "A template is built from a value. Load it from a file instead.",
  tags: ["security"],
} as const;
const REASON = "names come from our own folder of templates";

/** @throws Error when the result is not reported, or is reported again after the decline */
export async function toolFindings(at: Stage): Promise<void> {
  const { world, settled, print } = at;
  const files = { "README.md": "# Site\n", ".kodiai.yml": CONFIG };
  const repository = await world.repository("acme", "site", { files });
  const first = await scanned(at, repository, "feat: pages");
  const [comment] = world.comments(first).inline;
  if (comment === undefined) throw new Error("the result of semgrep was not posted");
  print(`semgrep has scanned #${first.number} of acme/site; Kodiai posts what it found on changed lines:`);
  print(`  ${comment.path}: ${/\*\*([^*]+)\*\*/.exec(comment.body)?.[1] ?? ""}`);
  await world.reply(first, "lena", comment.id, `/kodiai ignore ${REASON}`);
  print(`lena declines it: "${REASON}".`);
  await settled();
  await world.closePull(first, { merged: false });
  await settled();

  const second = await scanned(at, repository, "feat: pages again");
  const summary = world.comments(second).summary[0]?.body ?? "";
  const held = summary.split("\n").find((line) => line.includes(REASON)) ?? "";
  if (held === "" || world.comments(second).inline.length > 0)
    throw new Error(`the declined result of semgrep was not held back:\n${summary}`);
  print(`#${second.number} has it again, and semgrep finds it again:`);
  print(
    `  held back: ${held
      .replace(/^[-*] /, "")
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replaceAll(/[`*]/g, "")}`,
  );
}

/** Tools end after a pull request is opened, so it is a draft until then. */
async function scanned({ world, settled }: Stage, repository: Repository, title: string): Promise<Pull> {
  const files = { "web/page.py": TEMPLATE };
  const pull = await world.pullRequest(repository, { title, author: "mona", draft: true, files });
  await settled();
  world.scanned(pull, "Semgrep OSS", [SEMGREP]);
  await world.readyForReview(pull);
  await settled();
  return pull;
}
