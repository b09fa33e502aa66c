// A long life of one pull request: code is added, moved, renamed, reformatted, rebased, fixed and
// broken again, written once more with a single name changed while the first is fixed, and the
// model finds other words each time. NIGHTLY=1 lives through 50 pushes, else 14.
import { afterEach, expect, test } from "vitest";
import type { Pull } from "../fakes/github/conversation.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { type Defect, type SeeingModel, seeingModel } from "./seeing-model.ts";

const PUSHES = process.env.NIGHTLY === "1" ? 50 : 14;

let harness: Harness | undefined;
let model: SeeingModel | undefined;
afterEach(async () => {
  await harness?.close();
  await model?.anthropic.close();
  harness = undefined;
  model = undefined;
});

interface Mistake {
  readonly category: string;
  readonly bad: (n: string) => string;
  readonly good: (n: string) => string;
  readonly words: readonly string[];
}

/** What people get wrong, each in code of its own: the defect's line, and how it is fixed. */
const MISTAKES: readonly Mistake[] = [
  {
    category: "reliability",
    bad: (n) => `await gateway${n}.charge${n}(account${n}, amount${n}, { retries: 0 }).catch(() => null);`,
    good: (n) => `await gateway${n}.charge${n}(account${n}, amount${n}, { retries: 3 });`,
    words: [
      "A failed charge is swallowed",
      "Nobody learns that the gateway refused",
      "Money may be lost without a trace",
    ],
  },
  {
    category: "correctness",
    bad: (n) => `for (let at${n} = 0; at${n} <= rows${n}.length; at${n}++) sum${n} += rows${n}[at${n}].price${n};`,
    good: (n) => `for (const row${n} of rows${n}) sum${n} += row${n}.price${n};`,
    words: ["The loop runs past the end", "One element too many is read", "The last round reads undefined"],
  },
  {
    category: "performance",
    bad: (n) => `const owners${n} = await Promise.all(ids${n}.map((id${n}) => db${n}.find${n}(id${n})));`,
    good: (n) => `const owners${n} = await db${n}.findAll${n}(ids${n});`,
    words: ["One query for each owner", "The database is asked n times", "Owners could be read in one go"],
  },
  {
    category: "maintainability",
    bad: (n) =>
      `if (kind${n} === 3 || kind${n} === 11) return legacy${n}.convert${n}(kind${n}, input${n}, true, null);`,
    good: (n) => `if (isLegacy${n}(kind${n})) return legacy${n}.convert${n}({ kind${n}, input${n} });`,
    words: ["Numbers without a name decide", "Nobody can tell what 3 and 11 are", "Magic numbers choose the path"],
  },
  // Twins: a single name tells two of them apart.
  {
    category: "reliability",
    bad: (n) => `await mailer.send(letter${n}, sender, { retries: 0 }).catch(() => undefined);`,
    good: (n) => `await mailer.deliver(letter${n}, sender, { retries: 3 });`,
    words: [
      "A letter that is lost is not missed",
      "The mailer fails in silence",
      "Nobody learns that nothing was sent",
    ],
  },
  {
    category: "correctness",
    bad: (n) => `total += ledger.sum(entries, column${n}, { rounded: true, depth: 99, from: 1 });`,
    good: (n) => `total += ledger.exact(entries, column${n});`,
    words: ["The sum is rounded too early", "Cents are lost on the way", "Rounded parts do not add up to the whole"],
  },
];

/** The first of the twins. */
const TWINS = MISTAKES.length - 2;

/** What the model sees of each, whatever the formatter did to the line. */
const MARKS: readonly ((n: string) => string)[] = [
  (n) => `\\.charge${n}\\(account${n},(?! amount\\w+, { retries: 3)`,
  (n) => `<= rows${n}\\.length`,
  (n) => `Promise\\.all\\(ids${n}`,
  (n) => `kind${n} === 3`,
  (n) => `mailer\\.send\\(letter${n},`,
  (n) => `column${n}, \\{ rounded: true`,
];

interface Part {
  readonly n: string;
  readonly mistake: number | null;
  fixed: boolean;
}

const mistakeOf = (part: Part) => MISTAKES[part.mistake ?? 0] ?? MISTAKES[0];

function lineOf(part: Part): string {
  const mistake = mistakeOf(part);
  if (part.mistake === null || mistake === undefined) return `return calendar.weekday${part.n}(date).toUpperCase();`;
  return part.fixed ? mistake.good(part.n) : mistake.bad(part.n);
}

const NAMES = [
  "Alder",
  "Birch",
  "Cedar",
  "Dogwood",
  "Elm",
  "Fir",
  "Ginkgo",
  "Hazel",
  "Ivy",
  "Juniper",
  "Kapok",
  "Larch",
  "Maple",
];
const nameOf = (at: number) => `${NAMES[at % NAMES.length]}${at >= NAMES.length ? Math.floor(at / NAMES.length) : ""}`;

/** A file as its formatter would have it this week. */
function written(parts: readonly Part[], width: number): string {
  const pad = " ".repeat(width);
  const text = parts.map((part) => {
    const line =
      width === 4
        ? lineOf(part)
            .replaceAll('"', "'")
            .replace(", ", `,\n${pad.repeat(2)}`)
        : lineOf(part);
    return [
      `export async function step${part.n}(account, date, ids) {`,
      `${pad}let total = 0;`,
      `${pad}${line}`,
      `${pad}return total;`,
      "}",
    ].join("\n");
  });
  return `${text.join("\n\n")}\n`;
}

/** Small numbers that look like chance and are the same each time. */
function seededRandom(seed: number) {
  let at = seed;
  return (sides: number) => {
    at = (Math.imul(at, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((at / 2 ** 32) * sides);
  };
}

/** How many comments of ours name each part. */
function commentsOf(at: Harness, pull: Pull): Map<string, number> {
  const { inline, file } = at.world.comments(pull);
  const counts = new Map<string, number>();
  for (const { body } of [...inline, ...file]) {
    const name = /In step (\w+)/.exec(body)?.[1] ?? "nothing";
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

test("push after push nothing is posted twice, no new finding is missed, and the next pull request repeats nothing [005-04]", async () => {
  const planned = Array.from({ length: PUSHES * 2 }, (_, at): Part => {
    return {
      n: nameOf(at),
      mistake: at % 3 === 2 ? null : (at - Math.floor((at + 1) / 3)) % MISTAKES.length,
      fixed: false,
    };
  });
  const defects = planned.flatMap((part): Defect[] => {
    const mistake = mistakeOf(part);
    if (part.mistake === null || mistake === undefined) return [];
    const line = new RegExp(MARKS[part.mistake]?.(part.n) ?? "^$");
    const words = mistake.words.map(
      (title, at) => [title, `In step ${part.n} ${["", "again ", "still "][at]}this goes wrong.`] as const,
    );
    return [{ line, category: mistake.category, severity: "major", words }];
  });
  model = await seeingModel(defects);
  harness = await openHarness({ app: { model: model.choice } });
  const at = harness;
  const { world } = at;
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const roll = seededRandom(20_261_122);
  const files = new Map<string, Part[]>([
    ["src/billing.js", []],
    ["src/reports.js", []],
  ]);
  let width = 2;
  const texts = () => Object.fromEntries([...files].map(([path, parts]) => [path, written(parts, width)]));
  const said = new Set<string>();
  const plan = [...planned];
  const add = (mistake?: number | null) => {
    const at = mistake === undefined ? 0 : plan.findIndex((part) => part.mistake === mistake);
    const [part] = plan.splice(Math.max(0, at), 1);
    if (part !== undefined) [...files.values()][roll(2)]?.push(part);
  };
  add();
  const pull = await world.pullRequest(repository, { title: "feat: billing", author: "mona", files: texts() });
  await at.settled(pull);

  const pushed = (more: number) => {
    for (let count = 0; count < more; count++) add();
    return world.push(pull, texts());
  };

  const acts: readonly (readonly [string, () => Promise<void>])[] = [
    ["adds", () => pushed(1)],
    ["adds two", () => pushed(2)],
    [
      "rebases",
      async () => {
        add();
        pull.baseSha = await world.commit(repository, { "CHANGELOG.md": `- Entry ${roll(1_000)}\n` });
        await world.forcePush(pull, texts());
      },
    ],
    [
      "renames",
      async () => {
        const [path = "", parts = []] = [...files][roll(2)] ?? [];
        const to = `src/${nameOf(roll(13)).toLowerCase()}-${roll(1_000)}/${path.split("/").at(-1)}`;
        files.delete(path);
        files.set(to, parts);
        await world.rename(pull, path, to);
      },
    ],
    [
      "reformats",
      async () => {
        width = 6 - width;
        await world.push(pull, texts());
      },
    ],
    [
      "moves code",
      () => {
        [...files.values()][roll(2)]?.reverse();
        return pushed(1);
      },
    ],
    [
      "fixes one and writes its twin",
      async () => {
        const twins = [...files.values()].flat().filter(({ mistake, fixed }) => (mistake ?? 0) >= TWINS && !fixed);
        const part = twins[roll(twins.length)];
        if (part !== undefined) part.fixed = true;
        add(part?.mistake ?? TWINS);
        await world.push(pull, texts());
      },
    ],
    [
      "fixes or breaks again",
      async () => {
        const parts = [...files.values()].flat().filter(({ mistake }) => mistake !== null);
        const part = parts[roll(parts.length)];
        if (part !== undefined) part.fixed = !part.fixed;
        add();
        await world.push(pull, texts());
      },
    ],
  ];
  for (let count = 1; count <= PUSHES; count++) {
    const [what, act] = acts[roll(acts.length)] ?? acts[0] ?? ["", async () => {}];
    await act();
    const job = await at.settled(pull);
    expect(job, what).toMatchObject({ state: "done" });
    for (const { n, mistake, fixed } of [...files.values()].flat()) if (mistake !== null && !fixed) said.add(n);
    const counts = commentsOf(at, pull);
    const wrong = [...said].filter((n) => counts.get(n) !== 1).map((n) => `${n}: ${counts.get(n) ?? 0} comments`);
    expect({ push: count, what, wrong, strange: counts.get("nothing") ?? 0 }).toEqual({
      push: count,
      what,
      wrong: [],
      strange: 0,
    });
    expect(counts.size).toBe(said.size);
  }

  // The like of what stands there already, in the last place of a file.
  const twin = planned.findLast(({ mistake }) => mistake === MISTAKES.length - 1);
  if (twin !== undefined && !said.has(twin.n)) [...files.values()][0]?.push(twin);
  const next = await world.pullRequest(repository, {
    title: "feat: billing (backport)",
    author: "mona",
    files: texts(),
  });
  await at.settled(next);
  expect([...commentsOf(at, next)]).toEqual([[twin?.n, 1]]);
  expect(world.violations).toEqual([]);
});
