// The clone of the tests of `kodiai review`: one commit that a reviewer has something to say of.
import { BACKUP, BALANCE, LOGIN, WEAK_LOGIN } from "../app/change-builders.ts";
import { type Clone, newClone, verb } from "./kodiai.ts";

export function cloneToReview(): Clone {
  const clone = newClone();
  clone.write({ "src/login.ts": LOGIN, ".kodiai.yml": "review:\n  profile: balanced\n  maxComents: 3\n" });
  clone.commit("Lay the ground");
  clone.write({
    "src/login.ts": WEAK_LOGIN,
    "src/balance.py": BALANCE,
    "src/größe mit leerzeichen.py": `${BACKUP}# kodiai-ignore missing-timeout asked for\n`,
    "src/done.py":
      'import requests\nrequests.get("https://a.example.com")  # kodiai-ignore missing-timeout: a batch job\n',
    "package-lock.json": '{"lockfileVersion": 3}\n',
  });
  clone.commit("feat(login): hash passwords");
  return clone;
}

/** `kodiai review` in it. */
export function reviewIn(clone: Clone) {
  return (words: readonly string[], more: { stdin?: string; env?: Record<string, string> } = {}) =>
    verb(["review", ...words], { cwd: clone.path, ...more });
}
