// How often the model reads a change: as configuration or profile say, less often where it is small
// or money short.
import type { RepoConfig } from "../../config/repo-config.ts";
import { type AllowedModel, type AskableModel, tokensOf } from "../../domain/model.ts";
import type { FileDiff } from "../../domain/pull-request.ts";
import type { Readings } from "../../domain/review.ts";
import type { Profile } from "../../domain/signals.ts";
import type { ReviewPrompt } from "../compose.ts";
import table from "../floors.json" with { type: "json" };
import { MOST_QUESTIONS, PART_FOR_READING, USUAL_REPLY_TOKENS } from "./plan-reading.ts";

/** What `review.readings: auto` means: what measured best, see eval/README.md. */
const READINGS: Readonly<Record<Profile, number>> = table.readings;
/** Changed lines of one file in which a second reading finds nothing more. */
const SMALL = 30;

/** How many readings a change is to have, before anything is known about their cost. */
export function wantedReadings(
  setting: RepoConfig["review"]["readings"],
  profile: Profile,
  files: readonly Pick<FileDiff, "additions" | "deletions">[],
): Pick<Readings, "planned" | "because"> {
  const planned = setting === "auto" ? READINGS[profile] : setting;
  const lines = files.reduce((sum, { additions, deletions }) => sum + additions + deletions, 0);
  if (planned > 1 && files.length === 1 && lines <= SMALL)
    return { planned: 1, because: `a change of at most ${SMALL} lines in one file is read once` };
  return { planned, because: setting === "auto" ? `the ${profile} profile` : "`review.readings`" };
}

/**
 * As many of the wanted readings as the budget pays for, at least one. The first is counted at its
 * usual price, a further one at its most: it never takes what was not reserved.
 *
 * @param prompt the questions of all wanted readings
 * @param replyTokens the longest reply
 */
export function affordableReadings(
  { planned: wanted, because }: Pick<Readings, "planned" | "because">,
  prompt: ReviewPrompt,
  { model, usd }: Pick<AllowedModel, "usd"> & { readonly model: Pick<AskableModel, "price"> },
  replyTokens: number,
): Readings {
  const parts = prompt.questions.length / wanted;
  const tokens = prompt.questions.map((question) => tokensOf([...prompt.system, ...question]));
  const usual = Math.min(USUAL_REPLY_TOKENS, replyTokens);
  let left = usd * PART_FOR_READING;
  let planned = 0;
  while (planned < wanted) {
    const reply = planned === 0 ? usual : replyTokens;
    const questions = tokens.slice(planned * parts, (planned + 1) * parts);
    left -= questions.reduce((sum, input) => sum + (model.price("main", input, reply) ?? 0), 0);
    if (planned > 0 && (left < 0 || (planned + 1) * parts > MOST_QUESTIONS)) break;
    planned++;
  }
  const why = left < 0 ? "the budget pays for" : `one review asks at most ${MOST_QUESTIONS} questions:`;
  const questions = tokens.slice(0, planned * parts);
  const inputTokens = questions.reduce((sum, input) => sum + input, 0);
  const outputTokens = questions.length * usual;
  return {
    planned,
    because: planned === wanted ? because : `${why} ${planned} of ${wanted}`,
    estimate: { inputTokens, outputTokens, usd: model.price("main", inputTokens, outputTokens) },
    fewer: [],
  };
}
