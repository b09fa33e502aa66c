// Findings that a repository does not want to hear about again, by pattern. What is critical is always said.
import { userPattern } from "../config/user-pattern.ts";
import type { Category, Severity } from "../domain/finding.ts";

/** What a repository wrote. Every given part must hold. */
export interface Suppression {
  /** Part of the title in any case; `glob:…` the whole title; `regex:…` RE2, anywhere in the title. */
  readonly pattern: string;
  readonly severity?: readonly Severity[];
  readonly category?: readonly Category[];
  /** Globs of paths. */
  readonly paths?: readonly string[];
}

export interface Suppressible {
  readonly title: string;
  readonly severity: Severity;
  readonly category: Category;
  readonly path: string;
}

const READ = 1_000;

/** True when the finding is suppressed. Critical findings and findings about security never are. Never throws. */
export function isSuppressed(finding: Suppressible, suppression: Suppression): boolean {
  const { pattern, severity, category, paths } = suppression;
  if (finding.severity === "critical" || finding.category === "security") return false;
  if (severity !== undefined && !severity.includes(finding.severity)) return false;
  if (category !== undefined && !category.includes(finding.category)) return false;
  if (paths !== undefined && !paths.some((glob) => globMatches(glob, finding.path))) return false;
  return suppressionMatches(pattern, finding.title);
}

/** True when a suppression's pattern fits a title. A pattern that is empty or cannot be read fits nothing. */
export function suppressionMatches(pattern: string, title: string): boolean {
  const read = title.slice(0, READ);
  if (pattern.startsWith("regex:")) {
    const compiled = userPattern(pattern.slice("regex:".length));
    return "matches" in compiled && compiled.matches(read);
  }
  if (pattern.startsWith("glob:")) return globMatches(pattern.slice("glob:".length), read, ".*");
  const words = pattern.trim().toLowerCase();
  return words !== "" && read.toLowerCase().includes(words);
}

/** `**` any text, `*` any text (without a slash in a path), `?` one character; folders before a slash may be none. */
function globMatches(glob: string, text: string, star = "[^/]*"): boolean {
  if (glob === "") return false;
  // RE2 runs it in linear time however many stars there are.
  const source = glob.replace(/\*\*\/|\*+|[^*]/gs, (part) => {
    if (part === "**/") return "(?:.*/)?";
    if (part.startsWith("*")) return part === "*" ? star : ".*";
    return part === "?" ? "." : part.replace(/[\\^$.|?+()[\]{}]/, "\\$&");
  });
  const compiled = userPattern(`^${source}$`);
  return "matches" in compiled && compiled.matches(text.slice(0, READ));
}
