// Rules about what people leave behind: focused tests, breakpoints, paths of their machine.
import type { LineRule } from "../rule.ts";
import { isComment, linesOf, searchLines } from "./line-rule.ts";

const JS_ONLY =
  /^(\s*(?:describe|it|test|context|suite|specify)(?:\.(?:describe|concurrent|sequential))?)\.only(?=\s*(?:\(|\.each\b|<|`))/;
const JS_F = /^(\s*)f(describe|it|context)(?=\s*\(\s*["'`])/;
const RUBY_F = /^(\s*)f(describe|it|context|specify|feature|scenario)(?=\s+["'(]|\s+[A-Z])/;
const RUBY_FOCUS =
  /^\s*(?:describe|it|context|specify|feature|scenario|RSpec\.describe)\b[^#]{0,300},\s*(?::focus\b|focus:\s*true\b|:focus\s*=>\s*true\b)/;
const GINKGO = /^(\s*(?:var _ = )?)F(Describe|Context|When|It|Entry|DescribeTable)(?=\(\s*")/;
const TEST_FILE = /(?:^|[/._-])(?:test|spec|e2e|cy)s?(?:[/._-]|$)|_test\.go$|__tests__/i;
const JS_FILE = /\.[cm]?[jt]sx?$|\.(?:vue|svelte)$/;

/** What focuses a test in a file of this path. */
function focusIn(path: string): readonly RegExp[] {
  if (JS_FILE.test(path)) return [JS_ONLY, JS_F];
  if (path.endsWith(".rb")) return [RUBY_F, RUBY_FOCUS];
  return path.endsWith(".go") ? [GINKGO] : [];
}

/** Statements that stop the program for a person at a debugger, by canonical language. */
const BREAKPOINTS: ReadonlyMap<string, RegExp> = new Map([
  ["javascript", /^\s*debugger\s*;?\s*(?:\/\/.*)?$/],
  [
    "ruby",
    /^\s*(?:binding\.(?:pry|irb|break)|byebug|debugger|save_and_open_page|save_and_open_screenshot)\s*(?:#.*)?$/,
  ],
  [
    "python",
    /^\s*(?:(?:import (?:pdb|ipdb|pudb)\s*;\s*)?(?:pdb|ipdb|pudb)\.set_trace\(|breakpoint\(\)\s*(?:#.*)?$|import (?:ipdb|pudb)\b)/,
  ],
  ["php", /^\s*(?:dd\s*\(|ddd\s*\(|xdebug_break\s*\(|var_dump\s*\()/],
  ["rust", /(?:^|[\s(=,{])dbg!\s*\(/],
  ["go", /^\s*runtime\.Breakpoint\(\)/],
]);
const OTHER_SCRIPTS = new Set(["typescript", "vue", "svelte", "astro", "html"]);

const HOME =
  /(?<![\w$}*.~-])(?:\/Users\/(?!Shared\b|runner\b)|[A-Za-z]:\\{1,2}Users\\{1,2}(?!Public\b|Default\b|runneradmin\b)|file:\/\/\/(?:home|Users)\/)([A-Za-z][\w.-]{2,30})[\\/]/;
const ANYBODY =
  /^(?:user(?:name)?s?|me|you|your[\w-]*|name|someone|somebody|example\w*|test\w*|foo|bar|alice|bob|john|jane|admin|runner|vsts|circleci|travis|dev|demo|home|documents|my\w*)$/i;

export const LEFTOVER_RULES: readonly LineRule[] = [
  {
    id: "focused-test",
    title: "Only this test runs",
    severity: "major",
    category: "tests",
    confidence: 0.95,
    why: "A focused test switches off every other test of the file or suite, and the run stays green.",
    fix: "Remove the focus.",
    inTests: true,
    fixes: [{ from: JS_ONLY, to: "$1" }, ...[JS_F, RUBY_F, GINKGO].map((from) => ({ from, to: "$1$2" }))],
    check: (file) => {
      const { path } = file.facts;
      return TEST_FILE.test(path) ? searchLines(file, (text) => focusIn(path).some((one) => one.test(text))) : [];
    },
  },
  {
    id: "debugger-left-in",
    title: "Debugging statement is left in",
    severity: "major",
    category: "correctness",
    confidence: 0.85,
    why: "It stops the program and waits for a person, or prints internal values to whoever is there.",
    fix: "Remove the line.",
    inTests: true,
    check: (file) => {
      const { language } = file.facts;
      const pattern = BREAKPOINTS.get(OTHER_SCRIPTS.has(language) ? "javascript" : language);
      if (pattern === undefined || file.facts.kind === "docs") return [];
      return searchLines(file, pattern);
    },
  },
  {
    id: "path-of-own-machine",
    title: "Path exists on one machine only",
    severity: "medium",
    category: "reliability",
    confidence: 0.7,
    why: "A path into somebody's home directory works for that person alone, and names them.",
    fix: "Use a relative path, an argument or an environment variable.",
    check: linesOf(
      (file) => file.facts.kind !== "docs",
      (text) => {
        const person = isComment(text) ? undefined : HOME.exec(text)?.[1];
        return person !== undefined && !ANYBODY.test(person);
      },
    ),
  },
];
