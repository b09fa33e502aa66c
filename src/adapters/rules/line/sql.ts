// Rules about SQL files: statements that lose data or fail where there is data.
import type { InspectedFile } from "../../../ports.ts";
import { knownLines, oncePerFile } from "../known-lines.ts";
import type { LineRule } from "../rule.ts";
import { matchAt } from "./line-rule.ts";

/** The check of a rule about single statements; gets the tables of the file too. */
function statements(speaks: (one: SqlStatement, tables: Tables) => boolean): LineRule["check"] {
  return (file) => {
    if (!/\.(?:sql|pgsql|psql|mysql|ddl)$/i.test(file.facts.path) || isRebuild(file)) return [];
    const tables = tablesOf(file);
    const spoken = sqlStatements(file).filter((one) => speaks(one, tables));
    return spoken.map(({ startLine }) => matchAt(startLine));
  };
}

/** Files that undo, dump or rebuild a schema drop things on purpose. */
function isRebuild(file: InspectedFile): boolean {
  return /(?:down|undo|rollback|revert|teardown|clean|reset|drop|seed|schema|dump|structure|init|bench|perf)/i.test(
    file.facts.path.slice(file.facts.path.lastIndexOf("/") + 1),
  );
}

interface Tables {
  /** True when the same file creates the table, or renames another to its name. */
  makes(table: string): boolean;
  /** Filling a column that the same file adds is what a migration is for. */
  isBackfill(table: string): boolean;
}

const tablesOf = oncePerFile((file): Tables => {
  const all = sqlStatements(file).map(({ text }) => text.toLowerCase());
  const wordsOf = (texts: readonly string[]) => new Set(texts.flatMap((text) => text.split(/[^\w]+/)));
  const isMaking = /^create\s+(?:\w+\s+){0,3}table\b|^alter\s+table\b[\s\S]*\brename\s+to\b/;
  const isChanging = /^(?:alter|create)\s+(?:\w+\s+){0,3}table\b/;
  const made = wordsOf(all.map((text) => text.slice(0, 400)).filter((head) => isMaking.test(head)));
  const changed = wordsOf(all.filter((text) => isChanging.test(text)));
  const nameOf = (table: string) => table.slice(table.lastIndexOf(".") + 1).toLowerCase();
  return { makes: (table) => made.has(nameOf(table)), isBackfill: (table) => changed.has(nameOf(table)) };
});

export const SQL_RULES: readonly LineRule[] = [
  {
    id: "sql-drops-data",
    title: "Migration drops a table or column",
    severity: "medium",
    category: "reliability",
    confidence: 0.5,
    why: "The data is deleted with it, and versions of the program that still run will fail on the missing name.",
    fix: "Stop using it in one release and drop it in the next; keep a backup and say so in a comment.",
    check: statements(({ text }, tables) => {
      const table = /^drop\s+table\s+(?:if\s+exists\s+)?["`[]?([\w.]+)/i.exec(text)?.[1];
      if (table !== undefined) return !/temp|tmp|scratch|_old$|_new$|backup/i.test(table) && !tables.makes(table);
      return /^alter\s+table\s[\s\S]*?\bdrop\s+column\b/i.test(text.slice(0, 2000));
    }),
  },
  {
    id: "sql-write-without-where",
    title: "Statement changes every row",
    severity: "major",
    category: "correctness",
    confidence: 0.5,
    why: "Without `WHERE` it deletes or overwrites the whole table.",
    fix: "Add the condition; if every row is meant, say so with `WHERE true` or in a comment.",
    check: statements(({ text, complete }, tables) => {
      if (!complete || /\bwhere\b|\blimit\b|\busing\b/i.test(text)) return false;
      if (/^delete\s+from\s+\S+$/i.test(text)) return true;
      const table = /^update\s+(?:only\s+)?["`[]?([\w.]+)[\]"`]?\s+set\b/i.exec(text)?.[1];
      return table !== undefined && !/\bfrom\b|\bjoin\b/i.test(text) && !tables.isBackfill(table);
    }),
  },
  {
    id: "sql-not-null-without-default",
    title: "New column is NOT NULL and has no default",
    severity: "major",
    category: "correctness",
    confidence: 0.7,
    why: "The statement fails as soon as the table has a row.",
    fix: "Add a `DEFAULT`, or add the column, fill it, and set `NOT NULL` afterwards.",
    check: statements(({ text, complete }, tables) => {
      const table = /^alter\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?["`[]?([\w.]+)/i.exec(text)?.[1];
      if (table === undefined || !complete || tables.makes(table)) return false;
      return text
        .split(",")
        .some(
          (part) =>
            /\badd\s+column\b/i.test(part) &&
            /\bnot\s+null\b/i.test(part) &&
            !/\bdefault\b|\bserial\b|\bbigserial\b|\bgenerated\b|\bidentity\b|\bauto_?increment\b/i.test(part),
        );
    }),
  },
];

// Cuts known lines of an SQL file into statements, without comments and bodies of functions.

interface SqlStatement {
  /** The head line on which it begins. */
  readonly startLine: number;
  /** Without comments, white space folded, no closing `;`. At most 10,000 characters. */
  readonly text: string;
  /** True when its `;` was seen. */
  readonly complete: boolean;
}

const LONGEST = 10_000;
/** Stands where lines between two hunks are not known; it ends whatever is open. */
const GAP = "\uFFFF";
/** A comment, the body of a function, or quoted text. */
const ENCLOSED =
  /--[^\n\uFFFF]*|\/\*[^\uFFFF]*?(?:\*\/|(?=\uFFFF)|$)|\$(\w{0,60})\$[^\uFFFF]*?(?:\$\1\$|(?=\uFFFF)|$)|'[^'\uFFFF]*'?|"[^"\uFFFF]*"?|`[^`\uFFFF]*`?/g;

const sqlStatements = oncePerFile((file): readonly SqlStatement[] => {
  const lines = knownLines(file);
  const isNext = (at: number) => at === 0 || lines[at]?.line === (lines[at - 1]?.line ?? 0) + 1;
  const whole = lines.map(({ text }, at) => (isNext(at) ? text : GAP + text)).join("\n");
  const bare = whole.replace(ENCLOSED, (found) => found.replace(/^['"`]/.test(found) ? /;/g : /[^\n]/g, " "));
  let row = 0;
  return [...bare.matchAll(/([^;\uFFFF]*)([;\uFFFF]|$)/g)].flatMap(([all, own = "", end]) => {
    const start = row + breaks(/^\s*/.exec(own)?.[0] ?? "");
    row += breaks(all);
    const text = own.replace(/\s+/g, " ").trim().slice(0, LONGEST);
    return text === "" ? [] : [{ startLine: lines[start]?.line ?? 0, text, complete: end === ";" }];
  });
});

function breaks(text: string): number {
  return text.split("\n").length - 1;
}
