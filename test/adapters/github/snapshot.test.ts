// Snapshots from GitHub: what is asked, what is kept, and what no archive can make of it.
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Header, pack } from "tar-stream";
import { afterEach, describe, expect, test } from "vitest";
import { blobSha } from "../../../src/adapters/blob-cache.ts";
import { type ArchivedFile, archiveOf, bytesOf } from "../../fakes/github/archive-routes.ts";
import { snapshotsContract } from "../contracts/snapshots.ts";
import { type SnapshotWorld, snapshotWorld } from "./snapshot-world.ts";

let given: SnapshotWorld | null = null;
afterEach(async () => {
  await given?.close();
  given = null;
});

/** Bytes of the blocks below a folder, as `du` counts them. */
function onDisk(path: string): number {
  const { blocks } = statSync(path, { throwIfNoEntry: false }) ?? { blocks: 0 };
  const names = statSync(path, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(path) : [];
  return names.reduce((sum, name) => sum + onDisk(join(path, name)), blocks * 512);
}

const MANY = Object.fromEntries(
  Array.from({ length: 8 }, (_, at) => [`src/part${at}.ts`, `export const n = ${at};\n`]),
);
/** So few that eight files are read from the archive. */
const FEW = { blobs: 3 };

snapshotsContract("GitHub", (files) => snapshotWorld(files, FEW));
snapshotsContract("GitHub, blob by blob", (files) => snapshotWorld(files, { blobs: 100 }));

/** A world with eight files, where the archive is answered so. */
async function answering(answer: (files: readonly ArchivedFile[]) => Response | Promise<Response>, more = {}) {
  given = await snapshotWorld(MANY, { ...FEW, ...more });
  given.world.archives.answer = async (files) => answer(await files());
  return given;
}

const packed = (bytes: Uint8Array) => new Response(new Uint8Array(bytes));
const reasonOf = ({ degraded }: { readonly degraded: readonly { part: string; reason: string }[] }) => {
  expect(degraded.map(({ part }) => part)).toEqual(["snapshot"]);
  return degraded[0]?.reason.replace("files around the change were not read: ", "");
};

describe("what is asked", () => {
  test("a cold head takes its tree and one archive, without a credential; the same head again takes its tree alone", async () => {
    given = await snapshotWorld(MANY, FEW);
    const { world, opened, asked, taken } = given;
    const first = await taken();
    expect(first.snapshot?.files.size).toBe(9);
    expect(asked()).toEqual([`git/trees/${opened.headSha}`, `tarball/${opened.headSha}`]);
    expect(world.archives.requests).toEqual([
      {
        path: `/_codeload/acme/shop/legacy.tar.gz/${opened.headSha}`,
        query: `?token=${world.archives.token}`,
        authorization: null,
      },
    ]);
    const second = await taken();
    expect(second.snapshot?.files).toEqual(first.snapshot?.files);
    expect(await second.snapshot?.text("src/part3.ts")).toBe("export const n = 3;\n");
    expect(asked().slice(2)).toEqual([`git/trees/${opened.headSha}`]);
    expect(world.violations).toEqual([]);
  });

  test("a push takes the blobs that changed, and a large one the archive again", async () => {
    given = await snapshotWorld(MANY, FEW);
    const { world, opened, asked, taken } = given;
    await taken();
    await world.push(opened, { "src/part1.ts": "export const n = -1;\n" });
    const before = asked().length;
    const { snapshot } = await taken();
    expect(await snapshot?.text("src/part1.ts")).toBe("export const n = -1;\n");
    expect(asked().slice(before)).toEqual([
      `git/trees/${opened.headSha}`,
      `git/blobs/${blobSha(Buffer.from("export const n = -1;\n"))}`,
    ]);
    await world.push(opened, Object.fromEntries(Object.keys(MANY).map((path) => [path, `// ${path}\n`])));
    expect(await (await taken()).snapshot?.text("src/part1.ts")).toBe("// src/part1.ts\n");
    expect(world.archives.requests).toHaveLength(2);
  });

  test("two pushes to many files leave no more on the disk than the cache may have", async () => {
    const limit = 1 << 20;
    const many = (push: number) =>
      Object.fromEntries(
        Array.from({ length: 80 }, (_, at) => [
          `src/p${at}.ts`,
          `// ${push} ${at}\n${`x${push * at};\n`.repeat(9 * at)}`,
        ]),
      );
    given = await snapshotWorld(many(1), FEW, limit);
    const { world, opened, folder, taken } = given;
    for (const push of [2, 3]) {
      const { snapshot, degraded } = await taken();
      expect([snapshot?.files.size, degraded]).toEqual([81, []]);
      expect(onDisk(folder)).toBeLessThanOrEqual(limit);
      await world.push(opened, many(push));
    }
    expect(await (await taken()).snapshot?.text("src/p7.ts")).toBe(many(3)["src/p7.ts"]);
    expect(onDisk(folder)).toBeLessThanOrEqual(limit);
    expect(readdirSync(folder, { recursive: true }).length).toBeLessThan(10);
  });

  test("a list that GitHub cut off is part of the reason, and what it names is read", async () => {
    given = await snapshotWorld(MANY, FEW);
    const { world, opened } = given;
    const tree = Object.entries(MANY).map(([path, text]) => {
      return {
        path,
        mode: "100644",
        type: "blob",
        sha: blobSha(Buffer.from(text)),
        size: text.length,
        url: world.apiUrl,
      };
    });
    const body = { sha: opened.headSha, url: world.apiUrl, truncated: true, tree };
    world.fail({ match: { method: "GET", path: /\/git\/trees\// }, status: 200, body });
    const taken = await given.taken();
    expect(taken.degraded).toEqual([
      { part: "snapshot", reason: "GitHub lists only 8 files of the head; the others were not read" },
    ]);
    expect(await taken.snapshot?.text("src/part0.ts")).toBe("export const n = 0;\n");
  });
});

describe("without an archive there is no snapshot, and the reason says so", () => {
  test.each([404, 403, 500])("where the API answers %i", async (status) => {
    given = await snapshotWorld(MANY, FEW);
    given.world.fail({ match: { method: "GET", path: /\/tarball\// }, status, times: 9, body: { message: "no" } });
    const taken = await given.taken();
    expect(taken.snapshot).toBeNull();
    expect(reasonOf(taken)).toBe(status === 500 ? "GitHub cannot answer now" : `GitHub answered ${status}`);
  });

  test("where its host answers 404, or sends on", async () => {
    const { taken, world } = await answering(() => new Response("404: Not Found", { status: 404 }));
    expect(reasonOf(await taken())).toBe("the archive of the head could not be fetched (404)");
    world.archives.answer = () =>
      new Response(null, { status: 302, headers: { location: `${world.apiUrl}/elsewhere` } });
    expect(reasonOf(await taken())).toBe("the archive of the head could not be fetched (302)");
    expect(world.requests.some(({ path }) => path === "/elsewhere")).toBe(false);
  });

  test("where GitHub sends to a foreign host, which is never asked", async () => {
    let asked = 0;
    const foreign = createServer((_request, response) => {
      asked += 1;
      response.end();
    }).listen(0, "127.0.0.1");
    try {
      given = await snapshotWorld(MANY, FEW);
      const { port } = foreign.address() as AddressInfo;
      for (const host of [
        `http://127.0.0.1:${port}`,
        `http://localhost:${port}`,
        "https://codeload.github.com.attacker.example",
      ]) {
        given.world.archives.sendTo = host;
        const taken = await given.taken();
        expect(taken.snapshot).toBeNull();
        expect(reasonOf(taken)).toBe("GitHub redirects to a host that serves no archives");
        expect(JSON.stringify(taken)).not.toContain(given.world.archives.token);
      }
      expect(asked).toBe(0);
    } finally {
      foreign.close();
    }
  });

  test("where the archive never ends, or never begins", async () => {
    const { taken, world } = await answering(
      async (files) => {
        const bytes = await archiveOf(files, "acme-shop");
        const begin = (controller: ReadableStreamDefaultController) => {
          controller.enqueue(new Uint8Array(bytes.subarray(0, bytes.length / 2)));
        };
        return new Response(new ReadableStream({ start: begin }));
      },
      { ms: 700 },
    );
    expect(reasonOf(await taken())).toBe("it could not be read within 0.7 s");
    world.archives.answer = () => new Response(new ReadableStream({}));
    expect(reasonOf(await taken())).toBe("it could not be read within 0.7 s");
  });
});

/** `git archive` writes none of these. */
async function tarOf(entries: readonly (Partial<Header> & { readonly text?: string; readonly name: string })[]) {
  const tar = pack();
  for (const { text = "", ...header } of entries) tar.entry(header, text);
  tar.finalize();
  return gzipSync(await bytesOf(tar));
}

describe("an archive that git did not make is not read", () => {
  test.each([
    ["a name with ..", { name: "acme-shop/../../etc/cron.d/x", text: "x" }, "a name that leads out of it"],
    ["an absolute name", { name: "/etc/cron.d/x", text: "x" }, "a name that leads out of it"],
    ["a link out of it", { name: "acme-shop/x", type: "symlink", linkname: "/etc/passwd" }, "a link or a device"],
    ["a hard link", { name: "acme-shop/x", type: "link", linkname: "/etc/passwd" }, "a link or a device"],
    ["a device", { name: "acme-shop/x", type: "character-device" }, "a link or a device"],
  ] as const)("%s", async (_name, entry, reason) => {
    const { taken, folder } = await answering(async () => packed(await tarOf([entry as { name: string }])));
    const { snapshot, degraded } = await taken();
    expect(snapshot).toBeNull();
    expect(reasonOf({ degraded })).toContain(reason);
    expect(readdirSync(join(folder, "..")).filter((name) => name !== "snapshots")).toEqual([]);
  });

  test.each([
    ["is no gzip", () => Buffer.from("not an archive")],
    ["breaks off", async (files: readonly ArchivedFile[]) => (await archiveOf(files, "acme-shop")).subarray(0, -20)],
    [
      "has a wrong checksum in a header",
      async () => {
        const tar = pack();
        tar.entry({ name: "acme-shop/a.ts" }, "a");
        tar.finalize();
        const bytes = await bytesOf(tar);
        bytes[3] = 0x58;
        return gzipSync(bytes);
      },
    ],
    [
      "says that a file is larger than the rest of it",
      async () => {
        const tar = pack();
        tar.entry({ name: "acme-shop/a.ts" }, "a");
        tar.finalize();
        const bytes = (await bytesOf(tar)).subarray(0, 1_024);
        bytes.write("00000001750", 124, "latin1");
        const sum = bytes.subarray(0, 512).reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 32 : byte), 0);
        bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
        return gzipSync(bytes);
      },
    ],
  ] as const)("one that %s", async (_name, made) => {
    const { taken } = await answering(async (files) => packed(await made(files)));
    const { snapshot, degraded } = await taken();
    expect(snapshot).toBeNull();
    expect(reasonOf({ degraded })).toBe("the archive is damaged or breaks off");
  });

  test("one that is too large, packed or unpacked, or has too many files", async () => {
    const random = Buffer.from(Array.from({ length: 40_000 }, (_, at) => (at * 7919 * (at % 251)) % 256));
    const many = await tarOf(Array.from({ length: 30 }, (_, at) => ({ name: `acme-shop/${at}.ts`, text: "" })));
    const large = await tarOf([{ name: "acme-shop/large", text: "0".repeat(2 << 20) }]);
    const { taken, world } = await answering(() => packed(many), {
      files: 20,
      packedBytes: 20_000,
      unpackedBytes: 1 << 20,
    });
    expect(reasonOf(await taken())).toBe("the archive has more than 20 files");
    world.archives.answer = () => packed(large);
    expect(reasonOf(await taken())).toBe("the unpacked archive is larger than 1 MB");
    world.archives.answer = () => packed(gzipSync(random, { level: 0 }));
    expect(reasonOf(await taken())).toBe("the archive is larger than 0 MB");
  });

  test("one whose headers have no end", async () => {
    const tar = pack();
    tar.entry({ name: "acme-shop/a.ts", pax: { comment: "c".repeat(1 << 20) } }, "a");
    tar.finalize();
    const bytes = gzipSync(await bytesOf(tar));
    const { taken } = await answering(() => packed(bytes));
    expect(reasonOf(await taken())).toBe("the archive has a header that git does not write");
  });
});

describe("what an archive says about a file counts only when its bytes are those of the head", () => {
  test("duplicates, other texts, names that are none: every text is still the one that git has", async () => {
    const { taken, asked } = await answering(async (files) => {
      const own = files.map(({ path, bytes }) => ({ name: `acme-shop/${path}`, text: bytes.toString("utf8") }));
      const forged = [
        ...Object.keys(MANY).map((path) => ({ name: `acme-shop/${path}`, text: "eval(input);\n" })),
        { name: "acme-shop/x\ny.ts", text: "x" },
        { name: "acme-shop/\u0000z", text: "x" },
        { name: "src/part0.ts", text: "x" },
      ];
      return packed(await tarOf([...forged, ...own.slice(0, -1), ...own.slice(0, -1), ...forged]));
    });
    const { snapshot, degraded } = await taken();
    expect(degraded).toEqual([]);
    for (const [path, text] of Object.entries(MANY)) expect(await snapshot?.text(path)).toBe(text);
    expect([...(snapshot?.files.keys() ?? [])]).toEqual(["README.md", ...Object.keys(MANY)]);
    expect(asked().filter((path) => path.startsWith("git/blobs/"))).toHaveLength(1);
  });

  test("what it lacks is asked for one by one, as many as the limit, and the rest is reported unread", async () => {
    const { taken, asked } = await answering(async (files) => packed(await archiveOf(files.slice(0, 2), "acme-shop")));
    const { snapshot, degraded } = await taken();
    expect(asked().filter((path) => path.startsWith("git/blobs/"))).toHaveLength(FEW.blobs);
    expect(snapshot?.files.size).toBe(2 + FEW.blobs);
    expect(degraded).toEqual([
      {
        part: "snapshot",
        reason: "4 of 9 files around the change were not read: the archive of the head lacks or alters them",
      },
    ]);
  });

  test("files that the archive has with other line ends are known again", async () => {
    const { taken, asked } = await answering(async (files) => {
      const dos = files.map((file) => ({
        ...file,
        bytes: Buffer.from(file.bytes.toString("utf8").replaceAll("\n", "\r\n")),
      }));
      return packed(await archiveOf(dos, "acme-shop"));
    });
    expect(await (await taken()).snapshot?.text("src/part5.ts")).toBe("export const n = 5;\n");
    expect(asked().some((path) => path.startsWith("git/blobs/"))).toBe(false);
  });
});

describe("what is kept", () => {
  const blobOf = (text: string) => blobSha(Buffer.from(text));

  test("for its owner alone, in a folder of the repository", async () => {
    given = await snapshotWorld(MANY, FEW);
    await given.taken();
    const own = join(given.folder, `github.com%2F${given.repo.id}`);
    expect(statSync(given.folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(own)).toHaveLength(1);
    for (const name of readdirSync(own)) expect(statSync(join(own, name)).mode & 0o777).toBe(0o600);
  });

  test("what was damaged on the disk is not believed and is fetched once more", async () => {
    given = await snapshotWorld(MANY, FEW);
    await given.taken();
    const sha = blobOf("export const n = 2;\n");
    const own = join(given.folder, `github.com%2F${given.repo.id}`);
    const [name = ""] = readdirSync(own);
    const pack = readFileSync(join(own, name), "latin1");
    expect(pack).toContain("export const n = 2;\n");
    writeFileSync(join(own, name), pack.replace("export const n = 2;\n", "eval(input);       \n"), "latin1");
    const { snapshot } = await given.taken();
    expect(await snapshot?.text("src/part2.ts")).toBe("export const n = 2;\n");
    expect(given.asked().at(-1)).toBe(`git/blobs/${sha}`);
    const again = await given.taken();
    expect(await again.snapshot?.text("src/part2.ts")).toBe("export const n = 2;\n");
    expect(readFileSync(join(own, readdirSync(own)[0] ?? ""), "utf8")).not.toContain("eval");
  });

  test("a folder that cannot be written costs the snapshot alone", async () => {
    given = await snapshotWorld(MANY, FEW);
    writeFileSync(given.folder, "a file in its place");
    chmodSync(given.folder, 0o400);
    const taken = await given.taken();
    expect(taken.snapshot).toBeNull();
    expect(reasonOf(taken)).toMatch(/^the data folder cannot be written \(E[A-Z]+\)$/);
  });
});
