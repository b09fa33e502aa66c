// Does the review find what reviewers found? Rules alone over all pull requests of the data; with
// `--replies DIR` the whole review with replies that a model, or a person, wrote to the prompts of
// `eval -- prompts`. Replies are read, never asked for, so a run costs nothing and comes out the
// same. `--repos DIR` as there: prompts and replies go together, and rules read them too.
// `--arms FILE` with `--judgements FILE` holds recorded arms against each other; with `--clean`
// over merged changes without a comment. `--limit N` and `--only TEXT` as there. `--hits` lists
// what rules say where there is a repository.
import { codeSymbols } from "../../src/adapters/code-index/symbols.ts";
import { noMemory } from "../../src/adapters/no-memory/no-memory.ts";
import type { Review } from "../../src/domain/review.ts";
import { inspector } from "../../src/wire/rules.ts";
import { type ArmReview, armRows, openArms, readArms, readJudgements, reviewsOf } from "../arms.ts";
import { modelChoice } from "../model-choice.ts";
import { type ReplyFiles, readReplies } from "../packed-replies.ts";
import { type RealPull, readPulls } from "../pull-requests.ts";
import { dataFingerprint, fingerprint } from "../read-data.ts";
import { hasReply, type Outcome, recordedModel, stemOf } from "../reply-folder.ts";
import { openRepositories } from "../repositories.ts";
import { type CommentMemory, openCommentMemory, type Reviewer, reviewPull } from "../review-pull.ts";
import { secondPush } from "../second-push.ts";
import type { Row, Suite, SuiteOptions, SuiteResult } from "../suite.ts";
import { figures, type Tally, tallyReview } from "../tally-review.ts";

interface Measured {
  readonly pull: RealPull;
  readonly tally: Tally;
}

export const suite: Suite = async (options) => {
  const { data, flags } = options;
  const file = flags.get("arms");
  if (file !== undefined) return compared(file, options);
  if (flags.has("clean") || flags.has("in-repos")) throw new Error("--clean and --in-repos go with --arms");
  const read = await readPulls(data);
  const only = flags.get("only") ?? "";
  const limit = Number(flags.get("limit") ?? Number.POSITIVE_INFINITY);
  const pulls = read.pulls.filter(({ id, comments }) => id.includes(only) && comments.length > 0).slice(0, limit);
  const choice = modelChoice(flags.get("model"));
  const rules = inspector();
  const keyless: Measured[] = [];
  const byModel: Measured[] = [];
  const outcomes: Outcome[] = [];
  const hits: string[] = [];
  const place = flags.get("replies");
  const replies: ReplyFiles = place === undefined ? new Map() : await readReplies(place);
  const answered = pulls.filter((pull) => hasReply(pull, replies));
  const commentMemory = await openCommentMemory(read.corpus, new Set(answered.map(({ repo }) => repo)));
  const repositories = await openRepositories(flags.get("repos") ?? null);
  const symbols = codeSymbols();
  try {
    for (const pull of pulls) {
      const repository = await repositories.of(pull.repo, pull.number);
      const around = { rules, repository, symbols: repository === null ? null : symbols.ofReview() };
      const reviewer = { ...around, recall: noMemory(), model: null };
      const { tally, review } = await measured(pull, reviewer, reviewer);
      keyless.push({ pull, tally });
      if (flags.has("hits") && repository !== null) hits.push(...hitsOf(pull, review));
      if (answered.includes(pull))
        byModel.push({ pull, tally: await withModel(pull, commentMemory, replies, choice, around, outcomes) });
    }
  } finally {
    symbols.close();
    await repositories.close();
    await commentMemory.close();
  }
  const same = new Set(answered);
  return {
    data: { n: pulls.length, fingerprint: dataFingerprint(read.files) },
    config: { fingerprint: fingerprint([choice.names]) },
    rows: [
      ...rowsOf("keyless", keyless),
      ...(byModel.length === 0
        ? []
        : [
            ...rowsOf("model", byModel),
            ...rowsOf(
              "keyless, same pulls",
              keyless.filter(({ pull }) => same.has(pull)),
            ),
          ]),
    ],
    notes: [
      `${read.withoutDiff} pull requests without a diff left out; noise is what meets no comment, which is not proof that it is wrong`,
      ...(place === undefined ? ["no --replies: rules alone"] : replyNotes(pulls, answered, outcomes)),
      ...hits,
    ],
  };
};

/** The arms of a file against each other, by judgements in place of places. */
async function compared(file: string, options: SuiteOptions): Promise<SuiteResult> {
  const recorded = await readArms(file);
  const set = await openArms(recorded, options);
  try {
    const arms: { readonly name: string; readonly reviews: readonly ArmReview[] }[] = [];
    for (const arm of recorded) arms.push({ name: arm.name, reviews: await reviewsOf(arm, set) });
    return {
      data: { n: set.pulls.length, fingerprint: dataFingerprint(set.read.files) },
      config: { fingerprint: fingerprint([modelChoice(undefined).names]) },
      rows: armRows(arms, await readJudgements(options.flags.get("judgements"))),
    };
  } finally {
    await set.close();
  }
}

function hitsOf({ id }: RealPull, { findings, heldBack, degraded }: Review): readonly string[] {
  const all = [...findings, ...heldBack].map(({ finding }) => finding);
  return [
    ...all.map(
      ({ rule, path, line, title, body }) => `${rule}  ${id}  ${path}:${line}  ${title}: ${body.split("\n")[2]}`,
    ),
    ...degraded.map(({ part, reason }) => `degraded  ${id}  ${part}: ${reason}`),
  ];
}

async function measured(
  pull: RealPull,
  first: Reviewer,
  second: Reviewer,
): Promise<{ readonly tally: Tally; readonly review: Review }> {
  const { review, context } = await reviewPull(pull, first);
  const again = await reviewPull(secondPush(pull).pull, { ...second, ownComments: postedOf(review) });
  return { tally: await tallyReview(pull, context, review, again.review), review };
}

function postedOf(review: Review): NonNullable<Reviewer["ownComments"]> {
  return review.findings
    .filter(({ place }) => place === "inline" || place === "file")
    .map(({ finding, place }) => ({
      findingId: finding.id,
      url: "",
      path: finding.path,
      side: finding.side,
      startLine: place === "inline" ? finding.startLine : null,
      line: place === "inline" ? finding.line : null,
      hunk: "",
      title: finding.title,
      severity: finding.severity,
      rule: finding.rule,
    }));
}

async function withModel(
  pull: RealPull,
  commentMemory: CommentMemory,
  replies: ReplyFiles,
  choice: Parameters<typeof recordedModel>[2],
  code: Pick<Reviewer, "rules" | "repository" | "symbols">,
  outcomes: Outcome[],
): Promise<Tally> {
  const recall = commentMemory.recall(pull.asOf);
  const first = await recordedModel(stemOf(pull), replies, choice);
  const second = await recordedModel(stemOf(pull), replies, choice, secondPush(pull).moved);
  const { tally } = await measured(
    pull,
    { ...code, recall, model: first.model },
    { ...code, recall, model: second.model },
  );
  outcomes.push(...first.outcomes);
  return tally;
}

function rowsOf(name: string, list: readonly Measured[]): readonly Row[] {
  const of = (source: RealPull["source"]) => list.filter(({ pull }) => pull.source === source);
  const parts = [of("golden"), of("own")].filter((part) => part.length > 0);
  return [
    figures(
      name,
      list.map(({ tally }) => tally),
    ),
    ...(parts.length < 2
      ? []
      : parts.map((part) =>
          figures(
            `${name}: ${part[0]?.pull.source}`,
            part.map(({ tally }) => tally),
          ),
        )),
  ];
}

function replyNotes(
  pulls: readonly RealPull[],
  answered: readonly RealPull[],
  outcomes: readonly Outcome[],
): readonly string[] {
  const count = (state: Outcome["state"]) => outcomes.filter((one) => one.state === state).length;
  return [
    `${answered.length} of ${pulls.length} pull requests have a reply: ${count("answered")} questions answered, ${count("fixed")} fixed, ${count("malformed")} malformed, ${count("missing")} without a reply (not read)`,
    ...outcomes.flatMap(({ stem, state, problem }) =>
      state === "malformed" || state === "missing"
        ? [`${stem}: ${state}${problem === null ? "" : `: ${problem}`}`]
        : [],
    ),
  ];
}
