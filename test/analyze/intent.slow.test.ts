// No timing is asserted: text that took quadratic time at a megabyte would run into the watchdog.
import { test } from "vitest";
import { expectBoundedIntent, PIECES } from "./long-intents.ts";

test.each(PIECES)("a megabyte of %s is read", (_name, piece) => expectBoundedIntent(piece, 1_000_000));
