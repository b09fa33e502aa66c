// Rules about SQL files: statements that lose data or lock tables.

import type { InspectedFile } from "../../../ports.ts";
import { knownLines, oncePerFile } from "../known-lines.ts";
import type { LineRule } from "../rule.ts";
import { isSampleFile, matchAt } from "./line-rule.ts";

const MIGRATION = "db/migrations/20260102_change.sql";

/** The check of a rule about single statements; gets all statements of the file too. */
function statements(
  speaks: (statement: SqlStatement, all: readonly SqlStatement[], file: InspectedFile) => boolean,
): LineRule["check"] {
  return (file) => {
    if (!/\.(?:sql|pgsql|psql|mysql|ddl)$/i.test(file.facts.path) || isSampleFile(file) || isRebuild(file)) return [];
    const all = sqlStatements(file);
    return all.filter((statement) => speaks(statement, all, file)).map(({ startLine }) => matchAt(startLine));
  };
}

/** Files that undo, dump or rebuild a schema drop things on purpose. */
function isRebuild(file: InspectedFile): boolean {
  return /(?:down|undo|rollback|revert|teardown|clean|reset|drop|seed|schema|dump|structure|init|bench|perf)/i.test(
    file.facts.path.slice(file.facts.path.lastIndexOf("/") + 1),
  );
}

/** True when the same file creates the table, or renames another to its name. */
function makes(all: readonly SqlStatement[], table: string): boolean {
  const name = table.slice(table.lastIndexOf(".") + 1).toLowerCase();
  return all.some(({ text }) => {
    const head = text.slice(0, 400).toLowerCase();
    return (
      /^create\s+(?:\w+\s+){0,3}table\b|^alter\s+table\b[\s\S]*\brename\s+to\b/.test(head) &&
      head.split(/[^\w]+/).includes(name)
    );
  });
}

/** Filling a column that the same file adds is what a migration is for. */
function isBackfill(all: readonly SqlStatement[], table: string): boolean {
  return all.some(
    ({ text }) =>
      /^(?:alter|create)\s+(?:\w+\s+){0,3}table\b/i.test(text) && text.toLowerCase().includes(table.toLowerCase()),
  );
}

export const SQL_RULES: readonly LineRule[] = [
  {
    id: "sql-drops-data",
    title: "Migration drops a table or column",
    severity: "medium",
    category: "reliability",
    confidence: 0.5,
    why: "The data is deleted with it, and versions of the program that still run will fail on the missing name.",
    fix: "Stop using it in one release and drop it in the next; keep a backup and say so in a comment.",
    bad: { path: MIGRATION, code: "DROP TABLE orders;" },
    good: { path: MIGRATION, code: "DROP TABLE IF EXISTS orders;\nCREATE TABLE orders (id bigint);" },
    check: statements(({ text }, all) => {
      const table = /^drop\s+table\s+(?:if\s+exists\s+)?["`[]?([\w.]+)/i.exec(text)?.[1];
      if (table !== undefined) return !/temp|tmp|scratch|_old$|_new$|backup/i.test(table) && !makes(all, table);
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
    bad: { path: MIGRATION, code: "DELETE FROM sessions;" },
    good: { path: MIGRATION, code: "DELETE FROM sessions WHERE expires_at < now();" },
    check: statements(({ text, complete }, all) => {
      if (!complete || /\bwhere\b|\blimit\b|\busing\b/i.test(text)) return false;
      if (/^delete\s+from\s+\S+$/i.test(text)) return true;
      const table = /^update\s+(?:only\s+)?["`[]?([\w.]+)[\]"`]?\s+set\b/i.exec(text)?.[1];
      return table !== undefined && !/\bfrom\b|\bjoin\b/i.test(text) && !isBackfill(all, table);
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
    bad: { path: MIGRATION, code: "ALTER TABLE users ADD COLUMN plan text NOT NULL;" },
    good: { path: MIGRATION, code: "ALTER TABLE users ADD COLUMN plan text NOT NULL DEFAULT 'free';" },
    check: statements(({ text, complete }, all) => {
      const table = /^alter\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?["`[]?([\w.]+)/i.exec(text)?.[1];
      if (table === undefined || !complete || makes(all, table)) return false;
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
  {
    id: "sql-index-locks-table",
    title: "Index is built while writes wait",
    severity: "medium",
    category: "performance",
    confidence: 0.45,
    why: "PostgreSQL blocks every write to the table until the index is built; on a large table that is an outage.",
    fix: "Use `CREATE INDEX CONCURRENTLY`, outside a transaction.",
    bad: { path: MIGRATION, code: "CREATE INDEX orders_tags ON orders USING gin (tags);" },
    good: { path: MIGRATION, code: "CREATE INDEX CONCURRENTLY orders_tags ON orders USING gin (tags);" },
    check: statements(({ text }, all, file) => {
      const table =
        /^create\s+(?:unique\s+)?index\s+(?!concurrently)[\s\S]{0,200}?\bon\s+(?:only\s+)?["`]?([\w.]+)/i.exec(
          text,
        )?.[1];
      if (table === undefined || makes(all, table)) return false;
      return (
        /\busing\s+(?:gin|gist|brin|btree|hash)\b/i.test(text) || /postgres|(?:^|\/)pg[/_-]/i.test(file.facts.path)
      );
    }),
  },
  {
    id: "sql-grants-everything",
    title: "Statement grants every right",
    severity: "major",
    category: "security",
    confidence: 0.6,
    why: "An account of the program that may do everything turns one injected statement into the loss of the database.",
    fix: "Grant the statements that the account needs, on the tables it needs.",
    bad: { path: MIGRATION, code: "GRANT ALL PRIVILEGES ON *.* TO 'app'@'%';" },
    good: { path: MIGRATION, code: "GRANT SELECT, INSERT ON orders TO app;" },
    check: statements(({ text }) => /^grant\s+all\b[\s\S]{0,200}(?:\bon\s+\*\.\*|\bto\s+public\b|@\s*'%')/i.test(text)),
  },
];

// Cuts the known lines of an SQL file into statements, without comments and without the bodies of functions.

interface SqlStatement {
  /** The head line on which it begins. */
  readonly startLine: number;
  /** Without comments, white space folded, no closing `;`. At most 10,000 characters. */
  readonly text: string;
  /** True when its `;` was seen. */
  readonly complete: boolean;
}

const LONGEST = 10_000;
/** Larger files are dumps, not statements that a person wrote. */
const LARGEST = 300_000;
const MARK = /--|\/\*|['"`;]|\$\w{0,60}\$/g;

/** Statements in order; lines that do not follow one another in the file never make one statement. */
const sqlStatements = oncePerFile((file): readonly SqlStatement[] => {
  const size = knownLines(file).reduce((sum, { text }) => sum + text.length + 1, 0);
  if (size > LARGEST) return [];
  const statements: SqlStatement[] = [];
  let run: string[] = [];
  let first = 0;
  for (const { line, text } of knownLines(file)) {
    if (run.length > 0 && line !== first + run.length) {
      statements.push(...cut(run.join("\n"), first));
      run = [];
    }
    if (run.length === 0) first = line;
    run.push(text);
  }
  return [...statements, ...cut(run.join("\n"), first)];
});

/** One pass: from mark to mark, and over whatever a mark opens. */
function cut(text: string, first: number): readonly SqlStatement[] {
  const statements: SqlStatement[] = [];
  let parts: string[] = [];
  let startLine = 0;
  let line = first;
  const keep = (from: number, to: number) => {
    const part = text.slice(from, to);
    if (startLine === 0 && part.trim() !== "") startLine = line + breaks(part.slice(0, part.search(/\S/)));
    parts.push(part.slice(0, LONGEST));
    line += breaks(part);
  };
  const close = (complete: boolean) => {
    const folded = parts.join(" ").slice(0, LONGEST).replace(/\s+/g, " ").trim();
    if (folded !== "") statements.push({ startLine, text: folded, complete });
    parts = [];
    startLine = 0;
  };
  let at = 0;
  while (at < text.length) {
    MARK.lastIndex = at;
    const mark = MARK.exec(text);
    keep(at, mark?.index ?? text.length);
    if (mark === null) break;
    at = endOf(text, mark.index, mark[0]);
    if (mark[0] === ";") close(true);
    else if (/['"`]/.test(mark[0])) keep(mark.index, at);
    else line += breaks(text.slice(mark.index, at));
  }
  close(false);
  return statements;
}

/** The offset after what a mark opens; the end of the text when it is never closed. */
function endOf(text: string, from: number, mark: string): number {
  if (mark === ";") return from + 1;
  const closing = mark === "--" ? "\n" : mark === "/*" ? "*/" : mark;
  const at = text.indexOf(closing, from + mark.length);
  return at < 0 ? text.length : at + (mark === "--" ? 0 : closing.length);
}

function breaks(text: string): number {
  return text.split("\n").length - 1;
}
