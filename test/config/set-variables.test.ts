import { expect, test } from "vitest";
import { setVariables } from "../../src/config/environment/set-variables.ts";

test("what is empty or blank is not set, and what is set is trimmed", () => {
  const env = { KODIAI_MODEL: " qwen3-coder\n", VOYAGE_API_KEY: "", PORT: "  ", ANTHROPIC_API_KEY: undefined };
  expect([...setVariables(env)]).toEqual([["KODIAI_MODEL", "qwen3-coder"]]);
});
