// What the whole walk promises and the emulator cannot show, because it knows fewer shapes of
// change than GitHub.
import { expect, test } from "vitest";
import type { ListedFile } from "../../src/domain/changes.ts";
import { HEAD } from "../fakes/pull-requests.ts";
import { LOGIN, WEAK_LOGIN } from "./change-builders.ts";
import { reviewed } from "./pipeline.ts";

const HASH = WEAK_LOGIN.slice(LOGIN.length).replace(/\n$/, "").split("\n");
const patch = `@@ -4,2 +4,${2 + HASH.length} @@\n   return createHash("sha256");\n }\n${HASH.map((line) => `+${line}`).join("\n")}`;
const changed: ListedFile = {
  path: "src/login.ts",
  previousPath: null,
  status: "modified",
  additions: HASH.length,
  deletions: 0,
  patch,
};

test("a finding keeps its identity when its file is renamed, so it is not said again", async () => {
  const walk = (file: ListedFile) =>
    reviewed({
      world: {
        changes: { kind: "listing", files: [file], total: 1 },
        texts: { [`${HEAD}:${file.path}`]: WEAK_LOGIN },
      },
    });
  const before = await walk(changed);
  const renamed = await walk({
    ...changed,
    path: "src/auth/login.ts",
    previousPath: "src/login.ts",
    status: "renamed",
  });
  expect(before.findings.map(({ finding }) => finding.rule)).toEqual(["weak-password-hash"]);
  expect(renamed.findings[0]?.finding).toEqual({ ...before.findings[0]?.finding, path: "src/auth/login.ts" });
});
