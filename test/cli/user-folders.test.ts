// Users whose system knows no home folder, and variables that name no usable folder.
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { dataDir, dataDirIfAny, makeDataFolder, storePlace } from "../../src/environment/data-dir.ts";
import { userFolder } from "../../src/environment/user-folder.ts";
import { BACKUP } from "../app/change-builders.ts";
import { type Clone, kodiai, newClone, verb } from "./kodiai.ts";

let clone: Clone;
beforeEach(() => {
  clone = newClone();
  clone.write({ "README.md": "# Shop\n" });
  clone.commit("first");
  clone.write({ "backup.py": BACKUP });
});
afterEach(() => {
  clone.remove();
  vi.unstubAllEnvs();
});

test("a variable that is empty or a relative path counts as unset", () => {
  vi.stubEnv("HOME", "/home/mona");
  for (const value of ["", "share", "./share"]) {
    vi.stubEnv("XDG_DATA_HOME", value);
    vi.stubEnv("KODIAI_DATA_DIR", "");
    expect(dataDir(undefined), value).toBe("/home/mona/.local/share/kodiai");
    expect(userFolder("XDG_DATA_HOME", ".cache")).toBe("/home/mona/.cache/kodiai");
  }
  vi.stubEnv("XDG_DATA_HOME", "/data");
  expect(storePlace("")).toBe("/data/kodiai");
  vi.stubEnv("KODIAI_DATA_DIR", "/own");
  expect(storePlace(undefined)).toBe("/own");
});

test("a home that is no path is none", () => {
  vi.stubEnv("HOME", "relative");
  vi.stubEnv("XDG_DATA_HOME", "");
  vi.stubEnv("KODIAI_DATA_DIR", "");
  vi.stubEnv("DATABASE_URL", "");
  expect(dataDirIfAny(undefined)).toBeNull();
  expect(() => dataDir(undefined)).toThrow("set HOME or KODIAI_DATA_DIR, or add --data-dir");
});

test("`review` leaves nothing in the clone, with a folder for temporary files or says which cannot be written", async () => {
  const env = { XDG_DATA_HOME: "share", XDG_CACHE_HOME: "cache", KODIAI_DATA_DIR: "" };
  const { code, out } = await kodiai(["review", "--model", "off"], { cwd: clone.path, env });
  expect(out).toContain("shell-from-strings");
  expect(code).toBe(0);
  expect(clone.git("status", "--porcelain")).toBe("?? backup.py\n");
  const { code: failed, err } = await verb(["review"], { cwd: clone.path, env: { TMPDIR: "/nowhere/at-all" } });
  expect(failed).toBe(3);
  expect(err).toContain(
    "no temporary file can be written in /nowhere/at-all (ENOENT); set TMPDIR to a folder that can",
  );
});

test("a data folder that is a file, or cannot be made, is one sentence with its path", () => {
  const file = join(clone.path, "README.md");
  for (const path of [file, join(file, "data")]) {
    expect(() => makeDataFolder(path)).toThrow(
      new RegExp(
        `^the data folder ${path} cannot be written \\((?:EEXIST|ENOTDIR)\\); set KODIAI_DATA_DIR or --data-dir`,
      ),
    );
  }
});

// As an automounter's /home answers for a user that it does not know.
test.runIf(process.platform === "linux")("a data folder in a folder that takes none is refused at once", () => {
  expect(() => makeDataFolder("/proc/self/kodiai/data")).toThrow("cannot be written (ENOENT); set KODIAI_DATA_DIR");
});

test("`review` goes on without a data folder that it cannot read, and says so", async () => {
  const file = join(clone.path, "backup.py");
  const { out } = await verb(["review", "--model", "off", "--data-dir", file], { cwd: clone.path });
  expect(out).toContain("shell-from-strings");
  expect(out).toContain("memory: the data folder backup.py cannot be read (ENOTDIR)");
});
