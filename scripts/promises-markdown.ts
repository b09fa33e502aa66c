// docs/promises.md from test/promises.json and chaos/measured.json: what is promised, which test proves it, what was measured last.

export interface Promised {
  readonly promise: string;
  /** [file, title]; none: it is not promised yet. */
  readonly tests: readonly (readonly [file: string, title: string])[];
  /** What of it is not promised yet. */
  readonly notYet?: string;
  /** Names of figures. */
  readonly figures?: readonly string[];
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
  readonly figures: ReadonlyMap<string, Figure>;
}

/**
 * Reads the two lists.
 *
 * @throws Error naming the promise that asks for a figure nobody measured, or has neither a test nor a reason; and the figure of which
 *   something is not told, such as the machine
 */
export function readPromises(promisesText: string, measuredText: string): Promises {
  const { promises } = JSON.parse(promisesText) as { readonly promises: Readonly<Record<string, Promised>> };
  const { figures } = JSON.parse(measuredText) as { readonly figures: Readonly<Record<string, Figure>> };
  for (const [name, figure] of Object.entries(figures))
    for (const part of PARTS) if (!figure[part]) throw new Error(`${name} does not tell its ${part}`);
  for (const [id, { tests, notYet, figures: named = [] }] of Object.entries(promises)) {
    if (tests.length === 0 && notYet === undefined) throw new Error(`${id} has neither a test nor a reason`);
    for (const name of named)
      if (figures[name] === undefined) throw new Error(`${id} names ${name}, which nobody measured`);
  }
  return { promises: new Map(Object.entries(promises)), figures: new Map(Object.entries(figures)) };
}

const PARTS = ["what", "value", "date", "command", "machine"] as const;

export function promisesMarkdown({ promises, figures }: Promises): string {
  const proven = [...promises].filter(([, { tests }]) => tests.length > 0);
  const open = [...promises].filter(([, { tests }]) => tests.length === 0);
  const lines = [
    "# What Kodiai promises, and which test proves it",
    "",
    "Generated from [test/promises.json](../test/promises.json) and [chaos/measured.json](../chaos/measured.json) by `npm run generate`.",
    'No test, no promise: what no test proves stands under "Not yet promised".',
    "",
    `${proven.length} promises of ${promises.size}.`,
    "",
    "## Promised",
  ];
  for (const [id, { promise, tests, notYet, figures: named = [] }] of proven) {
    lines.push("", `### ${id} ${promise}`, "");
    lines.push(...tests.map(([file, title]) => `- proved by [${file}](../${file}): ${quoted(title)}`));
    lines.push(...named.flatMap((name) => told(figures.get(name))));
    if (notYet !== undefined) lines.push(`- not yet promised: ${notYet}`);
  }
  if (open.length > 0) lines.push("", "## Not yet promised", "");
  lines.push(...open.map(([id, { promise, notYet }]) => `- ${id} ${promise} Missing: ${notYet}.`));
  return `${lines.join("\n")}\n`;
}

function told(figure: Figure | undefined): string[] {
  if (figure === undefined) return [];
  const { what, value, date, command, machine } = figure;
  return [`- measured: ${what}: ${value} (${date}, ${machine}, \`${command}\`)`];
}

function quoted(title: string): string {
  return title.includes("`") ? `\`\`${title}\`\`` : `\`${title}\``;
}
