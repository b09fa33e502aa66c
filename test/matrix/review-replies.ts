// What a good model says of LOGIN, at the anchor that the prompt gave.
import type { ModelCall } from "../fakes/anthropic/server.ts";

export const TITLE = "The etag of an empty file is the same for every file";

/** All text of a request, wherever a server wants the instructions. */
function textOf({ body }: ModelCall): string {
  return JSON.stringify([body.system ?? "", body.messages]).replaceAll("\\n", "\n");
}

export function found(call: ModelCall) {
  const finding = {
    path: "src/login.ts",
    anchor: /(\d+#[0-9a-f]{4}):\+export function etag/.exec(textOf(call))?.[1] ?? "",
    endAnchor: null,
    quote: "export function etag(content: string): string {",
    severity: "major",
    category: "correctness",
    title: TITLE,
    body: "`etag` hashes the content only. Hash the path too.",
    true: 0.9,
    wanted: 1,
    suggestion: null,
    precedents: [],
  };
  return { findings: [finding], ruleFindings: [], walkthrough: "Adds an etag." };
}

export function holds(call: ModelCall) {
  const ids = [...textOf(call).matchAll(/^\[(fnd_\w+)\]/gm)].map(([, id]) => id);
  const verdict = { verdict: "holds", severity: "major", confidence: 0.9, reason: "It is so." };
  return { findings: ids.map((id) => ({ id, ...verdict })) };
}

/** Whether the question is the second look. */
export function isVerify(call: ModelCall): boolean {
  return textOf(call).includes("You check drafted review findings");
}
