// The cache of blobs on a small disk of its own: it leaves room for the queue.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { blobCache, blobSha } from "../../src/adapters/blob-cache.ts";

const disk = mkdtempSync(join(tmpdir(), "kodiai-small-disk-"));
const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=20m", "tmpfs", disk]).status === 0;
if (!isMounted)
  console.warn("SKIPPED: test/adapters/blob-cache.slow.test.ts needs the right to mount a small tmpfs (run as root)");
afterAll(() => {
  if (isMounted) spawnSync("umount", [disk]);
  rmSync(disk, { recursive: true, force: true });
});

const free = () => statfsSync(disk).bavail * statfsSync(disk).bsize;

test.runIf(isMounted)("a tenth of the disk stays free, also when others fill it meanwhile", async () => {
  const cache = blobCache(disk);
  const keepAll = async (id: number) => {
    const blobs = cache.of({ host: "github.com", id });
    const kept: boolean[] = [];
    for (let at = 0; at < 400; at += 1) {
      const bytes = Buffer.alloc(100_000, `${id} ${at}\n`);
      kept.push(await blobs.keep(blobSha(bytes), bytes));
    }
    await cache.trim();
    return kept;
  };
  const first = await keepAll(1);
  expect(first.slice(0, 20)).not.toContain(false);
  expect(first.at(-1)).toBe(false);
  expect(free()).toBeGreaterThan(1.9e6);
  writeFileSync(join(disk, "queue.db"), Buffer.alloc(1_500_000));
  await keepAll(2);
  expect(free()).toBeGreaterThan(1.9e6);
});
