// SARIF files that a person names, as results of tools.
import { createReadStream } from "node:fs";
import type { Degraded } from "../../domain/omissions.ts";
import { decodeText } from "../../domain/text/decode-text.ts";
import { joinedReports, NO_REPORT, SARIF_FILE, type ToolReport } from "../../domain/tool-result.ts";
import type { ToolResults } from "../../ports/tools.ts";
import { changedPaths } from "./artifact-path.ts";
import { readSarif, SarifProblem } from "./read-sarif.ts";

const MOST_FILES = 20;
/** Bytes of one file: GitHub takes 10 MB when compressed, which is seldom more than this. */
const MOST_BYTES = 64 << 20;

/**
 * The results of SARIF files. A file that cannot be read loses no other: it is `degraded` with the
 * part SARIF_FILE, with its name, the place and how to fix it.
 */
export function sarifFiles(paths: readonly string[]): ToolResults {
  return {
    async of({ paths: changed, isInHead }) {
      const reports: ToolReport[] = [];
      const problem = (file: string, reason: string): Degraded => ({ part: SARIF_FILE, reason: `${file}: ${reason}` });
      for (const file of paths.slice(0, MOST_FILES)) {
        try {
          reports.push(await readSarif(await textOfFile(file), changedPaths(changed, isInHead)));
        } catch (error) {
          if (!(error instanceof SarifProblem)) throw error;
          reports.push({ ...NO_REPORT, degraded: [problem(file, error.message)] });
        }
      }
      const over = paths
        .slice(MOST_FILES)
        .map((file) => problem(file, `only ${MOST_FILES} files are read; let one file have several runs`));
      return joinedReports([...reports, { ...NO_REPORT, degraded: over }]);
    },
  };
}

async function textOfFile(file: string): Promise<string> {
  const pieces: Buffer[] = [];
  try {
    // One byte more than is allowed, and no more: what is named may be a pipe without an end.
    for await (const piece of createReadStream(file, { end: MOST_BYTES })) pieces.push(piece as Buffer);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    const why = code === "ENOENT" ? "there is no such file; name what the tool wrote" : `it cannot be read: ${code}`;
    throw new SarifProblem(why);
  }
  const bytes = Buffer.concat(pieces);
  if (bytes.length > MOST_BYTES)
    throw new SarifProblem(`it is larger than ${MOST_BYTES >> 20} MB; let the tool read the changed files only`);
  const text = decodeText(bytes);
  if (text === null) throw new SarifProblem("it holds no text; write it as UTF-8");
  return text.replace(/^\uFEFF/, "");
}
