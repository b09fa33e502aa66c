// The last part of docs/internals/guarantees.md: what was broken on purpose, and how soon a test noticed.
import { MUTANTS } from "../chaos/mutants/mutants.ts";
import { markdownTable } from "../src/cli/terminal-text.ts";

interface Measured {
  readonly date: string;
  readonly machine: string;
  readonly command: string;
  readonly mutants: Readonly<Record<string, { readonly verdict: string; readonly seconds: number }>>;
}

/**
 * A table of all mutants; one without a measurement says so.
 *
 * @param text chaos/mutants/measured.json
 * @throws Error naming a mutant that was measured and is none any more, or was not noticed
 */
export function mutantsMarkdown(text: string): string {
  const { date, machine, command, mutants } = JSON.parse(text) as Measured;
  const known = new Set(MUTANTS.map(({ id }) => id));
  for (const [id, { verdict }] of Object.entries(mutants)) {
    if (!known.has(id)) throw new Error(`${id} was measured, and there is no such mutant`);
    if (verdict !== "red" && verdict !== "hung") throw new Error(`${id} was not noticed: ${verdict}`);
  }
  const rows = MUTANTS.map(({ id, loses, test: [file, title] }) => {
    const seconds = mutants[id]?.seconds.toFixed(1) ?? "not measured";
    return [id, loses, seconds, `[${file}](../../${file}): ${title}`].map((text) => text.replaceAll("<", "&lt;"));
  });
  return [
    "## Mutants",
    "",
    `Each of these ${MUTANTS.length} mutants breaks one promise in the code, and the named test fails. Seconds until it fails, the start of the`,
    `test's process included (${date}, ${machine}, \`${command}\`).`,
    "",
    markdownTable([["what is broken", "what is lost", "seconds", "noticed by"], ...rows]),
  ].join("\n");
}
