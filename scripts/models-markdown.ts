// docs/models.md from the table of what was tried, and from the causes in the code.

import { CONNECTION_CAUSES } from "../src/adapters/connection-cause.ts";
import { MODEL_CAUSES } from "../src/review/reading/plan-reading.ts";
import { markdownTable } from "./markdown-table.ts";
import { EMBEDDERS, PARTS, REFUSALS, REPLIES, SERVERS, type ServerId } from "./model-matrix.ts";

const HEAD = `# Model servers and embedders

Generated from \`scripts/model-matrix.ts\` and the code by \`npm run generate\`. \`test/matrix\` takes each row through a whole review.

Kodiai speaks OpenAI's chat completions (\`OPENAI_BASE_URL\`), Anthropic's Messages API (\`ANTHROPIC_BASE_URL\`), and embeddings of
OpenAI's form (\`KODIAI_EMBEDDINGS_URL\`). An address without a path gets \`/v1\`; a pasted \`/chat/completions\`, \`/v1/messages\` or
\`/embeddings\` at its end is left out.

## What a server does not take

Kodiai tries: what a server refuses by name is left out, and the question is asked once more, in at most four requests. What worked is stored
for this address and model; what the account's credit allows counts until the process ends. \`kodiai doctor --model\` asks a question as
large as a review's and prints what the server takes.
`;

const MATRIX = `## What we tried

The address is for \`OPENAI_BASE_URL\`, of Anthropic's protocol for \`ANTHROPIC_BASE_URL\`. Every review was posted.
`;

const CAUSES = `## When there is no answer

The summary, \`kodiai review\` and the log have the cause, the status and the server's sentence, with secrets masked.
`;

/** The whole page. */
export function modelsMarkdown(): string {
  const parts = Object.values(PARTS).map(({ refused, does, lacks }) => [refused, does, lacks]);
  const forms = Object.values(REPLIES).map((form) => `- ${form}`);
  const servers = (Object.keys(SERVERS) as ServerId[]).map((id) => {
    const { name, address } = SERVERS[id];
    const refused = [...new Set(REFUSALS.filter(({ server }) => server === id).map(({ part }) => PARTS[part].refused))];
    return [name, address, refused.join(", ") || "nothing"];
  });
  return [
    HEAD,
    table(["a server refuses", "then Kodiai", "the review lacks"], parts),
    "",
    "## Forms of replies",
    "",
    "All of these are read; a finding that cannot be read is counted and shown.",
    "",
    ...forms,
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
    "A connection that fails, to a model, an embedder or GitHub:",
    "",
    table(
      ["cause", "what it is", "what to do"],
      [...Map.groupBy(Object.entries(CONNECTION_CAUSES), ([, { what, fix }]) => `${what}: ${fix}`).values()].map(
        (alike) => [alike.map(([code]) => `\`${code}\``).join(", "), alike[0]?.[1].what ?? "", alike[0]?.[1].fix ?? ""],
      ),
    ),
    "",
  ].join("\n");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return markdownTable([head, ...rows]).trimEnd();
}
