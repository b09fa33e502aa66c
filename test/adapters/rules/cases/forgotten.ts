// Cases of the rules in structural/forgotten.ts, by rule.
import { type Cases, example } from "../rule-cases.ts";

export const FORGOTTEN: Cases = {
  "unawaited-assertion": {
    bad: [
      example("test/load.test.ts", 'test("loads", () => {', "  expect(load()).resolves.toBe(1);", "});"),
      example("test/load.test.js", 'it("fails", () => { expect(load(null)).rejects.toThrow(); });'),
    ],
    good: [
      example("test/load.test.ts", 'test("loads", async () => {', "  await expect(load()).rejects.toThrow();", "});"),
      example("test/load.test.ts", 'test("loads", () => expect(load()).resolves.toBe(1));'),
    ],
  },
  "missing-timeout": {
    bad: [
      example("app/rates.py", "reply = requests.get(URL)"),
      example("app/rates.py", 'reply = requests.post(URL, json={"day": day}, headers=HEADERS)'),
    ],
    good: [
      example("app/rates.py", "reply = requests.get(URL, timeout=10)"),
      example("app/rates.py", "reply = requests.get(URL, **options)"),
    ],
  },
  "discarded-error": {
    bad: [
      example("load.go", "_ = json.Unmarshal(body, &order)"),
      example("load.go", "body, _ := io.ReadAll(resp.Body)"),
    ],
    good: [
      example("load.go", "if err := json.Unmarshal(body, &order); err != nil {", "\treturn err", "}"),
      example("load.go", "_ = f.Close()"),
    ],
  },
  "defer-in-loop": {
    bad: [
      example("read.go", "for _, name := range names {", "\tf := open(name)", "\tdefer f.Close()", "}"),
      example("read.go", "for {", "\tmu.Lock()", "\tdefer mu.Unlock()", "}"),
    ],
    good: [
      example("read.go", "for _, f := range files {", "\tfunc() {", "\t\tdefer f.Close()", "\t}()", "}"),
      example("read.go", "defer f.Close()", "for scanner.Scan() {", "\tcount++", "}"),
    ],
  },
};
