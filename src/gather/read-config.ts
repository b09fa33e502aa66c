// Reads the configuration files of a pull request, in order. Its head is never one of them: a pull
// request changes the rules of reviews only after its merge.
import type { KnownRules } from "../config/parse-config.ts";
import { type ConfigSource, parseConfig } from "../config/parse-config.ts";
import { extendsOf } from "../config/read-config-file.ts";
import { CONFIG_FILE } from "../config/read-yaml.ts";
import type { ConfigProblem, RepoConfig } from "../config/repo-config.ts";
import type { Repo } from "../domain/job.ts";
import type { RootEntry } from "../domain/pull-request.ts";

/** Replaces the name of a file that readers of the repository may not know. */
const HIDDEN_FILE = "a file of another repository";
/** The repository with an owner's defaults for all others. */
const DEFAULTS_REPOSITORY = ".github";

/** Reads the files; each gives null for a file that is absent or inaccessible. */
interface ConfigFiles {
  /** `.kodiai.yml` of the repository at the tip of the base branch. */
  readonly ofBase: () => Promise<string | null>;
  /** What is at the root of that commit and in `.github`; asked where the file cannot be read. */
  readonly around: () => Promise<readonly RootEntry[]>;
  /** `.kodiai.yml` on the default branch of another repository of the same owner. */
  readonly ofOwner: (repositoryName: string) => Promise<{ readonly text: string; readonly isShown: boolean } | null>;
}

export interface EffectiveConfig {
  readonly config: RepoConfig;
  readonly problems: readonly ConfigProblem[];
  /** Dotted key → its source: a file, `preset NAME` or `default`. */
  readonly origins: ReadonlyMap<string, string>;
  /** The files that were used, from weakest to strongest. */
  readonly used: readonly string[];
}

/**
 * The configuration of a repository, from weakest to strongest: built-in defaults, the owner's
 * `.github` repository, the repository that the base's `_extends` names, the base itself.
 *
 * @param known the existing rules, so that a misspelt one is reported
 * @returns a complete configuration; everything unusable is a problem
 * @throws only what `files` throws
 */
export async function readConfig(repo: Repo, files: ConfigFiles, known: KnownRules): Promise<EffectiveConfig> {
  const text = await files.ofBase();
  const ownFile = text === null ? notRead(await files.around()) : admit(CONFIG_FILE, text);
  const defaults = repo.name === DEFAULTS_REPOSITORY ? NOTHING : await admitOwners(repo, DEFAULTS_REPOSITORY, files);
  const extended = await readExtended(repo, ownFile.sources, files);
  const all = [defaults ?? NOTHING, extended, ownFile];
  const used = all.flatMap(({ sources }) => sources);
  const { config, problems, origins } = parseConfig(used, known);
  return {
    config,
    problems: withoutHidden([...all.flatMap((file) => file.problems), ...problems]),
    origins,
    used: used.map(({ file }) => file),
  };
}

/** The number of problems in a repository that readers of this one may not see. */
function withoutHidden(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const shown = problems.filter(({ file }) => file !== HIDDEN_FILE);
  const hidden = problems.length - shown.length;
  if (hidden === 0) return shown;
  const message = `${hidden} problem${hidden === 1 ? "" : "s"}, shown in that repository only`;
  return [...shown, { file: HIDDEN_FILE, key: "", line: null, column: null, severity: "notice", message }];
}

/** At most one source, and its problems. */
interface Admitted {
  readonly sources: readonly ConfigSource[];
  readonly problems: readonly ConfigProblem[];
}

const NOTHING: Admitted = { sources: [], problems: [] };

function admit(file: string, text: string | null): Admitted {
  return text === null ? NOTHING : { sources: [{ file, text }], problems: [] };
}

/** Names under which people or other tools keep such a file. */
const OTHER_NAME = /^(?:\.github\/)?\.?kodiai\.ya?ml$/i;

/** Why a repository that seems to have a configuration has none. */
function notRead(entries: readonly RootEntry[]): Admitted {
  return { sources: [], problems: entries.flatMap(unreadProblem) };
}

/** The problem with an entry that looks like our configuration; none for any other. */
export function unreadProblem({ path, kind }: RootEntry): readonly ConfigProblem[] {
  if (!OTHER_NAME.test(path)) return [];
  const message = path === CONFIG_FILE ? WHY_UNREAD[kind] : `is not read; name it \`${CONFIG_FILE}\`, at the root`;
  return [{ file: path, key: "", line: null, column: null, severity: "error", message }];
}

const WHY_UNREAD: Readonly<Record<RootEntry["kind"], string>> = {
  file: "is not read: it is no text in UTF-8 or UTF-16, or larger than 1 MB",
  link: "is a symbolic link, which is not read; commit the file itself",
  folder: "is a folder; it must be a file",
};

async function readExtended(repo: Repo, own: readonly ConfigSource[], files: ConfigFiles): Promise<Admitted> {
  // A bare name: anything that could reach another owner, a path or an address is a problem that
  // parseConfig reports.
  const name = own.map(({ text }) => extendsOf(text)).find((named) => named !== null) ?? null;
  // The defaults are read anyway, and a file does not extend itself.
  const isRead = [DEFAULTS_REPOSITORY, repo.name].some((one) => one.toLowerCase() === name?.toLowerCase());
  if (name === null || isRead) return NOTHING;
  const extended = await admitOwners(repo, name, files);
  if (extended !== null) return extended;
  return refuse(CONFIG_FILE, "_extends", `${repo.owner}/${name} has no ${CONFIG_FILE} to read`);
}

/** Null when there is no such file. */
async function admitOwners(repo: Repo, name: string, { ofOwner }: ConfigFiles): Promise<Admitted | null> {
  const found = await ofOwner(name);
  if (found === null) return null;
  return admit(found.isShown ? `${repo.owner}/${name}/${CONFIG_FILE}` : HIDDEN_FILE, found.text);
}

function refuse(file: string, key: string, message: string): Admitted {
  return { sources: [], problems: [{ file, key, line: null, column: null, severity: "error", message }] };
}
