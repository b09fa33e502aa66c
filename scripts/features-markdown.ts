// docs/internals/features.md from test/features.json: each row with the tests that show it.

/** ROW → its tests, each as [file, title]; beside them what has none yet, and why. */
export interface Features {
  /** ROW → what it is about, in a few words. Every row stands here. */
  readonly titles: Readonly<Record<string, string>>;
  readonly awaited: Readonly<Record<string, string>>;
  /** What is being built at this moment, and by which piece of work. */
  readonly pending: Readonly<Record<string, string>>;
  readonly tests: ReadonlyMap<string, readonly (readonly [file: string, title: string])[]>;
}

const GROUPS: readonly (readonly [prefix: string, name: string])[] = [
  ["000", "Intelligent retrieval"],
  ["001", "The retrieval gate"],
  ["002", "Memory retrieval and its evaluation"],
  ["003", "Hybrid retrieval, reranking, operations"],
  ["004", "Language-aware boosting"],
  ["005", "Learning, and the proof of it"],
];

/**
 * Reads the table.
 *
 * @param text of test/features.json
 * @throws Error naming the row that is not a list of [file, title]
 */
export function readFeatures(text: string): Features {
  const { about: _about, titles, awaited, pending = {}, ...rows } = JSON.parse(text);
  const tests = new Map<string, readonly (readonly [string, string])[]>();
  for (const [row, pairs] of Object.entries(rows)) {
    const isPair = (pair: unknown) =>
      Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === "string");
    if (!Array.isArray(pairs) || pairs.length === 0 || !pairs.every(isPair))
      throw new Error(`${row} is not a list of [file, test title]`);
    tests.set(row, pairs);
  }
  return { titles, awaited, pending, tests };
}

export function featuresMarkdown(features: Features): string {
  const { titles, tests, awaited, pending } = features;
  const waits = { ...awaited, ...pending };
  const count = Object.keys(titles).length;
  const lines = [
    "# What Kodiai does, and which test shows it",
    "",
    "Generated from [test/features.json](../../test/features.json) by `npm run generate`. A row is done when a test shows its",
    "numbers on the path that the running app takes.",
    "",
    `${count} rows: ${tests.size} shown by tests, ${Object.keys(waits).length} awaited.`,
  ];
  for (const [prefix, name] of GROUPS) {
    lines.push("", `## ${name}`, "");
    for (const [row, title] of Object.entries(titles)) {
      if (!row.startsWith(prefix)) continue;
      const shown = (tests.get(row) ?? []).map(([file, test]) => `  - [${file}](../../${file}): ${quoted(test)}`);
      lines.push(`- ${row} ${title}${shown.length === 0 ? ` — awaited: ${waits[row] ?? "no reason"}` : ""}`, ...shown);
    }
  }
  return `${lines.join("\n")}\n`;
}

/** Titles may hold single backticks, and at their ends only where a space keeps them apart from ours. */
function quoted(title: string): string {
  if (!title.includes("`")) return `\`${title}\``;
  return title.startsWith("`") || title.endsWith("`") ? `\`\` ${title} \`\`` : `\`\`${title}\`\``;
}
