// What GitHub tells of checks: wishes to run ours again, every check of every other App, and heads
// that a merge queue would merge. Source of the shapes: docs.github.com, "Webhook events and
// payloads"; of the ref: "Managing a merge queue".
import type { Json, Person, Pull } from "./conversation.ts";
import type { GitHalf } from "./emulator.ts";
import type { Delivery } from "./hooks.ts";
import type { Hub } from "./hub.ts";
import type { Manifest } from "./manifest.ts";
import { around } from "./pull-actions.ts";

export interface CheckActs {
  /**
   * Somebody asks to run one check again; GitHub delivers that to us alone. As for a fork, it names
   * no pull requests.
   */
  rerequest(pull: Pull, id: number): Promise<Delivery>;
  /** Somebody asks to run all checks of the head again. */
  rerequestAll(pull: Pull): Promise<Delivery>;
  /** A check of another App began, or its suite did. */
  otherCheck(pull: Pull, event: "check_run" | "check_suite", action: "created" | "completed"): Promise<Delivery>;
  /**
   * GitHub has taken over what a tool of code scanning found on a commit: the check run of its own
   * App ends. As for a fork, it names no pull requests.
   */
  scanEnded(pull: Pull, tool: string, sha?: string): Promise<Delivery | null>;
  /**
   * The pull request enters the merge queue. Returns the head that the queue would merge, on a
   * branch of its own.
   */
  mergeGroup(pull: Pull): Promise<string>;
}

/** Any other. */
const OTHER_APP = { id: 15_368, slug: "github-actions", name: "GitHub Actions" };

/** Shows the results of code scanning. */
const SCANNER = { id: 57_789, slug: "github-advanced-security", name: "GitHub Advanced Security" };

export function checkActs(hub: Hub, git: GitHalf, manifest: Manifest): CheckActs {
  const reported = (pull: Pull, event: string, payload: Json, sender: Person = pull.author) =>
    hub.hooks.send(event, { ...payload, ...around(hub, pull, sender) });
  const ours = { id: git.app.id };
  return {
    async rerequest(pull, id) {
      const check = await git.ask("GET", `/repos/${pull.owner}/${pull.repo}/check-runs/${id}`);
      return reported(pull, "check_run", {
        action: "rerequested",
        check_run: { ...check, app: ours, pull_requests: [] },
      });
    },
    rerequestAll(pull) {
      const suite = { id: hub.nextId(), head_sha: pull.headSha, app: ours, pull_requests: [{ number: pull.number }] };
      return reported(pull, "check_suite", { action: "rerequested", check_suite: suite });
    },
    otherCheck(pull, event, action) {
      const numbers = [{ number: pull.number }];
      const check = { id: hub.nextId(), head_sha: pull.headSha, app: OTHER_APP, pull_requests: numbers };
      return reported(pull, event, { action, [event]: check });
    },
    async scanEnded(pull, tool, sha = pull.headSha) {
      if (!manifest.events.includes("check_run") || !("checks" in manifest.permissions)) return null;
      const check = { id: hub.nextId(), name: tool, head_sha: sha, app: SCANNER, pull_requests: [] };
      const ended = { ...check, status: "completed", conclusion: "neutral", external_id: "" };
      return reported(pull, "check_run", { action: "completed", check_run: ended });
    },
    async mergeGroup(pull) {
      const repo = `${pull.owner}/${pull.repo}`;
      const base = await git.ask("GET", `/repos/${repo}/git/ref/heads/${pull.baseRef}`);
      const baseSha = String((base.object as Json).sha);
      const branch = `gh-readonly-queue/${pull.baseRef}/pr-${pull.number}-${baseSha}`;
      const files = { [`queued-${pull.number}.md`]: `#${pull.number}\n` };
      const headSha = await git.commit(repo, baseSha, files, `Merge pull request #${pull.number}`);
      const group = {
        head_sha: headSha,
        head_ref: `refs/heads/${branch}`,
        base_sha: baseSha,
        base_ref: `refs/heads/${pull.baseRef}`,
        head_commit: { id: headSha },
      };
      if (manifest.events.includes("merge_group") && "merge_queues" in manifest.permissions)
        await reported(pull, "merge_group", { action: "checks_requested", merge_group: group });
      return headSha;
    },
  };
}
