// Rules about manifests: what is installed, from where, and what runs while it is installed.
import type { InspectedFile } from "../../../ports.ts";
import { knownLines } from "../known-lines.ts";
import type { LineRule } from "../rule.ts";
import { isComment, linesOf, named, searchLines } from "./line-rule.ts";

const MANIFEST = /(?:^|\/)package\.json$/;
const INSTALL_SCRIPT = /"(?:pre|post)?install"\s*:\s*"[^\n]{0,300}\b(?:curl|wget|Invoke-WebRequest|iwr)\b/;

/** The lines of a package.json by the section that they stand in; lines whose section is unknown are left out. */
function sections(file: InspectedFile): ReadonlyMap<number, string> {
  const byLine = new Map<number, string>();
  let section: string | null = null;
  let expected = 0;
  for (const { line, text } of knownLines(file)) {
    if (line !== expected) section = null;
    expected = line + 1;
    const opened = /^\s{0,8}"([A-Za-z]{1,40})"\s*:\s*\{\s*$/.exec(text)?.[1];
    if (opened !== undefined) section = opened;
    else if (/^\s*\}/.test(text)) section = null;
    else if (section !== null) byLine.set(line, section);
  }
  return byLine;
}

const ANY_VERSION = /^\s*"(@?[\w./-]{1,100})"\s*:\s*"(?:latest|next|\*|x|>=?\s?[\d.]+)"\s*,?\s*$/;

const PINNED = /#(?:[0-9a-f]{7,40}|semver:|v?\d|[^"'\s]{0,200}\d\.\d)/i;
const PINNED_PYTHON = /@v?[\w./-]*(?:[0-9a-f]{7,40}|\d+\.\d+)/i;

function followsBranch(path: string, text: string): boolean {
  if (MANIFEST.test(path)) {
    const source =
      /^\s*"(?!url"|homepage"|repository"|bugs")[@\w./-]{1,100}"\s*:\s*"((?:git\+(?:https|ssh):\/\/|github:|git@)[^"]{1,200})"/.exec(
        text,
      )?.[1];
    return source !== undefined && !PINNED.test(source);
  }
  if (/(?:^|\/)(?:requirements[^/]*\.txt|constraints[^/]*\.txt)$/.test(path)) {
    const source = /\bgit\+(?:https|ssh):\/\/(?:[^\s/@]{1,80}@)?(\S{1,200})/.exec(text)?.[1];
    return source !== undefined && !PINNED_PYTHON.test(source);
  }
  return /(?:^|\/)Cargo\.toml$/.test(path) && /\bgit\s*=\s*"[^"]{1,200}"/.test(text) && /\bbranch\s*=/.test(text);
}

export const DEPENDENCY_RULES: readonly LineRule[] = [
  {
    id: "install-script-downloads",
    title: "Install script downloads and runs code",
    severity: "major",
    category: "security",
    confidence: 0.7,
    why: "It runs on every machine that installs the package, with that person's rights, and whatever the server sends.",
    fix: "Ship the file in the package, or download it in a step that people start and that checks a checksum.",
    bad: { path: "package.json", code: '    "postinstall": "curl -s https://get.acme.io/agent | sh",' },
    good: { path: "package.json", code: '    "postinstall": "patch-package && husky",' },
    check: linesOf(named(MANIFEST), (text) => INSTALL_SCRIPT.test(text)),
  },
  {
    id: "dependency-any-version",
    title: "Dependency takes any version",
    severity: "medium",
    category: "reliability",
    confidence: 0.55,
    why: "The next install may bring a version with breaking changes, or one that somebody published with a stolen account.",
    fix: "Name a range such as `^1.4.0`.",
    bad: { path: "package.json", code: '{\n  "dependencies": {\n    "left-pad": "latest"\n  }\n}' },
    good: {
      path: "package.json",
      code: '{\n  "dependencies": {\n    "left-pad": "^1.3.0",\n    "@acme/core": "workspace:*"\n  }\n}',
    },
    check: (file) => {
      if (!MANIFEST.test(file.facts.path)) return [];
      const places = sections(file);
      return searchLines(file, (text, { line }) => {
        const [, name] = ANY_VERSION.exec(text) ?? [];
        const section = places.get(line);
        // A scoped "*" is how npm workspaces name a sibling.
        if (name === undefined || (name.startsWith("@") && /"\*"/.test(text))) return null;
        return section === "dependencies" ? { detail: name } : null;
      });
    },
  },
  {
    id: "dependency-follows-branch",
    title: "Dependency follows a branch",
    severity: "medium",
    category: "reliability",
    confidence: 0.65,
    why: "Two installs on two days bring different code, and whoever can push to that branch decides which.",
    fix: "Pin it to a tag or a commit.",
    bad: { path: "package.json", code: '    "parser": "git+https://github.com/acme/parser.git",' },
    good: {
      path: "package.json",
      code: '    "parser": "git+https://github.com/acme/parser.git#v1.2.0",\n    "url": "git+https://github.com/acme/app.git"',
    },
    check: (file) => searchLines(file, (text) => !isComment(text) && followsBranch(file.facts.path, text)),
  },
];
