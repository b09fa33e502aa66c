import { expect, test } from "vitest";
import { atOnce } from "../../../src/retrieve/rank/cooperative-steps.ts";
import { type Evidence, RRF } from "../../../src/retrieve/rank/fusion.ts";
import { LEARNED } from "../../../src/retrieve/rank/learned-fusion.ts";
import { added, DAY, given, memory, NOW, type Shape } from "../given.ts";

const CHANGE = {
  title: "feat: fetch invoices again when the gateway is busy",
  files: {
    "src/billing/invoice.ts": added("for (let attempt = 0; attempt < 3; attempt += 1) await gateway.fetch(id);"),
  },
};

function evidence(shape: Shape, records: readonly ReturnType<typeof memory>[]) {
  const { context, signals } = given(shape);
  const all: Evidence = {
    queries: [
      {
        variant: { kind: "intent", text: shape.title, path: null },
        nearest: [],
        matching: records.map(({ id }, at) => ({ id, score: 9 - at })),
      },
    ],
    records: new Map(records.map((record) => [record.id, record])),
    context,
    signals,
    weights: { vector: 0.25, keyword: 1 },
    pooling: "max",
    k: 60,
    now: NOW,
  };
  return all;
}

const order = (all: Evidence) => LEARNED.fuse(all).map(({ id }) => id);

test("a question that changes no file keeps the order of ranks: the table knows changes only", () => {
  const records = [memory("mem_a"), memory("mem_b"), memory("mem_c", { text: "fetch invoices again when busy" })];
  const all = evidence({ title: "Are invoices fetched again?", files: {} }, records);
  expect(LEARNED.fuse(all)).toEqual(RRF.fuse(all));
});

test("memories without a place are ordered by what they say of the changed code, however old they are", () => {
  const old = { ...memory("mem_attempt").provenance, at: NOW - 3_000 * DAY };
  const records = [
    memory("mem_title", { text: "The gateway is busy: fetch the invoices again." }),
    memory("mem_attempt", {
      text: "Each `attempt` does `gateway.fetch` at once: await a pause between them.",
      provenance: old,
    }),
  ];
  expect(order(evidence(CHANGE, records))).toEqual(["mem_attempt", "mem_title"]);
});

test("of memories with a place the one in the changed file comes first when all say the same little", () => {
  const said = "Please give this a name that says what it holds.";
  const records = [
    memory("mem_elsewhere", { path: "docs/install.rst", text: said }),
    memory("mem_other", { path: "tools/release.py", language: "python", text: said }),
    memory("mem_here", { path: "src/billing/invoice.ts", language: "typescript", text: said }),
  ];
  expect(order(evidence(CHANGE, records))[0]).toBe("mem_here");
});

test("a change that was read while its memories were sought is weighed as one that is read with them", () => {
  const records = [
    memory("mem_title", { text: "The gateway is busy: fetch the invoices again." }),
    memory("mem_attempt", { text: "Each `attempt` does `gateway.fetch` at once: await a pause between them." }),
    memory("mem_here", { path: "src/billing/invoice.ts", language: "typescript", text: "Why three?" }),
  ];
  for (const shape of [CHANGE, { title: "Are invoices fetched again?", files: {} }]) {
    const all = evidence(shape, records);
    const ahead = LEARNED.ahead?.(all);
    const steps = ahead?.steps?.(all);
    expect(steps === undefined ? null : atOnce(steps)).toEqual(LEARNED.fuse(all));
  }
});
