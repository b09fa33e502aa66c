// GitHub's log of deliveries as text: numbers of 64 bits stay what they are, and what has another form is left out.
import { expect, test } from "vitest";
import { nextCursor, readDeliveries } from "../../../src/adapters/github/read/delivery-log.ts";

const entry = (over: string) =>
  `{"id": 9007199254740993, "guid": "0b989ba4-242f-11e5-81e1-c7b6966d2516", "delivered_at": "2026-01-03T00:57:16Z",
    "redelivery": false, "duration": 0.27, "status": "OK", "status_code": 200, "event": "issues", "action": "opened",
    "installation_id": 123, "repository_id": null${over}}`;

test("an id that JSON.parse would round is exact", () => {
  expect(readDeliveries(`[${entry("")}]`)).toEqual([
    {
      id: "9007199254740993",
      guid: "0b989ba4-242f-11e5-81e1-c7b6966d2516",
      event: "issues",
      action: "opened",
      at: Date.UTC(2026, 0, 3, 0, 57, 16),
      succeeded: true,
    },
  ]);
});

test("only an answer of 2xx is a success, and what is no entry is left out", () => {
  const failed = [0, 301, 401, 503].map((code) => entry(`, "status_code": ${code}`));
  const odd = ['{"id": "../1"}', "null", "7", entry(', "id": -1'), entry(', "delivered_at": "soon"')];
  const read = readDeliveries(`[${[...failed, ...odd].join()}]`);
  expect(read.map(({ succeeded }) => succeeded)).toEqual([false, false, false, false]);
  expect(readDeliveries('{"message": "no"}')).toEqual([]);
});

test("the next page is where the header says, if anywhere", () => {
  const link = '<https://api.github.com/app/hook/deliveries?per_page=100&cursor=v1_17>; rel="next"';
  expect(nextCursor(link)).toBe("v1_17");
  expect(nextCursor(`<https://api.github.com/x?cursor=a>; rel="prev", ${link}`)).toBe("v1_17");
  expect([undefined, "", "nonsense", '<::>; rel="next"', '<https://x/y>; rel="next"'].map(nextCursor)).toEqual(
    Array.from({ length: 5 }, () => null),
  );
});
