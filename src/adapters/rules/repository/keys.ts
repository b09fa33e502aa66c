// A variable of the environment that a change reads by a name which the rest of the repository spells otherwise.
import { linesOfKind } from "../known-lines.ts";
import type { Change, ChangedFile, RepositoryRule, Sighting } from "../rule.ts";
import { type Place, places } from "./places.ts";

const NAME = String.raw`([A-Za-z_]\w{3,})`;
const READS = new RegExp(
  String.raw`\b(?:(?:process|import\.meta)\.env\.|(?:(?:process|import\.meta)\.env|os\.environ|ENV|_ENV)\[\s*["']|(?:os\.environ\.get|getenv|os\.Getenv|os\.LookupEnv|System\.getenv|env::var|ENV\.fetch)\(\s*["'])${NAME}`,
  "g",
);
const SETS = new RegExp(String.raw`^\s*(?:export\s+)?${NAME}=`, "g");
/** Words of which a file that reads such a variable has one. */
const READERS = ["env", "environ", "getenv", "Getenv", "LookupEnv", "ENV", "_ENV"];
const ENV_FILE = /(?:^|\/)\.env(?:\.[\w.-]+)?$/;
/** Files that are looked into. */
const MOST_FILES = 300;
const LINE_CHARS = 1_000;

async function look(change: Change): Promise<readonly Sighting[]> {
  const added = change.files.filter(({ facts }) => facts.kind !== "test").flatMap(addedKeys);
  const head = added.length === 0 ? null : await change.head();
  if (head === null || !head.isWhole) return [];
  const fresh: typeof added = [];
  for (const one of added) {
    const paths = await change.symbols.having(head, [one.name]);
    // Where it is written the same elsewhere, or was before, it is no slip of this change.
    const isNew = ({ diff, baseText }: ChangedFile) =>
      baseText?.includes(one.name) !== true && paths.includes(diff.path);
    if (paths.length === change.files.filter(isNew).length) fresh.push(one);
  }
  if (fresh.length === 0) return [];
  const readers = await Promise.all(READERS.map((word) => change.symbols.having(head, [word])));
  const paths = [...new Set([...[...head.files.keys()].filter((path) => ENV_FILE.test(path)), ...readers.flat()])];
  const known: (Place & { readonly name: string })[] = [];
  for (const path of paths.slice(0, MOST_FILES)) known.push(...keysIn(path, (await head.text(path)) ?? ""));
  return fresh.flatMap(({ name, file, line }): Sighting[] => {
    const others = known.filter((one) => one.name !== name && areAlike(one.name, name));
    const spelled = new Set(others.map((one) => one.name));
    const said = `Elsewhere it is \`${[...spelled].join("`, `")}\`: ${places(others)}.`;
    return spelled.size === 1 ? [{ file, side: "RIGHT", line, detail: name, said }] : [];
  });
}

function addedKeys(file: ChangedFile) {
  return linesOfKind(file.diff, "added").flatMap(({ text, newLine }) =>
    namesIn(text, READS).map((name) => ({ name, file, line: newLine })),
  );
}

function keysIn(path: string, text: string) {
  const form = ENV_FILE.test(path) ? SETS : READS;
  return text.split("\n").flatMap((line, at) => namesIn(line, form).map((name) => ({ name, path, line: at + 1 })));
}

function namesIn(line: string, form: RegExp): readonly string[] {
  return [...line.slice(0, LINE_CHARS).matchAll(form)].map(([, name = ""]) => name);
}

/** The same letters, or a letter left out, doubled or swapped within a word of five. */
function areAlike(a: string, b: string): boolean {
  const [one, other] = [a, b].map((name) => name.toLowerCase().split("_"));
  if (one?.join("") === other?.join("")) return true;
  const pairs = one?.map((word, at) => [word, other?.[at] ?? ""] as const).filter(([left, right]) => left !== right);
  return one?.length === other?.length && pairs?.length === 1 && pairs.every(([left, right]) => isSlip(left, right));
}

function isSlip(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short.length < 5 || long.length - short.length > 1 || /\d/.test(long)) return false;
  let from = 0;
  while (from < short.length && short[from] === long[from]) from++;
  const [left, right] = [short.slice(from), long.slice(from)];
  // At either end it may be another word: a plural, a verb.
  if (from === 0 || left.length < (short.length === long.length ? 2 : 1)) return false;
  if (short.length < long.length) return left === right.slice(1);
  return left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2);
}

export const keySpelledOtherwise: RepositoryRule = {
  id: "key-spelled-otherwise",
  title: "Environment variable is spelled differently elsewhere",
  severity: "medium",
  category: "correctness",
  confidence: 0.9,
  why: "No other place of the repository reads or sets this name, and one that differs only in spelling is in use: setting that one does not reach this code.",
  fix: "Spell it as everywhere else, or change all places.",
  languages: ["typescript", "javascript", "python", "go", "java", "ruby", "rust", "php"],
  look,
  bad: {
    path: "src/jobs.ts",
    code: 'export const url = process.env.DATABSE_URL ?? "";',
    beside: { "src/server.ts": 'connect(process.env.DATABASE_URL ?? "");\n' },
  },
  good: {
    path: "src/jobs.ts",
    code: 'export const url = process.env.DATABASE_URI ?? "";',
    beside: { "src/server.ts": 'connect(process.env.DATABASE_URL ?? "");\n' },
  },
};
