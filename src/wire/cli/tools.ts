import { sarifFiles } from "../../adapters/sarif/sarif-files.ts";
import { joinedReports } from "../../domain/tool-result.ts";
import type { WritingPorts } from "../../flows/review/review-ports.ts";

/** The same ports with the results in SARIF files beside those that they have. */
export function withSarif(ports: WritingPorts, files: readonly string[]): WritingPorts {
  const { tools } = ports;
  const named = sarifFiles(files);
  return { ...ports, tools: { of: async (asked) => joinedReports([await tools.of(asked), await named.of(asked)]) } };
}
