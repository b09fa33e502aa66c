// What a draft cites from elsewhere in the repository is shown to whoever checks it.
import { expect, test } from "vitest";
import { snapshotOf } from "../adapters/contracts/symbols.ts";
import { LOGIN } from "../app/change-builders.ts";
import { reviewed } from "../app/pipeline.ts";
import { NO_SYMBOLS } from "../fakes/no-symbols.ts";
import { drafted, reports, scriptedModel, textOf } from "../fakes/scripted-model.ts";

const ETAG = "export function etag(content: string): string {";
const TABLE = Array.from({ length: 60 }, (_, at) => `const rate${at + 1} = ${at};`).join("\n");

/** What the second look is shown of a draft with this body. */
async function shownFor(body: string): Promise<string> {
  const access = scriptedModel(reports(drafted({ quote: ETAG, body })));
  const snapshot = snapshotOf({ "src/login.ts": LOGIN, "src/table.ts": TABLE });
  const snapshots = { at: async () => ({ snapshot, degraded: [] }) };
  const symbols = NO_SYMBOLS;
  await reviewed({ files: { "src/login.ts": LOGIN }, access, snapshots, symbols });
  const [question] = access.asked.filter(({ purpose }) => purpose === "verify");
  return textOf(question?.user ?? []);
}

test("the lines that a draft cites as path:line are in the question, with some around them", async () => {
  const text = await shownFor(
    "The rate comes from `src/table.ts:30-31`, see also src/none.ts:4 and ../../etc/passwd:1.",
  );
  expect(text).toContain("### src/table.ts: cited by a finding");
  expect(text).toContain("26: const rate26 = 25;");
  expect(text).toContain("35: const rate35 = 34;");
  expect(text).not.toContain("const rate25");
  expect(text).not.toContain("const rate36");
  expect(text).not.toContain("etc/passwd: cited");
});

test("a draft that cites nothing shows no more than its own code, and a huge range is cut", async () => {
  expect(await shownFor("It is wrong.")).not.toContain("cited by a finding");
  const text = await shownFor("See src/table.ts:1-999999.");
  expect(text).toContain("41: const rate41 = 40;");
  expect(text).not.toContain("const rate42");
});
