// The other side of chunker.ts: one file in, its chunks out, in a process that can be ended while a grammar is stuck.
import { answerMessages } from "../reading-child.ts";
import { cutCode } from "./cut-code.ts";

export interface ChunkQuestion {
  readonly path: string;
  readonly language: string;
  readonly text: string;
}

answerMessages(({ path, language, text }: ChunkQuestion) => cutCode(path, language, text));
