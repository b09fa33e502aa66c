// Does classifyLanguage say what linguist says? Labelled paths of real repositories, and linguist's
// own samples.
import { classifyLanguage } from "../../src/domain/code/languages.ts";
import { fileFlags } from "../file-flags.ts";
import { dataFingerprint, fingerprint, readRows } from "../read-data.ts";
import type { Row, Suite } from "../suite.ts";

interface Labelled {
  readonly path: string;
  readonly siblings: readonly string[];
  readonly olderLabels: boolean;
  readonly content: string;
  readonly language: string | null;
  readonly type: string | null;
  readonly vendored: boolean;
  readonly generated: boolean;
}

/**
 * The labels of paths come from an older linguist than our table, which has since parted these
 * languages (its samples are of the newer one). Ours, as the older one would say it.
 */
const OLDER_NAMES = new Map([
  ["Dotenv", "Shell"],
  ["Gradle Kotlin DSL", "Kotlin"],
  ["Nushell", "Nu"],
  ["FreeBASIC", "FreeBasic"],
  ["Vim script", "Vim Script"],
]);

function olderName(name: string | null, path: string): string | null {
  // A file name that the newer linguist knows; the older one saw the extension only.
  if (name === "Go Template" && path.endsWith("_helpers.tpl")) return "Smarty";
  return OLDER_NAMES.get(name ?? "") ?? name;
}

/**
 * Rows are known by their shape: {repo, path, vendored, generated} are paths of repositories, {id,
 * filename} samples, and {id, head} the beginnings of samples. Neighbours of a path are the
 * repository's other listed paths; those of its own folder speak first, as in a pull request.
 */
export const suite: Suite = async ({ data }) => {
  const files = await readRows(data);
  const rows = files.flatMap((file) => file.rows as readonly Record<string, unknown>[]);
  const paths = repositoryPaths(rows);
  const samples = linguistSamples(rows);
  return {
    data: { n: paths.length + samples.length, fingerprint: dataFingerprint(files) },
    config: { fingerprint: fingerprint({ siblings: "repository", content: "first 2000 characters of samples" }) },
    rows: [
      measured("default", paths, { vendoredF1: f1(paths, "vendored"), generatedF1: f1(paths, "generated") }),
      measured("samples", samples, {}),
      measured(
        "samples-name-only",
        samples.map((each) => ({ ...each, content: "" })),
        {},
      ),
    ].filter((row) => row.n > 0),
    notes: [...mistakes("paths", paths), ...mistakes("samples", samples), ...flagMistakes(paths)],
  };
};

function repositoryPaths(rows: readonly Record<string, unknown>[]): readonly Labelled[] {
  const found = rows.filter((row) => typeof row.path === "string" && "vendored" in row);
  const byRepo = new Map(
    [...Map.groupBy(found, (row) => row.repo)].map(([repo, all]) => [repo, all.map((row) => String(row.path))]),
  );
  return found.map((row) => ({
    path: String(row.path),
    siblings: byRepo.get(row.repo) ?? [],
    olderLabels: true,
    content: "",
    language: row.language as string | null,
    type: row.type as string | null,
    vendored: row.vendored === true,
    generated: row.generated === true,
  }));
}

function linguistSamples(rows: readonly Record<string, unknown>[]): readonly Labelled[] {
  const heads = new Map(rows.filter((row) => "head" in row).map((row) => [row.id, String(row.head)]));
  return rows
    .filter((row) => typeof row.filename === "string")
    .map((row) => ({
      path: String(row.filename),
      siblings: [],
      olderLabels: false,
      content: heads.get(row.id) ?? "",
      language: row.language as string | null,
      type: row.type as string | null,
      vendored: false,
      generated: false,
    }));
}

/**
 * `accuracy`: programming-language files named as linguist names them, `verbatim` without allowing
 * for the older names. `precision`: files called code that are. `all`: every file, also those
 * without a language.
 */
function measured(name: string, files: readonly Labelled[], more: Readonly<Record<string, number>>): Row {
  const code = files.filter((file) => file.type === "programming");
  const called = files.filter((file) => answer(file).type === "programming");
  return {
    name,
    n: files.length,
    metrics: {
      accuracy: share(code, isRight),
      verbatim: share(code, (file) => answer(file).linguist === file.language),
      precision: share(called, isRight),
      all: share(files, isRight),
      ...more,
    },
  };
}

function answer(file: Labelled) {
  return classifyLanguage(file.path, { siblings: file.siblings, content: file.content });
}

function isRight(file: Labelled): boolean {
  const { linguist } = answer(file);
  return (file.olderLabels ? olderName(linguist, file.path) : linguist) === file.language;
}

function share<T>(items: readonly T[], holds: (item: T) => boolean): number {
  return items.length === 0 ? 0 : items.filter(holds).length / items.length;
}

function f1(files: readonly Labelled[], flag: "vendored" | "generated"): number {
  const said = files.filter((file) => fileFlags(file.path)[flag]);
  const hits = said.filter((file) => file[flag]).length;
  const truth = files.filter((file) => file[flag]).length;
  return said.length + truth === 0 ? 0 : (2 * hits) / (said.length + truth);
}

function mistakes(name: string, files: readonly Labelled[]): readonly string[] {
  const wrong = files.filter((file) => file.type === "programming" && !isRight(file));
  const kinds = Map.groupBy(wrong, (file) => `${file.language} called ${answer(file).linguist ?? "unknown"}`);
  return [...kinds]
    .sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1))
    .slice(0, 20)
    .map(([kind, all]) => `${name}: ${all.length} × ${kind}, as ${all[0]?.path}`);
}

function flagMistakes(files: readonly Labelled[]): readonly string[] {
  return (["vendored", "generated"] as const).flatMap((flag) => {
    const missed = files.filter((file) => file[flag] && !fileFlags(file.path)[flag]);
    const wrongly = files.filter((file) => !file[flag] && fileFlags(file.path)[flag]);
    return [
      `${flag}: ${missed.length} missed, ${missed
        .slice(0, 12)
        .map((file) => file.path)
        .join(" ")}`,
      `${flag}: ${wrongly.length} wrongly, ${wrongly
        .slice(0, 12)
        .map((file) => file.path)
        .join(" ")}`,
    ];
  });
}
