// One line of a manifest: which package does it name, at which version? Lines that name none give null; nothing is run.
import { bareVersion } from "./compare-versions.ts";

/** A package as a manifest names it. */
export interface NamedPackage {
  readonly name: string;
  /** As in DependencyBump. */
  readonly ecosystem: string;
  /** Without range or `v`; null if the line gives something else (a branch, a commit, a star). */
  readonly version: string | null;
  /** False if the manifest itself marks the dependency as indirect. */
  readonly direct: boolean;
}

/** Longer lines name no dependency. */
const LONGEST = 1_000;

const NAME = "[A-Za-z0-9@][\\w.@/~-]{0,213}";

interface Reading {
  readonly ecosystem: string;
  readonly file: RegExp;
  /** Name, then version, then a comment with more. */
  readonly line: RegExp;
}

/** Keys of package.json and composer.json whose value may look like a version. */
const NO_PACKAGE = new Set("version name description node npm php license type main homepage".split(" "));

const READINGS: readonly Reading[] = [
  { ecosystem: "npm", file: /(?:^|\/)package\.json$/i, line: pattern(`"(${NAME})"\\s{0,9}:\\s{0,9}"([^"]{1,120})"`) },
  { ecosystem: "php", file: /(?:^|\/)composer\.json$/i, line: pattern(`"(${NAME})"\\s{0,9}:\\s{0,9}"([^"]{1,120})"`) },
  {
    ecosystem: "python",
    file: /(?:^|\/)(?:(?:[^/]{0,100}requirements[^/]{0,100}|requirements\/[^/]{1,100})\.(?:txt|in)|constraints[^/]{0,100}\.txt)$/i,
    line: pattern(
      `([A-Za-z0-9][\\w.-]{0,100})(?:\\[[^\\]]{0,100}\\])?\\s{0,9}([=~<>]{1,3}\\s{0,9}\\d[^\\s;#,\\\\]{0,100})`,
    ),
  },
  {
    ecosystem: "python",
    file: /(?:^|\/)(?:pyproject\.toml|pipfile)$/i,
    line: pattern(
      `["']?([A-Za-z0-9][\\w.-]{0,100})(?:\\[[^\\]]{0,100}\\])?(?:\\s{0,9}=\\s{0,9}(?:\\{[^}]{0,200}?version\\s{0,9}=\\s{0,9})?["'])?\\s{0,9}([=~<>^]{0,3}\\s{0,9}\\d[^\\s;#,"'\\\\]{0,100})`,
    ),
  },
  {
    ecosystem: "go",
    file: /(?:^|\/)go\.mod$/i,
    line: pattern(
      `(?:require\\s{1,9})?([a-z0-9][\\w.~-]{0,100}\\.[a-z]{2,20}/[\\w./~-]{1,200})\\s{1,9}(v\\d\\S{0,100})\\s{0,9}(// indirect)?`,
    ),
  },
  {
    ecosystem: "rust",
    file: /(?:^|\/)cargo\.toml$/i,
    line: pattern(
      `([A-Za-z0-9][\\w-]{0,100})\\s{0,9}=\\s{0,9}(?:\\{[^}]{0,200}?version\\s{0,9}=\\s{0,9})?"([^"]{1,100})"`,
    ),
  },
  {
    ecosystem: "ruby",
    file: /(?:^|\/)(?:gemfile|[^/]{1,100}\.gemspec)$/i,
    line: pattern(
      `(?:gem|\\w{1,20}\\.add_(?:runtime_|development_)?dependency)[\\s(]{1,9}["']([\\w.-]{1,100})["'],\\s{0,9}["']([^"']{1,100})["']`,
    ),
  },
  {
    ecosystem: "java",
    file: /(?:^|\/)[^/]{0,100}\.gradle(?:\.kts)?$/i,
    line: pattern(`[\\w("' ]{0,60}?["']([\\w.-]{1,100}:[\\w.-]{1,100}):([^"':]{1,100})["']`),
  },
  {
    ecosystem: "dotnet",
    file: /(?:\.(?:cs|fs|vb)proj|(?:^|\/)directory\.packages\.props|(?:^|\/)packages\.config)$/i,
    line: pattern(
      `<(?:PackageReference|PackageVersion|package)\\s[^>]{0,100}?(?:Include|Update|id)="([\\w.-]{1,100})"[^>]{0,100}?version="([^"]{1,100})"`,
    ),
  },
  {
    ecosystem: "github-actions",
    file: /(?:^|\/)\.github\/(?:workflows\/[^/]{1,200}|actions\/.{1,200}\/action)\.ya?ml$|(?:^|\/)action\.ya?ml$/i,
    line: pattern(
      `(?:-\\s{1,9})?uses:\\s{1,9}["']?([\\w.-]{1,100}/[\\w.-]{1,100}(?:/[\\w./-]{1,200})?)@([^\\s"'#]{1,100})["']?\\s{0,9}(#[^\\n]{0,100})?`,
    ),
  },
];

/** How the lines of a file name packages; null for a file that is not a readable manifest. */
export function manifestReader(path: string): ((line: string) => NamedPackage | null) | null {
  const reading = READINGS.find(({ file }) => file.test(path));
  return reading === undefined ? null : (line) => named(line, reading);
}

function named(text: string, { ecosystem, line }: Reading): NamedPackage | null {
  const match = text.length > LONGEST ? null : line.exec(text);
  const name = match?.[1] ?? "";
  if (match === null || NO_PACKAGE.has(name.toLowerCase())) return null;
  // Advisories name the repository of an action: `github/codeql-action/init` is `github/codeql-action`.
  const isAction = ecosystem === "github-actions";
  return {
    name: isAction ? name.split("/").slice(0, 2).join("/") : name,
    ecosystem,
    version: bareVersion(isAction ? actionVersion(match[2] ?? "", match[3] ?? "") : (match[2] ?? "")),
    direct: match[3]?.startsWith("// indirect") !== true,
  };
}

/** An action pinned to a commit has its version in the comment: `@8f4b7f8 # v4.2.1`. */
function actionVersion(ref: string, comment: string): string {
  if (!/^[0-9a-f]{40}$/.test(ref)) return ref;
  return /v?\d[\w.-]{0,60}/.exec(comment)?.[0] ?? ref;
}

function pattern(source: string): RegExp {
  return new RegExp(`^\\s{0,200}${source}`, "i");
}
