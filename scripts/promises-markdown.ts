// docs/internals/guarantees.md from test/promises.json, test/threats.json and chaos/measured.json: what is promised, which test proves it, what
// was measured last, and the defence against each kind of attack.

export interface Promised {
  readonly promise: string;
  /** [file, title]; none: it is not promised yet. */
  readonly tests: readonly (readonly [file: string, title: string])[];
  /** What of it is not promised yet. */
  readonly notYet?: string;
  /** Names of figures. */
  readonly figures?: readonly string[];
}

/** An attack, and the defence. */
export interface Threatened extends Promised {
  readonly threat: string;
}

export interface Figure {
  readonly what: string;
  readonly value: string;
  /** YYYY-MM-DD. */
  readonly date: string;
  /** How to measure it again. */
  readonly command: string;
  readonly machine: string;
}

export interface Promises {
  readonly promises: ReadonlyMap<string, Promised>;
  readonly threats: ReadonlyMap<string, Threatened>;
  readonly figures: ReadonlyMap<string, Figure>;
}

/**
 * Reads the lists.
 *
 * @throws Error naming the promise that names an unmeasured figure, or has neither a test nor a reason; and the figure of which
 *   a part is missing, such as the machine
 */
export function readPromises(promisesText: string, measuredText: string, threatsText = '{"threats":{}}'): Promises {
  const { promises } = JSON.parse(promisesText) as { readonly promises: Readonly<Record<string, Promised>> };
  const { figures } = JSON.parse(measuredText) as { readonly figures: Readonly<Record<string, Figure>> };
  for (const [name, figure] of Object.entries(figures))
    for (const part of PARTS) if (!figure[part]) throw new Error(`${name} has no ${part}`);
  const { threats } = JSON.parse(threatsText) as { readonly threats: Readonly<Record<string, Threatened>> };
  for (const [id, { tests, notYet, figures: named = [] }] of Object.entries({ ...promises, ...threats })) {
    if (tests.length === 0 && notYet === undefined) throw new Error(`${id} has neither a test nor a reason`);
    for (const name of named)
      if (figures[name] === undefined) throw new Error(`${id} names ${name}, which was not measured`);
  }
  return {
    promises: new Map(Object.entries(promises)),
    threats: new Map(Object.entries(threats)),
    figures: new Map(Object.entries(figures)),
  };
}

const PARTS = ["what", "value", "date", "command", "machine"] as const;

export function promisesMarkdown({ promises, threats, figures }: Promises): string {
  const proven = [...promises].filter(([, { tests }]) => tests.length > 0);
  const open = [...promises].filter(([, { tests }]) => tests.length === 0);
  const shown = [...threats.values()].filter(({ tests }) => tests.length > 0);
  const lines = [
    "# What Kodiai promises, and which test proves it",
    "",
    "Generated from [test/promises.json](../../test/promises.json), [test/threats.json](../../test/threats.json) and [chaos/measured.json](../../chaos/measured.json) by `npm run generate`.",
    'A promise without a test is listed under "Not yet promised".',
    "",
    `${proven.length} promises of ${promises.size}; tests show a defence against ${shown.length} of ${threats.size} threats.`,
    "",
    "## Promised",
    ...proven.flatMap(([id, one]) => ["", `### ${id} ${one.promise}`, "", ...proof(one, figures)]),
  ];
  if (open.length > 0) lines.push("", "## Not yet promised", "");
  lines.push(...open.map(([id, { promise, notYet }]) => `- ${id} ${promise} Missing: ${notYet}.`));
  if (threats.size > 0)
    lines.push("", "## Threats", "", "Attacks on programs of this kind, and the defence of Kodiai.");
  for (const [id, one] of threats)
    lines.push("", `### ${id} ${one.threat}`, "", one.promise, "", ...proof(one, figures));
  return `${lines.join("\n")}\n`;
}

/** What shows it, and what nothing shows, as a list. */
function proof({ tests, notYet, figures: named = [] }: Promised, figures: Promises["figures"]): readonly string[] {
  return [
    ...tests.map(([file, title]) => `- proved by [${file}](../../${file}): ${quoted(title)}`),
    ...named.flatMap((name) => told(figures.get(name))),
    ...(notYet === undefined ? [] : [`- not yet promised: ${notYet}`]),
  ];
}

function told(figure: Figure | undefined): string[] {
  if (figure === undefined) return [];
  const { what, value, date, command, machine } = figure;
  return [`- measured: ${what}: ${value} (${date}, ${machine}, \`${command}\`)`];
}

function quoted(title: string): string {
  return title.includes("`") ? `\`\`${title}\`\`` : `\`${title}\``;
}
