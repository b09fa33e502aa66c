// More cases of the rules in structural/forgotten.ts, by rule.
import { example } from "../../../../src/adapters/rules/structural/shapes.ts";
import type { Cases } from "../rule-cases.ts";

export const FORGOTTEN: Cases = {
  "unawaited-assertion": {
    bad: [example("test/load.test.js", 'it("fails", () => { expect(load(null)).rejects.toThrow(); });')],
    good: [example("test/load.test.ts", 'test("loads", () => expect(load()).resolves.toBe(1));')],
  },
  "missing-timeout": {
    bad: [example("app/rates.py", 'reply = requests.post(URL, json={"day": day}, headers=HEADERS)')],
    good: [example("app/rates.py", "reply = requests.get(URL, **options)")],
  },
  "discarded-error": {
    bad: [example("load.go", "body, _ := io.ReadAll(resp.Body)")],
    good: [example("load.go", "_ = f.Close()")],
  },
  "defer-in-loop": {
    bad: [example("read.go", "for {", "\tmu.Lock()", "\tdefer mu.Unlock()", "}")],
    good: [example("read.go", "defer f.Close()", "for scanner.Scan() {", "\tcount++", "}")],
  },
};
