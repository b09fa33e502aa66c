// Questions that a review asks at once become one: what they have in common is worked out once.
import type { TellDegraded } from "../../ports/memory.ts";

interface Together<Of, Answer> {
  readonly of: Of[];
  /** Of those who want to be told: what makes the one answer poorer makes each poorer. */
  readonly tells: TellDegraded[];
  readonly answer: Promise<readonly Answer[]>;
}

/**
 * One question at a time over many at once: what is asked in one turn of the event loop with the same key goes in one
 * question, and everybody gets the own answer. A failure is of all.
 *
 * @param askAll answers in the order of what is asked of
 */
export function askedTogether<Of, Common, Answer>(
  askAll: (of: readonly Of[], common: Common, tell: TellDegraded) => Promise<readonly Answer[]>,
): (of: Of, common: Common, tell: TellDegraded | undefined) => Promise<Answer | undefined> {
  const open = new Map<string, Together<Of, Answer>>();
  return async (one, common, tell) => {
    const key = JSON.stringify(common);
    const known = open.get(key);
    const [of, tells] = [known?.of ?? [], known?.tells ?? []];
    const asked = async () => {
      await null;
      open.delete(key);
      return askAll(of, common, (part, reason) => {
        for (const told of tells) told(part, reason);
      });
    };
    const at = of.push(one) - 1;
    if (tell !== undefined) tells.push(tell);
    const together = known ?? { of, tells, answer: asked() };
    open.set(key, together);
    return (await together.answer)[at];
  };
}
