// `kodiai help` and `kodiai VERB --help`, from the list of verbs.
import { VERBS, type Verb } from "./verbs.ts";

const LIST: ReadonlyMap<string, Verb> = new Map(Object.entries(VERBS));

const ENVIRONMENT = [
  "ANTHROPIC_API_KEY    or OPENAI_API_KEY: a model reads changes; docs/environment.md lists all variables",
  "GITHUB_TOKEN         reads pull requests and past reviews",
  "NO_COLOR             turns colours off",
];

export const EXIT = "exit: 0 done, 1 findings at or above --fail-on, 2 usage or configuration, 3 could not review";

export function overview(): string {
  const width = Math.max(...[...LIST.keys()].map(({ length }) => length));
  const groups = [...Map.groupBy(LIST, ([, { group }]) => group)].flatMap(([group, verbs]) => [
    `${group}:`,
    ...verbs.map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`),
    "",
  ]);
  return [
    "kodiai: reviews changes and remembers what your reviewers said",
    "",
    "usage: kodiai VERB [options]",
    "       kodiai VERB --help",
    "",
    ...groups,
    "environment:",
    ...ENVIRONMENT.map((line) => `  ${line}`),
    "",
    EXIT,
  ].join("\n");
}

/** The help of one verb: its forms and options; null for a word that is not a verb. */
export function helpOf(name: string): string | null {
  const verb = LIST.get(name);
  if (verb === undefined) return null;
  const options = Object.entries(verb.options).map(([option, { value, text }]) => [flag(option, value), text] as const);
  const forms = verb.forms.map(([words, text]) => [`kodiai ${name}${words === "" ? "" : ` ${words}`}`, text] as const);
  return [
    `kodiai ${name}: ${verb.summary}`,
    "",
    "usage:",
    ...table(forms),
    ...(options.length === 0 ? [] : ["", "options:", ...table(options)]),
    ...(name === "review" ? ["", EXIT] : []),
  ].join("\n");
}

/** `--name VALUE` */
export function flag(option: string, value: string | undefined): string {
  return `--${option}${value === undefined ? "" : ` ${value}`}`;
}

function table(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.min(34, Math.max(...rows.map(([left]) => left.length)));
  return rows.flatMap(([left, text]) =>
    left.length > width ? [`  ${left}`, `  ${" ".repeat(width)}  ${text}`] : [`  ${left.padEnd(width)}  ${text}`],
  );
}
