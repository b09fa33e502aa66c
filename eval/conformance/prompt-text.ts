// Which text of a repository and an author is in a prompt.

import type { PathInstruction } from "../../src/config/repo-config.ts";
import { visibleText } from "../../src/domain/text/rendered-markdown.ts";
import { visible } from "../../src/publish/sanitize.ts";
import { matchingInstructions } from "../../src/review/compose.ts";
import type { AreaCheck } from "./area-check.ts";

export const areas: readonly AreaCheck[] = [
  {
    area: "prompt.pathInstructions",
    answer: (input) => {
      const { pathInstructions, changedFiles } = input as {
        pathInstructions: PathInstruction[];
        changedFiles: string[];
      };
      const matched = matchingInstructions(changedFiles, pathInstructions);
      return {
        matches: matched.map(({ instruction, files }) => ({ instructions: instruction.instructions, files })),
      };
    },
    deliberate: [],
  },
  {
    area: "sanitize.content",
    answer: (input) => ({ text: visible(visibleText((input as { text: string }).text).text) }),
    deliberate: [
      {
        name: "bidi-is-shown",
        reason: "characters that turn the direction of text are written out: who drops them hides an attack",
        applies: (input) => /[\u202A-\u202E\u2066-\u2069]/.test((input as { text: string }).text),
      },
    ],
  },
];
