// A name or a file that a change takes away, and the imports of it that are left.
import { codeOnly } from "../../../domain/code/code-only.ts";
import { linesOfKind } from "../known-lines.ts";
import type { Change, ChangedFile, Head, RepositoryRule, Sighting } from "../rule.ts";
import { leadsTo, places } from "./places.ts";

/** Files that are looked into for one name. */
const MOST_FILES = 60;

interface Left {
  readonly path: string;
  readonly line: number;
}

async function look(change: Change): Promise<readonly Sighting[]> {
  const sightings: Sighting[] = [];
  for (const file of change.files) {
    const { names, isWhole } = await removedFrom(file);
    const head = names.length === 0 ? null : await change.head();
    if (head === null) continue;
    for (const name of isWhole ? [null] : names) {
      const left = await importsLeft(change, head, file, name);
      if (left.length === 0) continue;
      const detail = name ?? file.basePath.split("/").at(-1) ?? "";
      sightings.push({ file, ...lineOf(file, name), detail, said: `Imported in ${places(left)}.` });
    }
  }
  return sightings;
}

/** What others could import before and cannot any more; `isWhole` where the file itself is no longer there. */
async function removedFrom(file: ChangedFile): Promise<{ names: readonly string[]; isWhole: boolean }> {
  const { diff, basePath, headText } = file;
  const exported = (await file.links("base"))?.exports ?? [];
  if (diff.status === "removed" || basePath !== diff.path) return { names: exported, isWhole: true };
  const now = (await file.links("head"))?.exports ?? null;
  if (now === null || headText === null) return { names: [], isWhole: false };
  // In Python a module can get a name in many ways.
  const words = diff.path.endsWith(".py") ? codeOnly(diff.path, headText).match(/(?<![.\w])\w+/g) : now;
  const there = new Set<string>(words);
  return { names: exported.filter((name) => !there.has(name)), isWhole: false };
}

/** @param name null: of anything in the file */
async function importsLeft(
  change: Change,
  head: Head,
  file: ChangedFile,
  name: string | null,
): Promise<readonly Left[]> {
  const { basePath } = file;
  const module = basePath.replace(/(?:\/(?:index|__init__))?\.\w+$/, "");
  const word = name === null || name === "default" ? (module.match(/[\w$]+/g)?.at(-1) ?? "") : name;
  const paths = (await change.symbols.having(head, [word])).filter((path) => path !== file.diff.path);
  const left: Left[] = [];
  for (const path of paths.slice(0, MOST_FILES)) {
    const text = await head.text(path);
    const links = text === null ? null : await change.symbols.links(path, text, new Set());
    const own = (links?.imports ?? []).filter((one) => leadsTo(path, one, basePath));
    for (const one of own.filter((each) => name === null || each.name === name)) {
      // The same import may mean another file: one of another ending, or a module in a folder of that name.
      const others = [...head.files.keys()].filter((other) => leadsTo(path, one, other));
      const isModule = ["", "/__init__"].some((rest) => head.files.has(`${module}/${one.name}${rest}.py`));
      const isLeft = others.every((other) => name !== null && other === file.diff.path);
      if (isLeft && !isModule) left.push({ path, line: one.line });
    }
  }
  return left;
}

function lineOf({ diff }: ChangedFile, name: string | null): Pick<Sighting, "side" | "line"> {
  const removed = linesOfKind(diff, "removed");
  const isNamed = (text: string) => name !== null && new Set<string>(text.match(/[\p{L}\p{N}_$]+/gu)).has(name);
  const line =
    removed.find(({ text }) => isNamed(text) && /\b(?:export|def|class)\b/.test(text)) ??
    removed.find(({ text }) => isNamed(text)) ??
    (name === null || name === "default" ? removed[0] : undefined);
  return { side: "LEFT", line: line?.oldLine ?? null };
}

export const importOfRemovedExport: RepositoryRule = {
  id: "import-of-removed-export",
  title: "What the change removes or renames is still imported",
  severity: "major",
  category: "correctness",
  confidence: 0.95,
  why: "Modules that import it fail to load.",
  fix: "Change these imports as well, or keep exporting the old name.",
  languages: ["typescript", "javascript", "python"],
  look,
  bad: {
    path: "src/users.ts",
    before: "export function rename(id: number) {\n  return id;\n}\n",
    code: "export function renamePerson(id: number) {\n  return id;\n}\n",
    beside: { "src/server.ts": 'import { rename } from "./users.js";\n\nrename(7);\n' },
  },
  good: {
    path: "src/users.ts",
    before: "export function rename(id: number) {\n  return id;\n}\n",
    code: "function renamePerson(id: number) {\n  return id;\n}\nexport { renamePerson as rename };\n",
    beside: { "src/server.ts": 'import { rename } from "./users.ts";\n\nrename(7);\n' },
  },
};
