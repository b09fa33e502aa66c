// Runs in the place of a reading process, with the rights of one, and answers what it could read
// and do.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parseText } from "../../src/adapters/grammars.ts";

const load = createRequire(new URL("../../src/adapters/grammars.ts", import.meta.url));

/** `done`, or the code of the error. */
function tried(work: () => unknown): string {
  try {
    work();
    return "done";
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code ?? error);
  }
}

export interface ProbeQuestion {
  readonly files: readonly string[];
  readonly folder: string;
  readonly database: string;
}

export interface ProbeAnswer {
  readonly files: readonly (readonly [path: string, outcome: string])[];
  readonly others: Readonly<Record<string, string>>;
  readonly parsed: readonly string[];
  /** The names of its variables. */
  readonly environment: readonly string[];
}

process.on("message", ({ files, folder, database }: ProbeQuestion) => {
  const answer: ProbeAnswer = {
    files: files.map((path) => [path, tried(() => readFileSync(path))]),
    others: {
      list: tried(() => readdirSync(folder)),
      exists: tried(() => existsSync(folder)),
      json: tried(() => load(`${folder}/secret.json`)),
      sqlite: tried(() => new (load("node:sqlite").DatabaseSync)(database).prepare("SELECT * FROM kept").all()),
      betterSqlite: tried(() => new (load("better-sqlite3"))(database).prepare("SELECT * FROM kept").all()),
      write: tried(() => writeFileSync(`${folder}/written`, "x")),
      start: tried(() => execFileSync("true")),
    },
    environment: Object.keys(process.env),
    parsed: LANGUAGES.map((language) => String(parseText(language, "x").kind())),
  };
  process.send?.(answer);
});

const LANGUAGES = ["javascript", "typescript", "tsx", "python", "go", "java", "ruby", "rust", "php"];
