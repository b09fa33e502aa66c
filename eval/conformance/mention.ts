// How our reading of mentions answers the cases of an earlier system, in that system's shapes.
import { z } from "zod";
import { readCommand, withoutMention } from "../../src/receive/read-command.ts";
import type { AreaCheck } from "./area-check.ts";

const MentionCase = z.object({ body: z.string().nullable(), handles: z.array(z.string()) });

function answerContains(input: unknown) {
  const { body } = MentionCase.parse(input);
  return { mentioned: readCommand(body ?? "", "kodiai") !== null };
}

function answerStrip(input: unknown) {
  return { text: withoutMention(MentionCase.parse(input).body ?? "", "kodiai") };
}

export const areas: readonly AreaCheck[] = [
  { area: "mention", answer: answerContains, deliberate: [] },
  { area: "mention.contains", answer: answerContains, deliberate: [] },
  { area: "mention.strip", answer: answerStrip, deliberate: [] },
];
