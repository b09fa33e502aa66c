// What each floor of confidence would post of recorded drafts, judged by meaning. `--replies DIR`
// holds one folder per arm; `--questions DIR` takes the questions to a judge, who does not learn
// which arm a finding is of; `--judgements FILE` holds the answers. Replies are found by the names
// of their questions, so that the repositories are not needed.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { atLeast, type Finding } from "../../src/domain/finding.ts";
import {
  type Arm,
  DEFECT,
  type Judgement,
  keyOf,
  median,
  openArms,
  readArms,
  readJudgements,
  reviewsOf,
} from "../arms.ts";
import { bootstrap, meanOf } from "../metrics.ts";
import { modelChoice } from "../model-choice.ts";
import { type ReplyFiles, readReplies } from "../packed-replies.ts";
import type { RealPull } from "../pull-requests.ts";
import { dataFingerprint, fingerprint } from "../read-data.ts";
import { stemPrefix } from "../reply-folder.ts";
import type { ReviewSet } from "../review-set.ts";
import type { Row, Suite } from "../suite.ts";

interface Drafted {
  readonly finding: Finding;
  /** Why no floor posts it; null when the floor decides. */
  readonly never: string | null;
}

interface DraftedArm {
  readonly name: string;
  readonly readings: number;
  readonly drafts: ReadonlyMap<RealPull, readonly Drafted[]>;
}

const FLOORS = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
/**
 * Which findings are in question; `minor defects` leaves out minor matters of upkeep, documentation
 * and style.
 */
const BARS: Readonly<Record<string, (finding: Finding) => boolean>> = {
  minor: () => true,
  "minor defects": ({ severity, category }) =>
    severity !== "minor" || !["maintainability", "docs", "style"].includes(category),
  medium: ({ severity }) => atLeast(severity, "medium"),
  major: ({ severity }) => atLeast(severity, "major"),
};

export const suite: Suite = async (options) => {
  const { flags } = options;
  const recorded = await recordedArms(flags);
  const set = await openArms(recorded, options);
  const arms: DraftedArm[] = [];
  try {
    for (const arm of recorded) arms.push(await draftedArm(arm, set));
  } finally {
    await set.close();
  }
  const questions = flags.get("questions");
  if (questions !== undefined) await writeQuestions(questions, arms);
  const judged = await readJudgements(flags.get("judgements"));
  return {
    data: { n: arms[0]?.drafts.size ?? 0, fingerprint: dataFingerprint(set.read.files) },
    config: { fingerprint: fingerprint([modelChoice(flags.get("model")).names, FLOORS]) },
    rows: judged.length === 0 ? [] : arms.flatMap((arm) => [...rowsOf(arm, judged), ...agreementRows(arm, judged)]),
    printIntervals: ["defects"],
  };
};

/**
 * What a review says when it holds a finding back because of a profile's or the configuration's
 * threshold.
 */
const BELOW = /^(?:below |confidence |the chance ).*\bthreshold\b/;

/** The files of each folder, by folder, sorted. */
function byFolder(files: ReplyFiles): readonly (readonly [folder: string, ReplyFiles])[] {
  const folders = new Map<string, Map<string, string>>();
  for (const [name, text] of files) {
    const [, folder, inner] = /^(.+?)\/(.+)$/.exec(name) ?? [];
    if (folder === undefined || inner === undefined) continue;
    folders.set(folder, (folders.get(folder) ?? new Map()).set(inner, text));
  }
  return [...folders].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

async function recordedArms(flags: ReadonlyMap<string, string>): Promise<readonly Arm[]> {
  const [file, place] = [flags.get("arms"), flags.get("replies")];
  if (file !== undefined) return readArms(file);
  if (place === undefined) throw new Error("say where the recorded replies are: --replies DIR, or --arms FILE");
  return byFolder(await readReplies(place)).map(([name, replies]) => ({ name, readings: 1, replies }));
}

async function draftedArm(arm: Arm, set: ReviewSet): Promise<DraftedArm> {
  const drafts = new Map<RealPull, readonly Drafted[]>();
  for (const { pull, review } of await reviewsOf(arm, set)) {
    const all = [
      ...review.findings.map(({ finding }) => ({ finding, never: null })),
      ...review.heldBack.map(({ finding, reason }) => ({ finding, never: BELOW.test(reason) ? null : reason })),
    ];
    drafts.set(
      pull,
      all.filter(({ finding }) => finding.source === "model"),
    );
  }
  return { name: arm.name, readings: arm.readings, drafts };
}

/**
 * Of what several readings found: how much of it is real, by how many of them named it, above each
 * floor.
 */
function agreementRows({ name, readings, drafts }: DraftedArm, judged: readonly Judgement[]): readonly Row[] {
  if (readings < 2) return [];
  const verdicts = new Map(judged.map((one) => [`${one.pull} ${one.finding}`, one]));
  const all = [...drafts].flatMap(([pull, list]) =>
    list.map((one) => ({ ...one, verdict: verdicts.get(`${pull.repo}#${pull.number} ${keyOf(one.finding)}`) })),
  );
  return Array.from({ length: readings }, (_, at) => at + 1).flatMap((named) =>
    FLOORS.map((floor): Row => {
      const above = all.filter(
        ({ finding, never }) => (finding.agreement?.named ?? 1) === named && never === null && reaches(finding, floor),
      );
      const decided = above.filter(({ verdict }) => verdict !== undefined && verdict.real !== null);
      const meeting = above.filter(({ verdict }) => (verdict?.meets.length ?? 0) > 0);
      const real = decided.filter(({ verdict }) => verdict?.real === true).length;
      return {
        name: `${name}, named by ${named} of ${readings}, floor ${floor}`,
        n: above.length,
        metrics: { real: real / Math.max(1, decided.length), meets: meeting.length / Math.max(1, above.length) },
      };
    }),
  );
}

/**
 * One file a pull request: its comments and the findings of all arms, each once, in an order that
 * says nothing.
 */
async function writeQuestions(folder: string, arms: readonly DraftedArm[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const pull of new Set(arms.flatMap(({ drafts }) => [...drafts.keys()]))) {
    const byKey = new Map(
      arms.flatMap(({ drafts }) => (drafts.get(pull) ?? []).map(({ finding }) => [keyOf(finding), finding])),
    );
    const findings = [...byKey].sort(([one], [other]) => (one < other ? -1 : 1));
    const text = [
      `# ${pull.repo}#${pull.number}: ${pull.title}`,
      "## Comments of reviewers",
      ...pull.comments.map(
        ({ path, line, text: said }, at) => `### ${at}: ${path}${line === 0 ? "" : `:${line}`}\n${said}`,
      ),
      "## Findings",
      ...findings.map(
        ([key, { path, startLine, line, title, body }]) =>
          `### ${key}: ${path}:${startLine}-${line}\n${title}\n\n${body}`,
      ),
      "## Diff",
      pull.diff,
    ];
    await writeFile(join(folder, `${stemPrefix(pull)}judge.md`), `${text.join("\n\n")}\n`);
  }
}

function rowsOf({ name, drafts }: DraftedArm, judged: readonly Judgement[]): readonly Row[] {
  const verdicts = new Map(judged.map((one) => [`${one.pull} ${one.finding}`, one]));
  return Object.entries(BARS).flatMap(([bar, isAsked]) =>
    FLOORS.map((floor): Row => {
      const pulls = [...drafts].map(([pull, list]) => {
        const posted = list.filter(
          ({ finding, never }) => never === null && isAsked(finding) && reaches(finding, floor),
        );
        const about = posted.map(({ finding }) => verdicts.get(`${pull.repo}#${pull.number} ${keyOf(finding)}`));
        const met = new Set(about.flatMap((one) => one?.meets ?? []));
        const isDefect = (at: number) => pull.comments[at]?.category === DEFECT;
        return {
          posted: posted.length,
          judged: about.filter((one) => one !== undefined && one.real !== null).length,
          real: about.filter((one) => one?.real === true).length,
          comments: pull.comments.length,
          met: met.size,
          defects: pull.comments.filter(({ category }) => category === DEFECT).length,
          defectsMet: [...met].filter(isDefect).length,
        };
      });
      const sum = (field: keyof (typeof pulls)[number]) => pulls.reduce((total, one) => total + one[field], 0);
      const each = pulls.flatMap(({ defects, defectsMet }) => [
        ...Array.from({ length: defectsMet }, () => 1),
        ...Array.from({ length: defects - defectsMet }, () => 0),
      ]);
      const { low, high } = bootstrap(each);
      return {
        name: `${name}, floor ${floor}, ${bar}`,
        n: pulls.length,
        metrics: {
          defects: meanOf(each),
          recall: sum("met") / Math.max(1, sum("comments")),
          real: sum("real") / Math.max(1, sum("judged")),
          posted: sum("posted"),
          median: median(pulls.map(({ posted }) => posted)),
        },
        ci: { defects: [low, high] },
      };
    }),
  );
}

function reaches({ odds, confidence }: Finding, floor: number): boolean {
  const { real, wanted } = odds ?? { real: confidence, wanted: 1 };
  return real >= floor && wanted >= floor;
}
