// What every way to read a head keeps, whoever made the repository.
import { afterEach, describe, expect, test } from "vitest";
import { blobSha } from "../../../src/adapters/blob-cache.ts";
import type { Repo } from "../../../src/domain/job.ts";
import type { PullRequest } from "../../../src/domain/pull-request.ts";
import type { Snapshots } from "../../../src/ports/snapshot.ts";
import type { Files } from "../../fakes/github/emulator.ts";

/** A head that has these files. */
export interface GivenHead {
  readonly snapshots: Snapshots;
  readonly repo: Repo;
  readonly pull: PullRequest;
  close(): Promise<void> | void;
}

const HEAD: Files = {
  "README.md": "# Shop\n",
  "src/a.ts": "export const a = 1;\n",
  "src/same.ts": "export const a = 1;\n",
  "src/ü b.ts": "// Grüße 😀\n",
  "run.sh": { mode: "100755", content: "#!/bin/sh\n" },
  "logo.png": Uint8Array.from([137, 80, 78, 71, 0, 1, 2]),
  "empty.ts": "",
  "outside.md": { mode: "120000", content: "/etc/passwd" },
  "dos.bat": "echo 1\r\necho 2\r\n",
  "big.sql": `${"x".repeat(99)}\n`.repeat(3_000),
  ".gitattributes": "secret.ts export-ignore\nversion.ts export-subst\n",
  "secret.ts": "eval(input);\n",
  "version.ts": 'export const version = "$Format:%h$";\n',
};

export function snapshotsContract(name: string, given: (files: Files) => Promise<GivenHead>): void {
  describe(`${name} keeps the promises of a snapshot`, () => {
    let head: GivenHead | null = null;
    afterEach(async () => {
      await head?.close();
      head = null;
    });

    test("every text is git's, by its path and its blob, even if .gitattributes hides or alters it", async () => {
      head = await given(HEAD);
      const { snapshot, degraded } = await head.snapshots.at(head.repo, head.pull);
      expect(degraded).toEqual([]);
      expect(snapshot?.sha).toBe(head.pull.head.sha);
      const texts = Object.entries(HEAD).filter(([path, content]) => typeof content === "string" && path !== "big.sql");
      for (const [path, content] of texts) {
        const bytes = Buffer.from(content as string);
        expect(snapshot?.files.get(path)).toEqual({ path, blob: blobSha(bytes), bytes: bytes.length });
        expect(await snapshot?.text(path)).toBe(content);
      }
      expect(await snapshot?.text("run.sh")).toBe("#!/bin/sh\n");
    });

    test("links and large files are not among them, a binary has no text, and neither has what is not there", async () => {
      head = await given(HEAD);
      const { snapshot } = await head.snapshots.at(head.repo, head.pull);
      expect(snapshot?.files.has("outside.md")).toBe(false);
      expect(snapshot?.files.has("big.sql")).toBe(false);
      for (const path of ["outside.md", "big.sql", "logo.png", "../README.md", "/etc/passwd", "src", "nowhere.ts"])
        expect(await snapshot?.text(path)).toBeNull();
    });

    test("texts may be asked for all at once", async () => {
      head = await given(Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`src/part${at}.ts`, `// ${at}\n`])));
      const { snapshot } = await head.snapshots.at(head.repo, head.pull);
      const texts = await Promise.all(Array.from({ length: 60 }, (_, at) => snapshot?.text(`src/part${at}.ts`)));
      expect(texts).toEqual(Array.from({ length: 60 }, (_, at) => `// ${at}\n`));
    });
  });
}
