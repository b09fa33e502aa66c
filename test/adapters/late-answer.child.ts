// Answers late: it rests, or holds the processor, for as long as the question says.
import { setTimeout as sleep } from "node:timers/promises";
import { answerMessages } from "../../src/adapters/reading-child.ts";

export interface LateQuestion {
  readonly restMs: number;
  readonly busyMs: number;
}

answerMessages(async ({ restMs, busyMs }: LateQuestion) => {
  await sleep(restMs);
  const until = performance.now() + busyMs;
  while (performance.now() < until);
  return "answered";
});
