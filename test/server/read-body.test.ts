import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { type Body, bodyReader } from "../../src/server/read-body.ts";

const MEGABYTE = 1024 * 1024;

function coming(reader: ReturnType<typeof bodyReader>) {
  const stream = new PassThrough();
  const ended: Body[] = [];
  // Copied: from then on a body is empty.
  const copied = (body: Body): Body =>
    body.kind === "whole" ? { ...body, chunks: body.chunks.map((chunk) => Buffer.from(chunk)) } : body;
  reader.read(stream as unknown as IncomingMessage, (body) => ended.push(copied(body)));
  const sent: Buffer[] = [];
  const send = (bytes: number) => {
    const chunk = Buffer.alloc(bytes, " ");
    sent.push(chunk);
    stream.emit("data", chunk);
  };
  /** Bytes of what was sent that are still in memory, whoever holds them. */
  const kept = () => sent.reduce((sum, chunk) => sum + chunk.length, 0);
  return { stream, ended, send, kept };
}

test("a body is delivered once, unchanged, and nothing of it is kept afterwards", () => {
  const reader = bodyReader();
  const { stream, ended, send, kept } = coming(reader);
  send(3);
  send(4);
  expect(reader.held()).toBe(7);
  stream.emit("end");
  stream.emit("close");
  expect(ended.map((body) => body.kind === "whole" && Buffer.concat(body.chunks).length)).toEqual([7]);
  expect([reader.held(), kept()]).toEqual([0, 0]);
});

test("25 MiB are read and one byte more is not [T14]", () => {
  const reader = bodyReader();
  const [fits, large] = [coming(reader), coming(reader)];
  fits.send(25 * MEGABYTE);
  fits.stream.emit("end");
  large.send(25 * MEGABYTE);
  large.send(1);
  large.send(MEGABYTE);
  expect([...fits.ended, ...large.ended].map(({ kind }) => kind)).toEqual(["whole", "large"]);
  expect([reader.held(), fits.kept()]).toEqual([0, 0]);
  // The last piece came after it was given up.
  expect(large.kept()).toBe(MEGABYTE);
  large.stream.push(Buffer.alloc(MEGABYTE, " "));
  expect(large.stream.readableLength).toBe(0);
});

test("all bodies together are bounded, and the largest gives way, never the small ones", () => {
  const reader = bodyReader(MEGABYTE);
  const small = coming(reader);
  small.send(2_000);
  const floods = Array.from({ length: 100 }, () => coming(reader));
  for (let round = 0; round < 50; round += 1)
    for (const flood of floods) if (flood.ended.length === 0) flood.send(5_000);
  expect(reader.held()).toBeLessThanOrEqual(MEGABYTE);
  expect(small.ended).toEqual([]);
  small.stream.emit("end");
  expect(small.ended).toMatchObject([{ kind: "whole" }]);
  expect(floods.filter(({ ended }) => ended[0]?.kind === "crowded").length).toBeGreaterThan(90);
});

test("of larger bodies of unknown length one is read at a time, 64 wait, and the rest is given up [T14]", () => {
  const reader = bodyReader();
  const floods = Array.from({ length: 100 }, () => coming(reader));
  for (const flood of floods) flood.send(60_000);
  expect(floods.filter(({ stream }) => !stream.isPaused() && stream.listenerCount("data") > 0)).toHaveLength(1);
  expect(floods.filter(({ ended }) => ended[0]?.kind === "crowded")).toHaveLength(35);
  expect(reader.held()).toBe(65 * 60_000);
  expect(floods.reduce((sum, { kept }) => sum + kept(), 0)).toBe(65 * 60_000);
});

test("a sender that disconnects in the middle is reported as disconnected", () => {
  const reader = bodyReader();
  const { stream, ended, send } = coming(reader);
  send(10);
  stream.emit("close");
  expect(ended).toEqual([{ kind: "aborted" }]);
  expect(reader.held()).toBe(0);
});
