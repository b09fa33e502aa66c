// Rules about settings of web applications, and about settings that stand twice.
import { isMap, isScalar, LineCounter, parseAllDocuments, visit } from "yaml";
import type { InspectedFile } from "../../../ports.ts";
import { knownLines } from "../known-lines.ts";
import type { LineRule, Match } from "../rule.ts";
import { isComment, isConfig, isSampleFile, matchAt, searchLines } from "./line-rule.ts";

/** Larger files are data rather than settings; broken YAML of this size costs up to half a second. */
const LARGEST_PARSED = 64 * 1024;

/** The head text, or what the hunks show when they show the whole file. */
function wholeText(file: InspectedFile): string | null {
  if (file.headText !== null) return file.headText;
  return file.diff.status === "added" && file.diff.complete
    ? knownLines(file)
        .map(({ text }) => text)
        .join("\n")
    : null;
}

function duplicates(file: InspectedFile): readonly Match[] {
  const text = wholeText(file);
  if (text === null || text.length > LARGEST_PARSED || /\{\{|\{%|<%/.test(text)) return [];
  const keys = new Set<number>();
  const counter = new LineCounter();
  try {
    // Broken JSON is for other tools to say, and this refuses it quickly.
    if (file.facts.path.endsWith(".json")) JSON.parse(text);
    const documents = parseAllDocuments(text, {
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: "silent",
      lineCounter: counter,
    });
    if (!Array.isArray(documents) || documents.some(({ errors }) => errors.length > 0)) return [];
    for (const document of documents) visit(document, { Map: (_key, map) => collect(map, keys) });
  } catch {
    // Not JSON, or nested too deeply to walk: not a file of settings that a person wrote.
    return [];
  }
  return [...keys].map((offset) => matchAt(counter.linePos(offset).line));
}

/** Adds the offset of every key of a map that an earlier entry already has. */
function collect(map: unknown, offsets: Set<number>): void {
  if (!isMap(map)) return;
  const seen = new Set<string>();
  for (const { key } of map.items) {
    if (!isScalar(key) || key.value === "<<" || key.range === undefined || key.range === null) continue;
    const name = `${typeof key.value}:${String(key.value)}`;
    if (seen.has(name)) offsets.add(key.range[0]);
    seen.add(name);
  }
}

const ANY_ORIGIN =
  /^\s*(?:-\s*)?["']?[\w.-]{0,60}?(?:allow(?:ed)?[-_.]?origins?|access-control-allow-origin)["']?\s*[:=]\s*\[?\s*["']?\*["']?\s*\]?[,;]?\s*$/i;
const CREDENTIALS =
  /^\s*(?:-\s*)?["']?[\w.-]{0,60}?(?:allow(?:ed)?[-_.]?credentials|access-control-allow-credentials)["']?\s*[:=]\s*["']?true\b/i;
/** Settings of one CORS policy stand close together. */
const NEAR = 8;

export const SETTINGS_RULES: readonly LineRule[] = [
  {
    id: "duplicate-key-in-data",
    title: "Key is repeated in the same object",
    severity: "major",
    category: "correctness",
    confidence: 0.85,
    why: "Most readers keep the last value without a word, so that one of the two settings never takes effect; strict readers refuse the file.",
    fix: "Keep one of the two, or merge them.",
    bad: {
      path: "package.json",
      code: '{\n  "scripts": {\n    "test": "vitest",\n    "build": "tsc",\n    "test": "jest"\n  }\n}',
    },
    good: { path: "config/app.yml", code: "a:\n  port: 80\nb:\n  port: 8080" },
    check: (file) => (/\.(?:json|ya?ml)$/i.test(file.facts.path) ? duplicates(file) : []),
  },
  {
    id: "cors-any-origin-with-credentials",
    title: "Every site may call with the visitor's cookies",
    severity: "major",
    category: "security",
    confidence: 0.7,
    why: "Any page that a signed-in person opens can read and change their data; browsers refuse the literal pair, frameworks then echo the origin instead.",
    fix: "List the origins that need it, or leave credentials out.",
    bad: { path: "config/cors.yml", code: 'cors:\n  allowed_origins: "*"\n  allow_credentials: true' },
    good: { path: "config/cors.yml", code: 'cors:\n  allowed_origins: "*"\n  allow_credentials: false' },
    check: (file) => {
      if (!isConfig(file) || isSampleFile(file)) return [];
      const lines = knownLines(file);
      const near = (line: number) =>
        lines.some(({ line: other, text }) => Math.abs(other - line) <= NEAR && CREDENTIALS.test(text.slice(0, 300)));
      const open = lines.filter(({ text }) => !isComment(text) && ANY_ORIGIN.test(text.slice(0, 300)));
      return open.slice(0, 100).flatMap(({ line }) => (near(line) ? [matchAt(line)] : []));
    },
  },
  {
    id: "session-cookie-insecure",
    title: "Session cookie may travel unencrypted or be read by scripts",
    severity: "medium",
    category: "security",
    confidence: 0.6,
    why: "One request over plain HTTP, or one injected script, hands the session to somebody else.",
    fix: "Set it to true; switch it off in the development settings only.",
    bad: { path: "src/main/resources/application.properties", code: "server.servlet.session.cookie.secure=false" },
    good: { path: "src/main/resources/application.properties", code: "server.servlet.session.cookie.secure=true" },
    check: (file) => {
      const { path } = file.facts;
      if (isSampleFile(file) || /(?:^|[/._-])(?:dev|development|local|test|testing|ci)(?:[/._-]|$)/i.test(path))
        return [];
      if (!isConfig(file) && !/settings[^/]{0,200}\.py$|(?:^|\/)config[^/]{0,200}\.(?:py|rb|php)$/.test(path))
        return [];
      return searchLines(
        file,
        /^\s*["']?(?:[\w.-]{0,60}?session[\w.-]{0,20}cookie[._-]?(?:secure|http_?-?only)|CSRF_COOKIE_SECURE)["']?\s*[:=]\s*["']?(?:false|off|0)["']?\s*[,;]?\s*$/i,
      );
    },
  },
];
