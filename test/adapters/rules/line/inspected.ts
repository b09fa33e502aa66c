// Makes what the rules see from an example or from a parsed diff: every line of an example counts
// as added.

import type { StructuredPatch } from "diff";
import { FILE_RULES } from "../../../../src/adapters/rules/rules.ts";
import type { DiffLine, FileDiff, Hunk } from "../../../../src/domain/pull-request.ts";
import type { FileKind } from "../../../../src/domain/signals.ts";
import type { InspectedFile } from "../../../../src/ports.ts";
import { aFileDiff } from "../../../builders/file-diff.ts";
import type { Example } from "../rule-cases.ts";

/** Every rule that reads lines: no syntax tree, any language. */
export const LINE_RULES = FILE_RULES.filter((rule) => "check" in rule);

const LANGUAGES = new Map(
  Object.entries({
    ts: "typescript",
    tsx: "typescript",
    js: "javascript",
    jsx: "javascript",
    mjs: "javascript",
    py: "python",
    rb: "ruby",
    go: "go",
    rs: "rust",
    php: "php",
    cs: "csharp",
    java: "java",
    kt: "kotlin",
    c: "c",
    h: "c",
    cpp: "cpp",
    sh: "shell",
    bash: "shell",
    yml: "yaml",
    yaml: "yaml",
    json: "json",
    toml: "toml",
    sql: "sql",
    md: "markdown",
    html: "html",
    vue: "vue",
    ex: "elixir",
    exs: "elixir",
    tf: "hcl",
    twig: "twig",
    s: "assembly",
  }),
);

/** A rough stand-in for analyze: enough for examples and for the noise measurement. */
export function kindOf(path: string): FileKind {
  if (
    /(?:^|[/._-])(?:tests?|specs?|__tests__|e2e|fixtures?|testdata)(?:[/._-]|$)|(?:_test|Tests?|Spec)\.\w+$/i.test(path)
  )
    return "test";
  if (/\.(?:md|mdx|rst|adoc|txt)$|^docs?\//i.test(path) && !/requirements[^/]*\.txt$/.test(path)) return "docs";
  if (/(?:^|\/)(?:\.github|Dockerfile|docker-compose|k8s|infra|charts|deploy)|\.tf$/i.test(path)) return "infra";
  return /\.(?:ya?ml|json|toml|ini|cfg|conf|properties|env|xml)$|(?:^|\/)\.[\w.]+$/.test(path) ? "config" : "source";
}

export function languageOf(path: string): string {
  if (/(?:^|\/)Dockerfile/.test(path)) return "dockerfile";
  return LANGUAGES.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase()) ?? "unknown";
}

function inspected(diff: FileDiff, headText: string | null): InspectedFile {
  const facts = { path: diff.path, language: languageOf(diff.path), kind: kindOf(diff.path) };
  return { diff, facts, headText };
}

function fileDiff(path: string, hunks: readonly Hunk[], status: FileDiff["status"]): FileDiff {
  return aFileDiff(path, hunks, { status, oldMode: null });
}

/** An added file. */
export function fromExample({ path, code }: Example): InspectedFile {
  const texts = code.split("\n");
  const lines = texts.map((text, at): DiffLine => ({ kind: "added", oldLine: null, newLine: at + 1, text }));
  const hunk: Hunk = { oldStart: 0, oldLines: 0, newStart: 1, newLines: texts.length, section: "", lines };
  return inspected(fileDiff(path, [hunk], "added"), `${code}\n`);
}

/** A file of a parsed diff; null where there is no text on the head side. */
export function fromPatch(patch: StructuredPatch): InspectedFile | null {
  const path = (patch.newFileName ?? "").replace(/^b\//, "");
  if (path === "" || path === "/dev/null" || patch.hunks.length === 0) return null;
  const hunks = patch.hunks.map((hunk): Hunk => {
    let [oldLine, newLine] = [hunk.oldStart, hunk.newStart];
    const lines = hunk.lines.flatMap((raw): DiffLine[] => {
      const text = raw.slice(1);
      if (raw[0] === "+") return [{ kind: "added", oldLine: null, newLine: newLine++, text }];
      if (raw[0] === "-") return [{ kind: "removed", oldLine: oldLine++, newLine: null, text }];
      return raw[0] === " " ? [{ kind: "context", oldLine: oldLine++, newLine: newLine++, text }] : [];
    });
    return {
      oldStart: hunk.oldStart,
      oldLines: hunk.oldLines,
      newStart: hunk.newStart,
      newLines: hunk.newLines,
      section: "",
      lines,
    };
  });
  return inspected(fileDiff(path, hunks, patch.oldFileName === "/dev/null" ? "added" : "modified"), null);
}
