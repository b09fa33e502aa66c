import { expect, test } from "vitest";
import { appSlug } from "../../../src/adapters/github/app-registration.ts";
import { Transient } from "../../../src/domain/errors.ts";

const answers = (data: unknown) => ({ request: () => Promise.resolve({ status: 200, data }) }) as never;

test("an answer that broke off ends no start: it is asked for again", async () => {
  for (const data of ['{"id":', "", undefined, {}]) await expect(appSlug(answers(data))).rejects.toThrow(Transient);
  expect(await appSlug(answers({ id: 4242, slug: "kodiai" }))).toBe("kodiai");
});
