// docs/models.md from the table of what was tried, and from the causes in the code.

import { MODEL_CAUSES } from "../src/review/reading/plan-reading.ts";
import { markdownTable } from "./markdown-table.ts";
import { EMBEDDERS, PARTS, REFUSALS, SERVERS, type ServerId } from "./model-matrix.ts";

const HEAD = `# Model servers and embedders

Generated from \`scripts/model-matrix.ts\` and the code by \`npm run generate\`. \`test/matrix\` takes each row through a whole review.

Kodiai speaks OpenAI's chat completions (\`OPENAI_BASE_URL\`), Anthropic's Messages API (\`ANTHROPIC_BASE_URL\`), and embeddings of
OpenAI's form (\`KODIAI_EMBEDDINGS_URL\`). An address without a path gets \`/v1\`; a pasted \`/chat/completions\`, \`/v1/messages\` or
\`/embeddings\` at its end is left out.

## What a server does not take

What a server refuses by name is left out and the question asked again, in at most four requests. What worked is stored for this address
and model; what the account's credit allows, until the process ends. \`kodiai doctor --model\` asks a question as large as a review's and prints what the
server takes. The summary says when structured output or the temperature was left out.
`;

const MATRIX = `## What we tried

The address is for \`OPENAI_BASE_URL\`, of Anthropic's protocol for \`ANTHROPIC_BASE_URL\`. Every review was posted.
`;

const CAUSES = `## When there is no answer

The summary, \`kodiai review\` and the log have the cause, the server's sentence, and what to do or check.
`;

/** The whole page. */
export function modelsMarkdown(): string {
  const parts = Object.values(PARTS).map(({ refused, does }) => [refused, does]);
  const servers = (Object.keys(SERVERS) as ServerId[]).map((id) => {
    const { name, address } = SERVERS[id];
    const refused = [...new Set(REFUSALS.filter(({ server }) => server === id).map(({ part }) => PARTS[part].refused))];
    return [name, address, refused.join(", ") || "nothing"];
  });
  return [
    HEAD,
    table(["a server refuses", "then Kodiai"], parts),
    "",
    "## Forms of replies",
    "",
    "Also read are thoughts before a reply, fences around it, other words and a bare list; a finding that cannot be read is counted and shown.",
    "",
    MATRIX,
    table(["server", "address", "refused"], servers),
    "",
    "## Embedders",
    "",
    "A refused batch is sent in smaller parts. `kodiai index` prints how many texts were embedded, how many are found by words only, and why.",
    "",
    table(
      ["server", "what it does", "what becomes of it"],
      EMBEDDERS.map(({ name, what, does }) => [name, what, does]),
    ),
    "",
    CAUSES,
    table(
      ["what is said", "what to do"],
      Object.values(MODEL_CAUSES).map(({ what, fix }) => [what, fix]),
    ),
    "",
  ].join("\n");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return markdownTable([head, ...rows]).trimEnd();
}
