// The ways to a PostgreSQL 17 with pgvector on this machine, the best first: each says what starts
// the server, or why it cannot.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";

/** Where downloads are kept between runs. */
export const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "kodiai");

/** A server that can be started from programs on this machine. */
export interface Programs {
  readonly kind: "programs";
  /** The words before the program and its arguments: `chroot ROOT setpriv …`. */
  readonly before: readonly string[];
  /** Holds `initdb` and `postgres`, as seen from behind `before`. */
  readonly bin: string;
  /** `initdb` and `postgres` see this folder of ours as "/"; empty when they see what we see. */
  readonly root: string;
  /** Who must own the data folder; null for ourselves. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
}

export type Means = Programs | { readonly kind: "docker" };

export const IMAGE = "pgvector/pgvector:pg17";

/** The best means at hand, or why there is none: a line for each that was looked at. */
export function findMeans(say: (line: string) => void): Means | { readonly kind: "none"; readonly why: string[] } {
  const why: string[] = [];
  for (const look of [installed, docker, debian]) {
    const found = look(say);
    if (typeof found !== "string") return found;
    why.push(found);
  }
  return { kind: "none", why };
}

/** PostgreSQL 17 with pgvector among the programs of this machine. */
function installed(): Means | string {
  const folders = ["/usr/lib/postgresql/17/bin", ...(process.env.PATH ?? "").split(delimiter)];
  for (const bin of folders) {
    if (!existsSync(join(bin, "initdb")) || !existsSync(join(bin, "postgres"))) continue;
    const version = spawnSync(join(bin, "postgres"), ["--version"], { encoding: "utf8" }).stdout ?? "";
    if (!/ 1[789][.]/.test(version)) continue;
    const shared = spawnSync(join(bin, "pg_config"), ["--sharedir"], { encoding: "utf8" }).stdout?.trim();
    if (![shared, "/usr/share/postgresql/17"].some((at) => at && existsSync(join(at, "extension/vector.control")))) {
      return `${bin} has no pgvector`;
    }
    return { kind: "programs", bin, root: "", ...asAnother("") };
  }
  return "no PostgreSQL 17 on PATH or in /usr/lib/postgresql/17";
}

function docker(): Means | string {
  const asked = spawnSync("docker", ["info", "--format", "{{.ServerVersion}}"], { encoding: "utf8", timeout: 10_000 });
  return asked.status === 0 ? { kind: "docker" } : "no Docker engine answers";
}

/**
 * A Debian of its own in a folder, with the packages of trixie: about two minutes the first time.
 */
function debian(say: (line: string) => void): Means | string {
  const root = join(CACHE, "postgres-17");
  const bin = "/usr/lib/postgresql/17/bin";
  if (process.getuid?.() !== 0) return "not root, so that no Debian can be laid out in a folder";
  if (!existsSync(join(root, bin, "postgres"))) {
    const failed = layOut(root, say);
    if (failed !== null) return failed;
  }
  const { before, owner } = asAnother(root);
  return { kind: "programs", bin, root, before: ["chroot", root, ...before], owner };
}

/** PostgreSQL does not run as root. */
function asAnother(root: string): Pick<Programs, "before" | "owner"> {
  if (process.getuid?.() !== 0) return { before: [], owner: null };
  const line = readFileSync(join(root || "/", "etc/passwd"), "utf8")
    .split("\n")
    .find((entry) => /^(postgres|nobody):/.test(entry) && (root === "" || entry.startsWith("postgres:")));
  const [, , uid = "65534", gid = "65534"] = (line ?? "").split(":");
  const owner = { uid: Number(uid), gid: Number(gid) };
  return { before: ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"], owner };
}

/** Null when `root` holds the packages now; else why not. */
function layOut(root: string, say: (line: string) => void): string | null {
  const mirror = debianMirror();
  if (mirror === null) return "the machine's package sources name no Debian mirror";
  mkdirSync(CACHE, { recursive: true });
  const tool = debootstrap();
  if (typeof tool === "string") return tool;
  say(`laying out PostgreSQL 17 with pgvector in ${root} (about two minutes, once)`);
  // Under another name until it is complete, so that a run that was cut off leaves nothing that
  // looks ready.
  const unfinished = `${root}.${process.pid}`;
  for (const left of unfinishedBefore(root)) remove(left);
  const args = ["--variant=minbase", "--include=postgresql-17,postgresql-17-pgvector", "trixie", unfinished, mirror];
  const made = spawnSync(tool.program, args, { encoding: "utf8", timeout: 900_000, env: tool.env });
  if (made.status !== 0) {
    remove(unfinished);
    const last = `${made.stdout}\n${made.stderr}`.trim().split("\n").at(-1);
    return `debootstrap failed: ${made.error?.message ?? last}`;
  }
  if (!existsSync(root)) renameSync(unfinished, root);
  else remove(unfinished);
  return null;
}

/** What runs that were cut off left behind. */
function unfinishedBefore(root: string): string[] {
  const [folder, name] = [dirname(root), basename(root)];
  const pidOf = (entry: string) => (entry.startsWith(`${name}.`) ? entry.slice(name.length + 1) : "");
  return readdirSync(folder)
    .filter((entry) => /^\d+$/.test(pidOf(entry)) && !existsSync(`/proc/${pidOf(entry)}`))
    .map((entry) => join(folder, entry));
}

/**
 * Not beyond its own file system: the system in the folder may still have /proc of this machine.
 */
function remove(folder: string): void {
  spawnSync("rm", ["-rf", "--one-file-system", folder]);
}

/**
 * The installed debootstrap, or one unpacked into our folder: nothing is installed on the machine.
 */
function debootstrap(): { readonly program: string; readonly env: NodeJS.ProcessEnv } | string {
  const paths = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/sbin"];
  const env = { ...process.env, PATH: paths.join(delimiter) };
  const found = paths.map((path) => join(path, "debootstrap")).find((path) => existsSync(path));
  if (found !== undefined) return { program: found, env };
  const at = join(CACHE, "debootstrap");
  const program = join(at, "usr/sbin/debootstrap");
  if (!existsSync(program)) {
    mkdirSync(at, { recursive: true });
    const download = () =>
      spawnSync("apt-get", ["download", "debootstrap"], { cwd: at, timeout: 120_000 }).status === 0;
    if (!download() && !(spawnSync("apt-get", ["update"], { timeout: 300_000 }).status === 0 && download())) {
      return "no debootstrap, and its package could not be downloaded";
    }
    const file = readdirSync(at).find((name) => name.endsWith(".deb"));
    if (file === undefined || spawnSync("dpkg-deb", ["-x", join(at, file), at]).status !== 0) {
      return "the package of debootstrap could not be unpacked";
    }
  }
  return { program, env: { ...env, DEBOOTSTRAP_DIR: join(at, "usr/share/debootstrap") } };
}

/** The first Debian mirror that the machine's own sources name. */
function debianMirror(): string | null {
  const folder = "/etc/apt/sources.list.d";
  const names = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  const files = ["/etc/apt/sources.list", ...names.sort()].filter((name) => existsSync(name));
  for (const name of files.filter((file) => /[.](list|sources)$/.test(file))) {
    for (const line of readFileSync(name, "utf8").split("\n")) {
      const mirror = /^(?:deb(?: +\[[^\]]*\])? +|URIs: *)(https?:\/\/\S+\/debian)\/?(?: |$)/.exec(line)?.[1];
      if (mirror !== undefined) return mirror;
    }
  }
  return null;
}
