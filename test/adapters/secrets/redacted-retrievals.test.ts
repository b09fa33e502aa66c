import { expect, test } from "vitest";
import { secretRedactor } from "../../../src/adapters/secrets/redact.ts";
import { redactedRetrievals } from "../../../src/adapters/secrets/redacted-reviews.ts";
import type { LoggedRetrieval } from "../../../src/domain/figures/logged-retrieval.ts";
import { anEntry } from "../contracts/retrieval-log.ts";

/** Of the right form, and nobody's. */
const TOKEN = `ghp_${"Zk3vQ9sT1xB7mN5cR8wL".repeat(2).slice(0, 36)}`;

test("what is written down holds no secret", async () => {
  const kept: LoggedRetrieval[] = [];
  const log = redactedRetrievals({ write: async (entry) => void kept.push(entry) }, secretRedactor(), () =>
    expect.unreachable(),
  );
  const entry = anEntry({ query: `fix: rotate the token\nGITHUB_TOKEN=${TOKEN}` });
  await log.write(entry);
  expect(kept).toEqual([{ ...entry, query: expect.stringMatching(/^fix: rotate the token\n.*‹redacted:/) }]);
  expect(JSON.stringify(kept)).not.toContain(TOKEN);
});

test("an unwritable log is reported once and rejects nothing", async () => {
  const reported: unknown[] = [];
  const full = new Error("database or disk is full");
  const log = redactedRetrievals({ write: () => Promise.reject(full) }, secretRedactor(), (error) =>
    reported.push(error),
  );
  await log.write(anEntry());
  expect(reported).toEqual([full]);
});
