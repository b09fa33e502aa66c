// Wires `kodiai config` to its ports: the configuration of a clone or of a repository on GitHub,
// with files of its owner.

import { lstat, readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { git, gitText } from "../../adapters/git/git.ts";
import { githubFiles, type RepositoryFiles } from "../../adapters/github/read/pull-requests.ts";
import { apiUrlFor, namedRepository } from "../../config/environment/github-address.ts";
import { CONFIG_FILE, MAX_ASKED_BYTES } from "../../config/read-yaml.ts";
import { UsageError } from "../../config/usage-error.ts";
import type { Repo } from "../../domain/job.ts";
import type { RootEntry } from "../../domain/pull-request.ts";
import { decodeText } from "../../domain/text/decode-text.ts";
import { configAt } from "../../gather/gather.ts";
import { personsClient } from "../github.ts";
import { knownRules } from "../rules.ts";

/** The file in the working tree, and the owner's on GitHub; `notRead` is what could not be read. */
export async function configHere(folder: string) {
  const token = process.env.GITHUB_TOKEN ?? "";
  const origin = await originOf(folder);
  const isReachable = origin !== null && token !== "";
  const why = origin === null ? "the clone has no remote `origin` on a GitHub" : "GITHUB_TOKEN is not set";
  const working = await textIn(folder, CONFIG_FILE, MAX_ASKED_BYTES);
  const files = {
    ownersText: isReachable ? ownersFiles(origin, token).ownersText : () => Promise.resolve(null),
    text: ((_repo, path, _sha, bytes) => textIn(folder, path, bytes)) satisfies RepositoryFiles["text"],
    rootEntries: () => entriesIn(folder),
    ...(working === null ? {} : { ownConfig: { place: await placeOf(folder, working), text: working } }),
  };
  return {
    notRead: isReachable ? null : `what the owner's \`.github\` repository and \`_extends\` say: ${why}`,
    parsed: await configAt(origin ?? NOWHERE, "", files, knownRules()),
  };
}

/** The configuration of OWNER/NAME on its default branch. @throws UsageError for another word */
export async function configOnGitHub(word: string) {
  const token = process.env.GITHUB_TOKEN ?? "";
  const repo = { ...NOWHERE, ...namedRepository(word) };
  if (token === "") throw new UsageError("set GITHUB_TOKEN to read the configuration of a repository on GitHub");
  const files = ownersFiles(repo, token);
  const text: RepositoryFiles["text"] = async (_repo, path, _sha, bytes) =>
    (await files.ownersText(repo, repo.name, path, bytes))?.text ?? null;
  const own = await text(repo, CONFIG_FILE, "", MAX_ASKED_BYTES);
  const ownConfig = own === null ? {} : { ownConfig: { place: " of the default branch", text: own } };
  return { notRead: null, parsed: await configAt(repo, "", { ...files, text, ...ownConfig }, knownRules()) };
}

function ownersFiles({ host }: Repo, token: string): RepositoryFiles {
  const github = personsClient(token, apiUrlFor(host));
  return githubFiles({ forOwnersRepository: () => Promise.resolve(github) }, 0);
}

/** Only its names matter, because files are read by repository name. */
const NOWHERE = { host: "local", id: 0, ownerId: 0, owner: "local", name: "local", visibility: "private" } as const;

/** The commit that has this text; or that none has it, so that reviews do not use it. */
async function placeOf(folder: string, text: string): Promise<string> {
  const head = await gitText(folder, ["rev-parse", "--verify", "--quiet", "HEAD"]).catch(() => "");
  const blob = await git(folder, ["cat-file", "blob", `HEAD:./${CONFIG_FILE}`]).catch(() => null);
  if (blob !== null && decodeText(blob) === text) return `@${head.slice(0, 7)}`;
  const path = relative(process.cwd(), join(folder, CONFIG_FILE));
  return ` of the working tree, which HEAD has not: reviews use it with --config ${path}`;
}

/** `git@github.com:acme/shop.git`, `ssh://git@github.com/acme/shop`, `https://github.com/…`. */
const REMOTE =
  /^(?:[\w.-]{1,100}@|(?:ssh|https?|git):\/\/(?:[^@/\s]{1,200}@)?)([\w.-]{1,250})(?::\d{1,5})?[:/]([\w.-]{1,100})\/([\w.-]{1,100}?)(?:\.git)?\/?$/;

async function originOf(folder: string): Promise<Repo | null> {
  const url = await gitText(folder, ["remote", "get-url", "origin"]).catch(() => "");
  const match = REMOTE.exec(url);
  if (match === null) return null;
  const [, host = "", owner = "", name = ""] = match;
  return { ...NOWHERE, host: host.toLowerCase(), owner, name };
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
      (entry): RootEntry => ({
        path: `${below}${entry.name}`,
        kind: entry.isSymbolicLink() ? "link" : entry.isFile() ? "file" : "folder",
      }),
    );
  };
  return [...(await list("")), ...(await list(".github/"))];
}
