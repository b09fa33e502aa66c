// Check runs on GitHub.
import type { CheckEnd } from "../../../domain/review.ts";
import { cutText } from "../../../domain/text/cut-text.ts";
import type { Checks } from "../../../ports/checks.ts";
import type { GitHub } from "../clients.ts";
import { placeOf } from "../requests.ts";
import { translatedMethods } from "../translate-error.ts";
import { CHECK_NAME } from "./find-post.ts";
import type { WritePath } from "./write-path.ts";

/** GitHub's limits: docs.github.com/rest/checks/runs, "Update a check run". */
const TEXT_LIMIT = 65_535;

/** The port for one repository's token, with `checks: write`. */
export function githubChecks(client: () => Promise<GitHub>, path: WritePath): Checks {
  return translatedMethods<Checks>({
    async begin(repo, number, headSha, after) {
      const github = await client();
      const wanted = { kind: "check", repo, number, headSha, subject: `after_${after ?? "none"}` } as const;
      const post = (marker: string) =>
        github.rest.checks.create({
          ...placeOf(repo),
          name: CHECK_NAME,
          head_sha: headSha,
          // For a fork, a re-run request from GitHub names no pull request.
          external_id: `pull/${number}/${marker}`,
          status: "in_progress",
        });
      return (await path.create(wanted, { post })).id;
    },
    async end(repo, id, end) {
      const github = await client();
      const where = { ...placeOf(repo), check_run_id: id };
      const completed = { status: "completed", conclusion: end.conclusion, output: outputOf(end) } as const;
      await path.repeat(() => github.rest.checks.update({ ...where, ...completed }), "end-check");
    },
  });
}

function outputOf({ title, summary, text }: CheckEnd) {
  const head = { title: cutText(title, 250), summary: cutText(summary, TEXT_LIMIT) };
  return text === "" ? head : { ...head, text: cutText(text, TEXT_LIMIT) };
}
