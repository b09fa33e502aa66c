// A route, or a handler or form of a message, that the repository defines already: only one of the two counts.

import { isTestPath } from "../../../domain/code/paths.ts";
import { addedNumbers } from "../known-lines.ts";
import type { Change, ChangedFile, Head, RepositoryRule, Sighting } from "../rule.ts";
import { type Place, places } from "./places.ts";

/** What a line defines; two lines of one `key` define the same. */
interface Defined {
  readonly key: string;
  /** For people: `GET /users`. */
  readonly shown: string;
  readonly line: number;
  /** White space before it: what is deeper may be one of several branches. */
  readonly indent: string;
}

const SCRIPT_ROUTE = /^(\s*)(app|server|fastify)\.(get|post|put|patch|delete)\(\s*(["'`])(\/[^"'`\s]*)\4\s*,/;
const PYTHON_ROUTE = /^(\s*)@(app)\.(route|get|post|put|patch|delete)\(\s*(["'])(\/[^"'\s]*)\4(.*)/;
const GO_ROUTE = /^(\s*)http\.(?:HandleFunc|Handle)\(\s*"([^"\s]+)"\s*,/;
const HANDLED = /^(\s*)ipcMain\.handle\(\s*(["'`])([^"'`\s]+)\2/;
const MESSAGE = /^message\s+(\w+)\s*\{/;
/** What makes the application whose routes these are. */
const MAKERS = ["express", "fastify", "Fastify", "Flask", "FastAPI", "Hono", "Koa", "Quart", "Sanic"];
const MAKES = new RegExp(`\\b(?:${MAKERS.join("|")})\\s*(?:<[^<>()]*>)?\\(`);
const MOST_FILES = 100;

function definedIn(path: string, text: string): readonly Defined[] {
  const lines = text.split("\n");
  const proto = path.endsWith(".proto") ? (/^package\s+([\w.]+)\s*;/m.exec(text)?.[1] ?? "") : null;
  return lines.flatMap((line, at): Defined[] => {
    if (line.length > 500) return [];
    const made = (key: string, shown: string, indent: string) => [{ key, shown, line: at + 1, indent }];
    const script = SCRIPT_ROUTE.exec(line);
    const python = path.endsWith(".py") ? PYTHON_ROUTE.exec(line) : null;
    const route = script ?? python;
    if (route !== null) {
      const [, indent = "", app = "", method = "", , to = "", rest = ""] = route;
      return made(`${app} ${method} ${to} ${python === null ? "" : rest}`, `${method} ${to}`, indent);
    }
    const go = path.endsWith(".go") ? GO_ROUTE.exec(line) : null;
    if (go !== null) return made(`http ${go[2]}`, go[2] ?? "", go[1] ?? "");
    const handled = HANDLED.exec(line);
    if (handled !== null) return made(`ipc ${handled[3]}`, handled[3] ?? "", handled[1] ?? "");
    const message = proto === null ? null : MESSAGE.exec(line);
    return message === null ? [] : made(`message ${proto}.${message[1]}`, message[1] ?? "", "");
  });
}

async function look(change: Change): Promise<readonly Sighting[]> {
  const sightings: Sighting[] = [];
  for (const file of change.files) {
    if (file.facts.kind === "test" || file.headText === null) continue;
    const added = addedNumbers(file.diff);
    const all = definedIn(file.diff.path, file.headText);
    for (const one of all.filter(({ line }) => added.has(line))) {
      const here = all.filter(
        (other) => other.line !== one.line && isSame(one, other) && sharesBlock(file, one, other),
      );
      const own = here.map(({ line }) => ({ path: file.diff.path, line }));
      const isFirst = here.every(({ line }) => !added.has(line) || line < one.line);
      const others = isFirst ? [...own, ...(own.length > 0 ? [] : await elsewhere(change, file, one))] : [];
      if (others.length === 0) continue;
      sightings.push({
        file,
        side: "RIGHT",
        line: one.line,
        detail: one.shown,
        said: `It is defined in ${places(others)} as well.`,
      });
    }
  }
  return sightings;
}

function isSame(one: Defined, other: Defined): boolean {
  return one.key === other.key && one.indent === other.indent;
}

/** Whether no line between them is less indented, so that both run. */
function sharesBlock({ headText }: ChangedFile, one: Defined, other: Defined): boolean {
  const [from, to] = [Math.min(one.line, other.line), Math.max(one.line, other.line)];
  const between = (headText ?? "").split("\n").slice(from, to - 1);
  return between.every((line) => line.trim() === "" || line.startsWith(one.indent));
}

async function elsewhere(change: Change, file: ChangedFile, one: Defined) {
  const [kind] = one.key.split(" ");
  const head = one.shown.length < 3 ? null : await change.head();
  if (head === null || (kind !== "message" && kind !== "ipc" && !(await hasOneApplication(change, head)))) return [];
  const words = [...new Set(one.key.match(/[\p{L}\p{N}_$]+/gu))].filter((word) => word !== "ipc");
  const ending = /\.\w+$/.exec(file.diff.path)?.[0] ?? "";
  const name = file.diff.path.split("/").at(-1) ?? "";
  const paths = (await change.symbols.having(head, words)).filter(
    // A copy of a file has all of its messages.
    (path) => path !== file.diff.path && path.endsWith(ending) && !isTestPath(path) && !path.endsWith(`/${name}`),
  );
  const found: Place[] = [];
  for (const path of paths.slice(0, MOST_FILES)) {
    const all = definedIn(path, (await head.text(path)) ?? "");
    found.push(...all.filter(({ key }) => key === one.key).map(({ line }) => ({ path, line })));
  }
  return found;
}

async function hasOneApplication(change: Change, head: Head): Promise<boolean> {
  const having = await Promise.all(MAKERS.map((word) => change.symbols.having(head, [word])));
  let applications = 0;
  for (const path of new Set(having.flat().filter((one) => /\.(?:[cm]?[jt]sx?|py)$/.test(one) && !isTestPath(one))))
    applications += (await head.text(path))?.split("\n").filter((line) => MAKES.test(line)).length ?? 0;
  return applications === 1;
}

export const definedTwice: RepositoryRule = {
  id: "defined-twice",
  title: "Route or message is defined twice",
  severity: "medium",
  category: "correctness",
  confidence: 0.9,
  why: "Only one of the two is ever reached, or the program refuses to start.",
  fix: "Remove one, or give it a name of its own.",
  languages: "any",
  look,
  bad: {
    path: "src/health.ts",
    code: 'export function health(app: Express) {\n  app.get("/health", (_, answer) => answer.send("ok"));\n}',
    beside: {
      "src/server.ts": 'const app = express();\nexport function start() {\n  app.get("/health", old);\n}\n',
    },
  },
  good: {
    path: "src/admin.ts",
    code: 'const app = express();\napp.get("/health", (_, answer) => answer.send("ok"));',
    beside: { "src/server.ts": 'const app = express();\napp.get("/health", old);\n' },
  },
};
