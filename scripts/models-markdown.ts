// docs/models.md from the table of what was tried, and from the causes in the code.

import { CONNECTION_CAUSES } from "../src/adapters/connection-cause.ts";
import { fixOf } from "../src/adapters/model/model-error.ts";
import { MODEL_CAUSES } from "../src/review/reading/plan-reading.ts";
import { markdownTable } from "./markdown-table.ts";
import {
  EMBEDDERS,
  PARTS,
  REFUSALS,
  REPLIES,
  REPLY_SERVERS,
  type RefusedPart,
  SERVERS,
  type ServerId,
} from "./model-matrix.ts";

const HEAD = `# Model servers and embedders

Generated from \`scripts/model-matrix.ts\` and the code by \`npm run generate\`. \`test/matrix\` takes each row through a whole review.

Kodiai speaks OpenAI's chat completions (\`OPENAI_BASE_URL\`) and Anthropic's Messages API (\`ANTHROPIC_BASE_URL\`), and embeddings of
OpenAI's form (\`KODIAI_EMBEDDINGS_URL\`). An address without a path gets \`/v1\`; a pasted \`/chat/completions\`, \`/v1/messages\` or
\`/embeddings\` at its end is left out.

## What a server does not take

Kodiai does not recognise refusals: it tries. What a server names is left out, and the question is asked once more. If it names nothing, the
schema is left out, then the stream, then everything optional: at most four requests. What worked is stored for this address and model;
what the account's credit allows counts until the process ends.
\`kodiai doctor --model\` asks a question as large as a review's and prints what it found.
`;

const MATRIX = `## What we tried

A cell names what the server refused, in its own words, and what the review then lacks. Every review of the table was posted.
`;

const CAUSES = `## When there is no answer

The summary, \`kodiai review\` and the log have the cause, and the status and the sentence of the server, with secrets masked.
`;

const STATUSES = [400, 401, 402, 403, 404, 413, 429, 500];

/** The whole page. */
export function modelsMarkdown(): string {
  const parts = Object.entries(PARTS).map(([part, { refused, does, lacks }]) => [
    refused,
    does,
    lacks,
    namesOf(part as RefusedPart),
  ]);
  const forms = Object.entries(REPLIES).map(([form, { form: text, read }]) => {
    const names = REPLY_SERVERS.filter(([, one]) => one === form).map(([server]) => SERVERS[server].name);
    return [text, read, names.join(", ")];
  });
  const servers = (Object.keys(SERVERS) as ServerId[]).map((id) => {
    const { name, protocol, address } = SERVERS[id];
    const refused = [...new Set(REFUSALS.filter(({ server }) => server === id).map(({ part }) => PARTS[part].refused))];
    const lacks = [...new Set(REFUSALS.filter(({ server }) => server === id).map(({ part }) => PARTS[part].lacks))];
    return [
      name,
      protocol === "openai" ? "OPENAI_BASE_URL" : "ANTHROPIC_BASE_URL",
      address,
      refused.join(", ") || "nothing",
      lacks.filter((one) => one !== "nothing").join("; ") || "nothing",
    ];
  });
  const variables = {
    keyVariable: "OPENAI_API_KEY or ANTHROPIC_API_KEY",
    urlVariable: "OPENAI_BASE_URL or ANTHROPIC_BASE_URL",
  };
  return [
    HEAD,
    table(["a server refuses", "then Kodiai", "the review lacks", "seen at"], parts),
    "",
    "## Forms of replies",
    "",
    table(["form", "what is read", "seen at"], forms),
    "",
    MATRIX,
    table(["server", "variable", "address", "refused, and left out", "the review lacks"], servers),
    "",
    "## Embedders",
    "",
    "A batch that is refused is sent in ever smaller parts, in a bounded number of requests. `kodiai index` prints how many were embedded, how many are found by words only, and why.",
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
    "By status:",
    "",
    table(
      ["status", "what to do"],
      STATUSES.map((status) => [String(status), fixOf(status, variables)]),
    ),
    "",
    "A connection that fails, to a model, an embedder or GitHub:",
    "",
    table(
      ["cause", "what it is", "what to do"],
      Object.entries(CONNECTION_CAUSES).map(([code, { what, fix }]) => [`\`${code}\``, what, fix]),
    ),
    "",
  ].join("\n");
}

function namesOf(part: RefusedPart): string {
  return [...new Set(REFUSALS.filter((one) => one.part === part).map(({ server }) => SERVERS[server].name))].join(", ");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return markdownTable([head, ...rows]).trimEnd();
}
