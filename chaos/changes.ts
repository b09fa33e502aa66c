// Files that a push brings: some with something to say about them, each in names of its own, so
// that nothing counts as said before.
import type { SeededRandom } from "./seeded-random.ts";

export interface Change {
  readonly files: Readonly<Record<string, string>>;
  /** Secrets that it contains. */
  readonly secrets: readonly string[];
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** @param word the repository's own canary; the code contains it */
export function changeOf(random: SeededRandom, word: string): Change {
  const name = `part_${random.below(1e9).toString(36)}`;
  const kind = random.below(4);
  const said = kind === 0 ? quiet(name, word) : kind === 1 ? shell(name, word) : tls(name, word);
  // A change of two files is never too small for a second reading.
  const files = { [`src/${name}.py`]: said, [`src/${name}_notes.py`]: quiet(`${name}_notes`, word) };
  if (!random.chance(0.08)) return { files, secrets: [] };
  const secret = `ghp_${Array.from({ length: 36 }, () => LETTERS[random.below(LETTERS.length)]).join("")}`;
  return { files: { ...files, [`src/${name}_login.py`]: `TOKEN = "${secret}"\n` }, secrets: [secret] };
}

function quiet(name: string, word: string): string {
  return `def ${name}(amount: int) -> int:\n    """Of ${word}."""\n    return amount + ${name.length}\n`;
}

/** tls-verify-disabled. */
function tls(name: string, word: string): string {
  return [
    "import requests",
    "",
    `def ${name}(account: str) -> dict:`,
    `    ${name}_url = f"https://${name.replace("_", "-")}.example.com/${word}/{account}"`,
    `    return requests.get(${name}_url, verify=False, timeout=${(name.length % 7) + 2}).json()`,
    "",
  ].join("\n");
}

/** shell-from-strings. */
function shell(name: string, word: string): string {
  return [
    "import subprocess",
    "",
    `def ${name}(${name}_target: str) -> None:`,
    `    subprocess.run("tar czf /backup/${word}-${name}-" + ${name}_target + ".tgz /srv/${name}", shell=True, check=True)`,
    "",
  ].join("\n");
}
