#!/usr/bin/env node
// The `kodiai` command. The rest is loaded after a look at Node: an old one fails loading it.
import { guardExit } from "../server/guard-exit.ts";
import { keepCompiled } from "../server/keep-compiled.ts";

guardExit();
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > 22 || (major === 22 && minor >= 18)) {
  keepCompiled();
  const { outliveReaders, runVerb } = await import("./run-verb.ts");
  const words = process.argv.slice(2);
  outliveReaders(words);
  process.exitCode = await runVerb(words);
} else {
  // An installed package is started by the Node that is first in the path.
  console.error(`kodiai needs Node 22.18 or newer; this is ${process.versions.node}`);
  process.exitCode = 3;
}
