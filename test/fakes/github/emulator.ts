// The emulator's half of our fake GitHub: App keys and tokens, repositories, git objects, contents, compare.
// Seeded from the App's manifest, so that tokens carry exactly the permissions that app.yml asks for.
import { generateKeyPairSync } from "node:crypto";
import { createEmulator } from "emulate";
import { isJson, type Json } from "./conversation.ts";
import type { Manifest } from "./manifest.ts";

/** A driver's token; the app never sees it, and the door does not let it in. */
const DRIVER = "driver";
const DRIVER_TOKEN = "gho_driver";

/** Text, bytes, null to delete, or a special entry (symbolic link 120000, submodule 160000, executable 100755). */
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
): Promise<GitHalf> {
  const key = privateKey();
  const emulator = await createEmulator({
    service: "github",
    port: 0,
    seed: {
      tokens: { [DRIVER_TOKEN]: { login: DRIVER, scopes: ["repo", "admin:org"] } },
      github: {
        users: [{ login: DRIVER, name: "Driver" }],
        orgs: [...installations.keys()].map((login) => ({ login, members: [{ login: DRIVER, role: "admin" }] })),
        apps: [
          {
            app_id: app.id,
            slug: app.slug,
            name: manifest.name,
            description: manifest.description,
            private_key: key,
            permissions: manifest.permissions,
            events: manifest.events,
            installations: [...installations].map(([account, id]) => ({ installation_id: id, account })),
          },
        ],
      },
    },
  });

  const ask = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const response = await fetch(emulator.url + path, {
      method,
      headers: { authorization: `token ${DRIVER_TOKEN}`, "content-type": "application/json" },
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
      const base = fresh ? {} : { base_tree: await treeOf(repo, parent) };
      const tree = await Promise.all(Object.entries(files).map(([path, content]) => entry(repo, path, content)));
      const made = await ask("POST", `/repos/${repo}/git/trees`, { ...base, tree });
      const commit = await ask("POST", `/repos/${repo}/git/commits`, { message, tree: made.sha, parents: [parent] });
      return String(commit.sha);
    },
    async point(repo, branch, sha) {
      const existing = await fetch(`${emulator.url}/repos/${repo}/git/ref/heads/${branch}`, {
        headers: { authorization: `token ${DRIVER_TOKEN}` },
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
