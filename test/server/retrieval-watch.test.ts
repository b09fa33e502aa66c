import { expect, test } from "vitest";
import { retrievalFigures } from "../../src/domain/figures/retrieval-figures.ts";
import { retrievalWatch } from "../../src/server/sweeps/job-watch.ts";
import { anEntry } from "../adapters/contracts/retrieval-log.ts";

test("alerts are reported when they change, not with every review, and unreadable figures are no alert", async () => {
  let ms = 2_000;
  let broken = false;
  const reported: string[][] = [];
  const watch = retrievalWatch(
    {
      read: async () => {
        if (broken) throw new Error("the database is locked");
        const embedding = { texts: 1, cached: 1, tokens: 0, usd: 0 };
        const entry = { ...anEntry({ retrievalMs: ms, embedding }), results: 2 };
        return retrievalFigures(
          Array.from({ length: 20 }, () => entry),
          [],
        );
      },
    },
    (alerts) => reported.push(alerts.map(({ name }) => name)),
  );
  await watch();
  await watch();
  expect(reported).toEqual([["slow"]]);
  broken = true;
  await watch();
  broken = false;
  ms = 20;
  await watch();
  expect(reported).toHaveLength(1);
  ms = 2_000;
  await watch();
  expect(reported).toEqual([["slow"], ["slow"]]);
});
