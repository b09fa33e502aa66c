import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { type Body, bodyReader } from "../../src/server/read-body.ts";

const MEGABYTE = 1024 * 1024;

function coming(reader: ReturnType<typeof bodyReader>) {
  const stream = new PassThrough();
  const ended: Body[] = [];
  reader.read(stream as unknown as IncomingMessage, (body) => ended.push(body));
  const send = (bytes: number) => stream.emit("data", Buffer.alloc(bytes, " "));
  return { stream, ended, send };
}

test("a body is told once, as it came, and nothing of it is held afterwards", () => {
  const reader = bodyReader();
  const { stream, ended, send } = coming(reader);
  send(3);
  send(4);
  expect(reader.held()).toBe(7);
  stream.emit("end");
  stream.emit("close");
  expect(ended.map((body) => body.kind === "whole" && Buffer.concat(body.chunks).length)).toEqual([7]);
  expect(reader.held()).toBe(0);
});

test("25 MiB are read and one byte more is not", () => {
  const reader = bodyReader();
  const [fits, large] = [coming(reader), coming(reader)];
  fits.send(25 * MEGABYTE);
  fits.stream.emit("end");
  large.send(25 * MEGABYTE);
  large.send(1);
  large.send(MEGABYTE);
  expect([...fits.ended, ...large.ended].map(({ kind }) => kind)).toEqual(["whole", "large"]);
  expect(reader.held()).toBe(0);
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

test("whoever goes away in the middle is told as gone", () => {
  const reader = bodyReader();
  const { stream, ended, send } = coming(reader);
  send(10);
  stream.emit("close");
  expect(ended).toEqual([{ kind: "gone" }]);
  expect(reader.held()).toBe(0);
});
