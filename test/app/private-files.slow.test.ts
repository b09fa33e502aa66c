// What is kept is for the user that Kodiai runs as, whatever folder and umask it is given: the
// server and the command line as processes of their own, and what the file system says afterwards.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { until } from "./app-harness.ts";
import { BACKUP } from "./change-builders.ts";
import { deployment } from "./server-process.ts";

const CLI = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
/** As most systems start programs: what is created can be read by everybody. */
const OPEN = ["sh", "-c", 'umask 022; exec "$@"', "sh"] as const;
const STORE = /^(?:queue|memory)\.db|^forgotten\.jsonl$|^manifest\.json$/;

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const modesIn = (folder: string) =>
  new Map(
    readdirSync(folder)
      .filter((name) => STORE.test(name))
      .map((name) => [name, modeOf(join(folder, name))] as const),
  );

test("a server closes the folder that it is given and all that it keeps there, new and old [T30]", async () => {
  const deployed = await deployment();
  const { world, dataDir } = deployed;
  try {
    const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
    chmodSync(dataDir, 0o755);
    const first = await deployed.start({}, OPEN);
    await world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
    await until("the job ended", () => first.log().includes('"state":"done"'));
    const made = modesIn(dataDir);
    expect([...made.keys()]).toEqual(
      expect.arrayContaining(["queue.db", "queue.db-wal", "queue.db-shm", "memory.db", "memory.db-wal"]),
    );
    expect([modeOf(dataDir), new Set(made.values())]).toEqual(["700", new Set(["600"])]);
    first.child.kill("SIGKILL");
    await first.ended();

    // As an older Kodiai left it.
    for (const name of ["queue.db.schema-1", "forgotten.jsonl"]) writeFileSync(join(dataDir, name), "");
    for (const name of readdirSync(dataDir)) chmodSync(join(dataDir, name), 0o644);
    chmodSync(dataDir, 0o755);
    await deployed.start({}, OPEN);
    expect(modesIn(dataDir).get("queue.db.schema-1")).toBe("600");
    expect([modeOf(dataDir), new Set(modesIn(dataDir).values())]).toEqual(["700", new Set(["600"])]);
  } finally {
    await deployed.close();
  }
});

test("a command line closes the files that it writes, and a backup, and leaves a folder that it is pointed at as it is [T30]", () => {
  const root = mkdtempSync(join(tmpdir(), "kodiai-private-"));
  const run = (...words: string[]) => {
    const [shell, ...more] = OPEN;
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
    return execFileSync(shell, [...more, process.execPath, CLI, ...words], {
      cwd: root,
      env: { PATH, HOME, NODE_COMPILE_CACHE },
    }).toString();
  };
  try {
    mkdirSync(join(root, "data"), { mode: 0o755 });
    mkdirSync(join(root, "copy"), { mode: 0o755 });
    writeFileSync(join(root, "notes.md"), "# Notes\n\nRetry the handshake.\n");
    const git = (...words: string[]) => execFileSync("git", words, { cwd: root });
    git("init", "-q");
    git("add", "notes.md");
    git("-c", "user.name=Wren", "-c", "user.email=wren@example.com", "commit", "-qm", "Notes");
    run("index", "--repo", ".", "--data-dir", "data");
    expect(modeOf(join(root, "data"))).toBe("755");
    expect([...modesIn(join(root, "data")).keys()]).toEqual(expect.arrayContaining(["memory.db"]));
    expect(new Set(modesIn(join(root, "data")).values())).toEqual(new Set(["600"]));
    for (const name of readdirSync(join(root, "data"))) chmodSync(join(root, "data", name), 0o644);

    run("backup", "copy", "--data-dir", "data");
    expect(modesIn(join(root, "copy"))).toEqual(
      new Map([
        ["manifest.json", "600"],
        ["memory.db", "600"],
        ["queue.db", "600"],
      ]),
    );
    expect(modeOf(join(root, "copy"))).toBe("700");

    run("restore", "copy", "--data-dir", "again");
    expect([modeOf(join(root, "again")), new Set(modesIn(join(root, "again")).values())]).toEqual([
      "700",
      new Set(["600"]),
    ]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
