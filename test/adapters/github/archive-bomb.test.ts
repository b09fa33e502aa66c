// Archives that are bombs, each in a process of its own, whose memory the kernel counts.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);

test.each([
  ["eight gigabytes of zeros", "zeros", "the unpacked archive is larger than 200 MB"],
  ["a hundred thousand files", "files", "the archive has more than 50,000 files"],
  ["a hundred thousand folders", "folders", "the archive has more than 50,000 files"],
  ["a header of 150 megabytes", "header", "the archive is damaged or breaks off"],
])(
  "%s: no snapshot, a reason, and at most 512 MB of memory",
  async (_name, bomb, reason) => {
    const { stdout } = await run(process.execPath, ["test/adapters/github/archive-bomb.child.ts", bomb]);
    console.log(`${bomb}: ${stdout.trim()}`);
    const seen = JSON.parse(stdout) as { isThere: boolean; reason: string; rssMb: number };
    expect(seen).toMatchObject({ isThere: false, reason: `files around the change were not read: ${reason}` });
    expect(seen.rssMb).toBeLessThanOrEqual(512);
  },
  120_000,
);
