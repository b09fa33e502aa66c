// Wires `kodiai config` to its ports: the configuration of a clone or of a GitHub repository, with the files that it extends.

import { lstat, readdir, readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { git, gitText } from "../../adapters/git/git.ts";
import { githubFiles, type RepositoryFiles } from "../../adapters/github/read/pull-requests.ts";
import { apiUrlFor, namedRepository } from "../../config/environment/github-address.ts";
import { CONFIG_FILE, MAX_ASKED_BYTES } from "../../config/read-yaml.ts";
import { UsageError } from "../../config/usage-error.ts";
import type { Repo } from "../../domain/job.ts";
import type { RootEntry } from "../../domain/pull-request.ts";
import { decodeText } from "../../domain/text/decode-text.ts";
import { isFolder } from "../../environment/data-dir.ts";
import { configAt } from "../../gather/gather.ts";
import { personsClient } from "../github.ts";
import { knownRules } from "../rules.ts";

type NamedRepository = ReturnType<typeof namedRepository>;
type Files = RepositoryFiles;

/**
 * Ports for the configuration of a folder (its file in the working tree), or of OWNER/NAME on GitHub.
 *
 * @param word undefined is the folder of the process
 * @returns `name` is the folder or OWNER/NAME; `notRead` what could not be read, and why, or null
 */
export async function configVerbPorts(word: string | undefined) {
  const token = process.env.GITHUB_TOKEN ?? "";
  const filesOf = ({ host }: NamedRepository): Files => {
    const github = personsClient(token, apiUrlFor(host));
    return githubFiles({ forOwnersRepository: () => Promise.resolve(github) }, 0);
  };
  if (word !== undefined && !isFolder(word)) {
    const named = namedRepository(word);
    if (token === "") throw new UsageError("set GITHUB_TOKEN to read the configuration of a repository on GitHub");
    const repo = repoOf(named);
    const files = filesOf(named);
    const own: Files["text"] = async (_repo, path, _sha, bytes) =>
      (await files.ownersText(repo, repo.name, path, bytes))?.text ?? null;
    const read = async () => {
      const text = await own(repo, CONFIG_FILE, "", MAX_ASKED_BYTES);
      const ownConfig = text === null ? {} : { ownConfig: { place: " of the default branch", text } };
      return configAt(repo, "", { ...files, text: own, ...ownConfig }, knownRules());
    };
    return { name: word, notRead: null, read };
  }
  const folder = resolve(word ?? ".");
  const named = await originOf(folder);
  const isReachable = named !== null && token !== "";
  const { ownersText } = isReachable ? filesOf(named) : { ownersText: () => Promise.resolve(null) };
  const repo = repoOf(named ?? { host: "local", owner: "local", name: "local" });
  const text: Files["text"] = (_repo, path, _sha, bytes) => textIn(folder, path, bytes);
  const why = named === null ? "the clone has no remote `origin` on a GitHub" : "GITHUB_TOKEN is not set";
  return {
    name: folder,
    notRead: isReachable ? null : `what the owner's \`.github\` repository and \`_extends\` say: ${why}`,
    read: async () => {
      const working = await textIn(folder, CONFIG_FILE, MAX_ASKED_BYTES);
      const ownConfig = working === null ? {} : { ownConfig: { place: await placeOf(folder, working), text: working } };
      const files = { ownersText, text, rootEntries: () => entriesIn(folder), ...ownConfig };
      return configAt(repo, "", files, knownRules());
    },
  };
}

/** Only its name matters, because files are read by repository name. */
function repoOf({ host, owner, name }: NamedRepository): Repo {
  return { host, id: 0, ownerId: 0, owner, name, visibility: "private" };
}

/** The commit that has this text; or that none has it, so that reviews do not use it. */
async function placeOf(folder: string, text: string): Promise<string> {
  const head = await gitText(folder, ["rev-parse", "--verify", "--quiet", "HEAD"]).catch(() => "");
  const blob = await git(folder, ["cat-file", "blob", `HEAD:./${CONFIG_FILE}`]).catch(() => null);
  if (blob !== null && decodeText(blob) === text) return `@${head.slice(0, 7)}`;
  const path = relative(process.cwd(), join(folder, CONFIG_FILE));
  return ` of the working tree, which HEAD has not: reviews use it with --config ${path}`;
}

/** `git@github.com:acme/shop.git`, `ssh://git@github.com/acme/shop`, `https://github.com/acme/shop.git`. */
const REMOTE =
  /^(?:[\w.-]{1,100}@|(?:ssh|https?|git):\/\/(?:[^@/\s]{1,200}@)?)([\w.-]{1,250})(?::\d{1,5})?[:/]([\w.-]{1,100})\/([\w.-]{1,100}?)(?:\.git)?\/?$/;

async function originOf(folder: string): Promise<NamedRepository | null> {
  const url = await gitText(folder, ["remote", "get-url", "origin"]).catch(() => "");
  const match = REMOTE.exec(url);
  if (match === null) return null;
  const [, host = "", owner = "", name = ""] = match;
  return { host: host.toLowerCase(), owner, name };
}

async function textIn(folder: string, path: string, maxBytes: number): Promise<string | null> {
  const file = join(folder, path);
  // As on GitHub, a link is not followed.
  const found = await lstat(file).catch(() => null);
  return found?.isFile() === true && found.size <= maxBytes ? decodeText(await readFile(file)) : null;
}

/** As a commit of the folder would have them. */
export async function entriesIn(folder: string): Promise<readonly RootEntry[]> {
  const list = async (below: string) => {
    const found = await readdir(join(folder, below), { withFileTypes: true }).catch(() => []);
    return found.map(
      (one): RootEntry => ({
        path: `${below}${one.name}`,
        kind: one.isSymbolicLink() ? "link" : one.isFile() ? "file" : "folder",
      }),
    );
  };
  return [...(await list("")), ...(await list(".github/"))];
}
