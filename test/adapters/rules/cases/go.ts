// More cases of rules about go, by rule.
import { example } from "../../../../src/adapters/rules/structural/shapes.ts";
import type { Cases } from "../rule-cases.ts";

export const GO: Cases = {
  "discarded-error": {
    bad: [example("load.go", "body, _ := io.ReadAll(resp.Body)")],
    good: [example("load.go", "_ = f.Close()")],
  },
  "response-without-return": {
    bad: [
      example(
        "orders.go",
        "func orders(w http.ResponseWriter, r *http.Request) {",
        "\trows, err := load()",
        "\tif err != nil {",
        "\t\thttp.Error(w, err.Error(), 500)",
        "\t}",
        "\tjson.NewEncoder(w).Encode(rows)",
        "}",
      ),
    ],
    good: [
      example(
        "orders.go",
        "func orders(w http.ResponseWriter, r *http.Request) {",
        "\tif !allowed(r) {",
        '\t\thttp.Error(w, "forbidden", http.StatusForbidden)',
        "\t}",
        "}",
      ),
    ],
  },
  "defer-in-loop": {
    bad: [example("read.go", "for {", "\tmu.Lock()", "\tdefer mu.Unlock()", "}")],
    good: [example("read.go", "defer f.Close()", "for scanner.Scan() {", "\tcount++", "}")],
  },
};
