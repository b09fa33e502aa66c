// A test that a change removes, where what it tested stays and no other test names it.
import { codeOnly } from "../../../domain/code/code-only.ts";
import { folderOf, isTestPath } from "../../../domain/code/paths.ts";
import type { FileLinks } from "../../../domain/code/symbols.ts";
import type { DiffLine } from "../../../domain/pull-request.ts";
import { linesOfKind } from "../known-lines.ts";
import type { Change, ChangedFile, RepositoryRule, Sighting } from "../rule.ts";
import { leadsTo, places } from "./places.ts";

const DECLARES =
  /^\s*(?:(?:it|test|describe|context|specify)(?:\.\w+)*\s*\(?\s*["'`](?<title>[^"'`]+)|(?:async\s+)?def\s+(?<py>test_?\w*)|func\s+(?<go>Test\w+)|(?:#\[test\]|@Test\b)|(?:public\s+)?function\s+(?<php>test\w+))/;
/** Names of one change that are looked for. */
const MOST = 60;

interface RemovedTest {
  readonly file: ChangedFile;
  readonly line: DiffLine;
  /** Letters and digits of its title, in lower case. */
  readonly title: string;
}

async function look(change: Change): Promise<readonly Sighting[]> {
  const files = change.files.filter(({ facts, baseText }) => facts.kind === "test" && baseText !== null);
  const added = new Set(change.files.flatMap(({ diff }) => linesOfKind(diff, "added")).map(({ text }) => text.trim()));
  const removed = files.flatMap((file) =>
    linesOfKind(file.diff, "removed").flatMap((line): RemovedTest[] => {
      const found = DECLARES.exec(line.text);
      const title = Object.values(found?.groups ?? {}).find((one) => one !== undefined) ?? "";
      return found === null || added.has(line.text.trim()) ? [] : [{ file, line, title: folded(title) }];
    }),
  );
  const called = new Map(removed.map(({ file }) => [file, calledIn(file)]));
  const all = new Set([...called.values()].flatMap((some) => [...some]));
  const names = new Set([...all].slice(0, MOST));
  if (all.size > MOST) change.leave(`${MOST} of the ${all.size} names that removed tests call were looked for`);
  const head = names.size === 0 ? null : await change.head();
  // That no test names it can only be said of a repository that was read as a whole.
  if (head === null || !head.isWhole) return [];
  const { symbols } = await change.symbols.find(head, { used: new Set(), changed: names, near: [] });
  const imports = new Map<ChangedFile, FileLinks["imports"]>();
  for (const file of called.keys()) imports.set(file, (await file.links("base"))?.imports ?? []);
  const ofFile = Map.groupBy(removed, ({ file }) => file);
  return [...called].flatMap(([file, some]): Sighting[] => {
    const isNear = (path: string) =>
      folderOf(path) === folderOf(file.basePath) ||
      (imports.get(file) ?? []).some((one) => leadsTo(file.basePath, one, path));
    const own = ofFile.get(file) ?? [];
    const untested = [...some]
      .filter((name) => names.has(name))
      .flatMap((name) => {
        const { definitions, references, unread } = symbols.get(name) ?? { definitions: [], references: [], unread: 1 };
        const [subject] = definitions;
        if (subject === undefined || definitions.length > 1 || unread > 0 || isTestPath(subject.path)) return [];
        // Something else may have the name; of the same folder, or imported by the test, it is meant.
        const isMeant = isNear(subject.path) && own.some(({ title }) => title.includes(folded(name)));
        const isSubject = isMeant || stemOf(subject.path) === stemOf(file.basePath);
        const isTested = references.some(({ path }) => isTestPath(path));
        return isSubject && !isTested && /function|method|class/.test(subject.kind) ? [subject] : [];
      });
    const [first] = own;
    if (untested.length === 0 || first === undefined) return [];
    const detail = untested
      .slice(0, 3)
      .map(({ name }) => name)
      .join(", ");
    const stays = untested.map(({ path, startLine }) => ({ path, line: startLine }));
    return [{ file, side: "LEFT", line: first.line.oldLine, detail, said: `It stays in ${places(stays)}.` }];
  });
}

/** Names that removed lines of a test call. */
function calledIn({ diff, basePath, baseText }: ChangedFile): ReadonlySet<string> {
  const code = codeOnly(basePath, baseText ?? "").split("\n");
  const lines = linesOfKind(diff, "removed").map(({ oldLine }) => code[(oldLine ?? 0) - 1] ?? "");
  return new Set(
    lines.flatMap((line) =>
      [...line.matchAll(/(?<![\p{L}\p{N}_$])([\p{L}_$][\p{L}\p{N}_$]{3,})\s*\(/gu)].map(([, name = ""]) => name),
    ),
  );
}

function folded(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/** `test_report.py`, `report_test.go`, `report.test.ts` and `ReportTest.java` are about `report`. */
function stemOf(path: string): string {
  const name = (path.split("/").at(-1) ?? "").replace(/\.\w+$/, "");
  return folded(name.replace(/^test_|[._-](?:test|tests|spec)$|Tests?$/g, ""));
}

export const lastTestRemoved: RepositoryRule = {
  id: "last-test-removed",
  title: "No test is left that names what this one tested",
  severity: "minor",
  category: "tests",
  confidence: 0.8,
  why: "The test is removed and what it tested stays: from now on nothing notices when it breaks.",
  fix: "Keep the test, or test it elsewhere; if it is no longer needed, remove it as well.",
  inTests: true,
  languages: "any",
  look,
  bad: {
    path: "test/users.test.ts",
    before:
      'import { rename } from "../src/users.ts";\ntest("a name is trimmed", () => {\n  expect(rename(" Ada ")).toBe("Ada");\n});\n',
    code: "",
    beside: { "src/users.ts": "export function rename(name: string) {\n  return name.trim();\n}\n" },
  },
  good: {
    path: "test/users.test.ts",
    before:
      'import { rename } from "../src/users.ts";\ntest("a name is trimmed", () => {\n  expect(rename(" Ada ")).toBe("Ada");\n});\n',
    code: "",
    beside: {
      "src/users.ts": "export function rename(name: string) {\n  return name.trim();\n}\n",
      "test/server.test.ts": 'import { rename } from "../src/users.ts";\ntest("renames", () => rename("Ada"));\n',
    },
  },
};
