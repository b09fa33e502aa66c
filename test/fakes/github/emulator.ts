// The emulator's half of our fake GitHub: App keys and tokens, repositories, git objects, contents,
// compare. Seeded from the App's manifest, so that tokens carry exactly the permissions that
// app.yml asks for.
import { generateKeyPairSync } from "node:crypto";
import { createEmulator } from "emulate";
import { isJson, type Json } from "./conversation.ts";
import type { Manifest } from "./manifest.ts";

/** A driver's tokens; the app never sees them, and the door does not let them in. */
const DRIVER = "driver";
/**
 * The emulator lets nobody ask 5,000 times an hour; a long test's driver takes the next token in
 * time.
 */
const DRIVER_TOKENS = Array.from({ length: 20 }, (_, at) => `gho_driver${at}`);
const ASKS_OF_A_TOKEN = 4_900;
/** The emulator takes no body of many megabytes. */
const ENTRIES_A_TREE = 100;

/**
 * Text, bytes, null to delete, or a special entry (symbolic link 120000, submodule 160000,
 * executable 100755).
 */
export type FileContent = string | Uint8Array | null | { readonly mode: string; readonly content: string };
export type Files = Readonly<Record<string, FileContent>>;

export interface GitHalf {
  readonly url: string;
  readonly privateKey: string;
  readonly app: { readonly id: number; readonly slug: string };
  /** Asks as the driver, who may do anything. Throws when the emulator refuses. */
  ask(method: string, path: string, body?: unknown): Promise<Json>;
  /** One commit on `parent`; with `fresh` its tree holds nothing but `files`. Returns its sha. */
  commit(repo: string, parent: string, files: Files, message: string, fresh?: boolean): Promise<string>;
  /** Makes or moves a branch, fast-forward or not. */
  point(repo: string, branch: string, sha: string): Promise<void>;
  close(): Promise<void>;
}

/** Another App that the same accounts have installed. */
export interface SecondApp {
  readonly id: number;
  readonly slug: string;
  readonly installations: ReadonlyMap<string, number>;
}

let sharedKey: string | null = null;

/** One RSA key for every world of a process: making one costs more than the rest of a world. */
function privateKey(): string {
  sharedKey ??= generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
    publicKeyEncoding: { type: "pkcs1", format: "pem" },
  }).privateKey;
  return sharedKey;
}

export async function startEmulator(
  manifest: Manifest,
  app: { readonly id: number; readonly slug: string },
  installations: ReadonlyMap<string, number>,
  /** With the same key, permissions and accounts. */
  second: SecondApp | null = null,
): Promise<GitHalf> {
  const key = privateKey();
  const emulator = await createEmulator({
    service: "github",
    port: 0,
    seed: {
      tokens: Object.fromEntries(
        DRIVER_TOKENS.map((token) => [token, { login: DRIVER, scopes: ["repo", "admin:org"] }]),
      ),
      github: {
        users: [{ login: DRIVER, name: "Driver" }],
        orgs: [...installations.keys()].map((login) => ({ login, members: [{ login: DRIVER, role: "admin" }] })),
        apps: [{ ...app, installations }, ...(second === null ? [] : [second])].map((one) => ({
          app_id: one.id,
          slug: one.slug,
          name: one.slug === app.slug ? manifest.name : one.slug,
          description: manifest.description,
          private_key: key,
          permissions: manifest.permissions,
          events: manifest.events,
          installations: [...one.installations].map(([account, id]) => ({ installation_id: id, account })),
        })),
      },
    },
  });

  let asked = 0;
  const authorization = () => {
    const token = DRIVER_TOKENS[Math.floor(asked / ASKS_OF_A_TOKEN) % DRIVER_TOKENS.length];
    asked += 1;
    return `token ${token}`;
  };

  const ask = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const response = await fetch(emulator.url + path, {
      method,
      headers: { authorization: authorization(), "content-type": "application/json", connection: "close" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer: unknown = response.status === 204 ? {} : await response.json();
    if (!response.ok || !isJson(answer))
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };

  const entry = async (repo: string, path: string, content: FileContent): Promise<Json> => {
    const blob = { path, mode: "100644", type: "blob" };
    if (content === null) return { ...blob, sha: null };
    if (typeof content === "string") return { ...blob, content };
    if (!(content instanceof Uint8Array)) {
      if (content.mode === "160000") return { path, mode: content.mode, type: "commit", sha: content.content };
      return { ...blob, mode: content.mode, content: content.content };
    }
    const bytes = { content: Buffer.from(content).toString("base64"), encoding: "base64" };
    const made = await ask("POST", `/repos/${repo}/git/blobs`, bytes);
    return { ...blob, sha: made.sha };
  };

  return {
    url: emulator.url,
    privateKey: key,
    app,
    ask,
    async commit(repo, parent, files, message, fresh = false) {
      let top = fresh ? null : await treeOf(repo, parent);
      const entries = Object.entries(files);
      for (let at = 0; at === 0 || at < entries.length; at += ENTRIES_A_TREE) {
        const some = entries.slice(at, at + ENTRIES_A_TREE);
        const tree = await Promise.all(some.map(([path, content]) => entry(repo, path, content)));
        const base = top === null ? {} : { base_tree: top };
        top = (await ask("POST", `/repos/${repo}/git/trees`, { ...base, tree })).sha;
      }
      const commit = await ask("POST", `/repos/${repo}/git/commits`, { message, tree: top, parents: [parent] });
      return String(commit.sha);
    },
    async point(repo, branch, sha) {
      const existing = await fetch(`${emulator.url}/repos/${repo}/git/ref/heads/${branch}`, {
        headers: { authorization: authorization() },
      });
      await existing.arrayBuffer();
      if (existing.ok) await ask("PATCH", `/repos/${repo}/git/refs/heads/${branch}`, { sha, force: true });
      else await ask("POST", `/repos/${repo}/git/refs`, { ref: `refs/heads/${branch}`, sha });
    },
    close: () => emulator.close(),
  };

  async function treeOf(repo: string, sha: string): Promise<unknown> {
    const commit = await ask("GET", `/repos/${repo}/git/commits/${sha}`);
    return isJson(commit.tree) ? commit.tree.sha : undefined;
  }
}
