// Check runs on GitHub.
import type { CheckAnnotation, CheckEnd } from "../../../domain/review.ts";
import { cutText } from "../../../domain/text/cut-text.ts";
import type { Checks } from "../../../ports/checks.ts";
import type { GitHub } from "../clients.ts";
import { placeOf } from "../requests.ts";
import { translatedMethods } from "../translate-error.ts";
import { CHECK_NAME } from "./find-post.ts";
import type { WritePath } from "./write-path.ts";

/** GitHub's limits: docs.github.com/rest/checks/runs, "Update a check run". */
const TEXT_LIMIT = 65_535;
const ANNOTATIONS_AT_ONCE = 50;

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
      const requests = inRequests(end.annotations);
      // GitHub appends annotations, so those that an earlier attempt sent are skipped.
      const there = requests.length === 0 ? 0 : (await github.rest.checks.get(where)).data.output.annotations_count;
      const [first = [], ...rest] = requests.slice(Math.ceil(there / ANNOTATIONS_AT_ONCE));
      const output = (annotations: readonly CheckAnnotation[]) => ({
        output: { ...outputOf(end), annotations: annotations.map(annotationOf) },
      });
      const completed = { status: "completed", conclusion: end.conclusion } as const;
      await path.repeat(() => github.rest.checks.update({ ...where, ...completed, ...output(first) }), "end-check");
      for (const more of rest) await path.repeat(() => github.rest.checks.update({ ...where, ...output(more) }));
    },
  });
}

function outputOf({ title, summary, text }: CheckEnd) {
  const head = { title: cutText(title, 250), summary: cutText(summary, TEXT_LIMIT) };
  return text === "" ? head : { ...head, text: cutText(text, TEXT_LIMIT) };
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
