// Check runs on GitHub.
import type { CheckAnnotation, CheckEnd } from "../../domain/check.ts";
import { cutText } from "../../domain/cut-text.ts";
import type { Checks } from "../../ports/checks.ts";
import type { GitHub } from "./clients.ts";
import { translated } from "./translate-error.ts";

/** As it stands beside the commit, and in the list of checks that a branch may require. */
export const CHECK_NAME = "Kodiai";

/** GitHub's limits: docs.github.com/rest/checks/runs, "Update a check run". */
const TEXT_LIMIT = 65_535;
const ANNOTATIONS_AT_ONCE = 50;

/**
 * The port over one repository's token.
 *
 * @param client with `checks: write`
 */
export function githubChecks(client: () => Promise<GitHub>): Checks {
  return {
    begin: (repo, number, headSha) =>
      translated(async () => {
        const github = await client();
        const { data } = await github.rest.checks.create({
          owner: repo.owner,
          repo: repo.name,
          name: CHECK_NAME,
          head_sha: headSha,
          // GitHub names no pull request of a fork when somebody asks to run the check again.
          external_id: `pull/${number}`,
          status: "in_progress",
        });
        return data.id;
      }),
    end: (repo, id, end) =>
      translated(async () => {
        const github = await client();
        const where = { owner: repo.owner, repo: repo.name, check_run_id: id };
        const [first = [], ...rest] = inRequests(end.annotations);
        const { conclusion } = end;
        await github.rest.checks.update({
          ...where,
          status: "completed",
          conclusion,
          output: { ...outputOf(end), annotations: first.map(annotationOf) },
        });
        // GitHub adds these to the ones before.
        for (const more of rest) {
          await github.rest.checks.update({
            ...where,
            output: { ...outputOf(end), annotations: more.map(annotationOf) },
          });
        }
      }),
  };
}

function outputOf({ title, summary, text }: CheckEnd) {
  const said = { title: cutText(title, 250), summary: cutText(summary, TEXT_LIMIT) };
  return text === "" ? said : { ...said, text: cutText(text, TEXT_LIMIT) };
}

function annotationOf({ path, startLine, endLine, level, title, message }: CheckAnnotation) {
  const place = { path, start_line: startLine, end_line: endLine };
  return { ...place, annotation_level: level, title: cutText(title, 250), message: cutText(message, 10_000) };
}

function inRequests(annotations: readonly CheckAnnotation[]): readonly (readonly CheckAnnotation[])[] {
  const count = Math.ceil(annotations.length / ANNOTATIONS_AT_ONCE);
  return Array.from({ length: count }, (_, index) =>
    annotations.slice(index * ANNOTATIONS_AT_ONCE, (index + 1) * ANNOTATIONS_AT_ONCE),
  );
}
