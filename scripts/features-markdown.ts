// docs/internals/features.md from test/features.json: each row with the tests that show it, and under which settings they do.

interface RowTest {
  readonly file: string;
  readonly title: string;
  /** What it sets beside the defaults; "" is a run without any. Empty: it runs on defaults. */
  readonly under: readonly string[];
}

/** ROW → its tests; beside them what has none yet, and why. */
export interface Features {
  /** ROW → what it is about, in a few words. It has every row. */
  readonly titles: Readonly<Record<string, string>>;
  readonly awaited: Readonly<Record<string, string>>;
  /** What is being built at this moment, and by which piece of work. */
  readonly pending: Readonly<Record<string, string>>;
  readonly tests: ReadonlyMap<string, readonly RowTest[]>;
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
 * @throws Error naming the row that is not a list of [file, title, ...keys]
 */
export function readFeatures(text: string): Features {
  const { about: _about, titles, awaited, pending = {}, ...rows } = JSON.parse(text);
  const tests = new Map<string, readonly RowTest[]>();
  for (const [row, list] of Object.entries(rows)) {
    const isTest = (one: unknown): one is [string, string, ...string[]] =>
      Array.isArray(one) && one.length >= 2 && one.every((part) => typeof part === "string");
    if (!Array.isArray(list) || list.length === 0 || !list.every(isTest))
      throw new Error(`${row} is not a list of [file, test title, ...keys]`);
    tests.set(
      row,
      list.map(([file, title, ...under]) => ({ file, title, under })),
    );
  }
  return { titles, awaited, pending, tests };
}

/** Under what the row holds: `default` first, where one of its tests runs on defaults, then each key once. */
export function rowHolds(tests: readonly RowTest[]): readonly string[] {
  const isDefault = tests.some(({ under }) => under.length === 0 || under.includes(""));
  const keys = new Set(tests.flatMap(({ under }) => under.filter((key) => key !== "")));
  return [...(isDefault ? ["default"] : []), ...keys];
}

export function featuresMarkdown(features: Features): string {
  const { titles, tests, awaited, pending } = features;
  const waits = { ...awaited, ...pending };
  const count = Object.keys(titles).length;
  const holds = [...tests.values()].map(rowHolds);
  const onDefaults = holds.filter(([first]) => first === "default").length;
  const lines = [
    "# What Kodiai does, and which test shows it",
    "",
    "Generated from [test/features.json](../../test/features.json) by `npm run generate`. A row is done when a test shows its",
    "numbers on the path that the running app takes. *Holds* says under what its tests run: `default` is the configuration of a",
    "repository and of a server that set nothing; any other is a key of .kodiai.yml, a variable of the environment or a command.",
    "",
    `${count} rows: ${tests.size} shown by tests, ${Object.keys(waits).length} awaited; ${onDefaults} hold by default, ${tests.size - onDefaults} under a key only.`,
  ];
  for (const [prefix, name] of GROUPS) {
    lines.push("", `## ${name}`, "", "| row | what | holds | shown by |", "| --- | --- | --- | --- |");
    for (const [row, title] of Object.entries(titles)) {
      if (!row.startsWith(prefix)) continue;
      const of = tests.get(row) ?? [];
      const shown = of.map(({ file, title: test }) => `[${file.replace("test/", "")}](../../${file}): ${quoted(test)}`);
      const where = of.length === 0 ? `awaited: ${waits[row] ?? "no reason"}` : rowHolds(of).map(quoted).join("<br>");
      lines.push(`| ${[row, title, where, shown.join("<br>")].map(inCell).join(" | ")} |`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function inCell(text: string): string {
  return text.replaceAll("|", "\\|");
}

/** Titles may hold single backticks, and at their ends only where a space keeps them apart from ours. */
function quoted(title: string): string {
  if (!title.includes("`")) return `\`${title}\``;
  return title.startsWith("`") || title.endsWith("`") ? `\`\` ${title} \`\`` : `\`\`${title}\`\``;
}
