// Production-shaped comments and changes for the tests of this stage.
import {
  type Change,
  prepareChange,
  prepareMemory,
  type RememberedComment,
} from "../../../src/retrieve/rank/prepare-documents.ts";
import { lexicon } from "../../../src/retrieve/rank/term-ids.ts";

/** Of everything that is prepared here. */
export const WORDS = lexicon();

export const comment = (over: Partial<RememberedComment>) =>
  prepareMemory(
    {
      id: "mem_000000000001",
      pr: 1,
      path: "src/billing/invoice.ts",
      text: "Close the connection in `finally`: when parsing fails it leaks.",
      hunk: "@@ -1,3 +1,4 @@\n const a = 1;\n+const connection = await pool.connect();\n+return parse(await connection.read());",
      ...over,
    },
    WORDS,
  );

export const change = (over: Partial<Change>) =>
  prepareChange(
    {
      title: "Read invoices from the pool",
      body: "",
      paths: ["src/billing/invoice.ts"],
      hunks: [
        {
          section: "export class Invoice",
          lines: [
            { kind: "context", text: "import { pool } from './pool.ts';" },
            { kind: "added", text: "const connection = await pool.connect();" },
            { kind: "added", text: "return connection.query(sql);" },
          ],
        },
      ],
      ...over,
    },
    WORDS,
  );
