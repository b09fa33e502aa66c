import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AccessLevel } from "../../src/domain/command.ts";
import { EVIDENCE_KINDS, type Evidence, type EvidenceBy } from "../../src/domain/memory/evidence.ts";
import { heldEvidence, outcomeOf, weighPull } from "../../src/learn/feedback/weigh-evidence.ts";
import { runs } from "../property-runs.ts";

const MEMORY = "mem_0123456789ab";
const MILD = { severity: "medium", category: "maintainability" } as const;
const GRAVE = { severity: "major", category: "security" } as const;

const person = (login: string, access: AccessLevel = "write", over: Partial<EvidenceBy> = {}): EvidenceBy => ({
  id: [...login].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7),
  login,
  access,
  isBot: false,
  ...over,
});

let serial = 0;
function piece(kind: Evidence["kind"], by: EvidenceBy | null, over: Partial<Evidence> = {}): Evidence {
  const at = ++serial * 60_000;
  const nothing = { stance: null, text: null, url: null, sha: null, withdrawnAt: null };
  return { memoryId: MEMORY, key: `${kind}:${serial}`, kind, by, at, ...nothing, ...over };
}

const wren = person("wren");
const ines = person("ines", "admin");
const stray = person("stray", "read");
const judged = (evidence: readonly Evidence[], finding: typeof MILD | typeof GRAVE = MILD) =>
  outcomeOf(evidence, finding, heldEvidence(evidence));
const outcome = (...evidence: readonly Evidence[]) => judged(evidence).outcome;

describe("what weighs more", () => {
  test("nothing at all is posted, which is not accepted", () => {
    expect(judged([])).toMatchObject({ outcome: "posted", decided: null, isAnswered: false });
    expect(judged([piece("merged", ines)])).toMatchObject({ outcome: "posted", isAnswered: false });
  });

  test("one reason outweighs any number of thumbs and an applied suggestion", () => {
    const reason = piece("declined", wren, { text: "by design: the list is ours" });
    const ups = ["a", "b", "c", "d"].map((login) => piece("thumbs-up", person(login)));
    const weighed = judged([reason, ...ups, piece("suggestion-applied", wren, { sha: "a".repeat(40) })]);
    expect(weighed).toMatchObject({
      outcome: "declined",
      decided: { by: "wren", reason: "by design: the list is ours", weight: "reason", sha: null },
    });
  });

  test("later words of consent end an earlier reason; a later thumb does not", () => {
    const reason = piece("reply", wren, { stance: "declines", text: "not reachable, because nobody calls it" });
    expect(outcome(reason, piece("thumbs-up", ines))).toBe("declined");
    expect(outcome(reason, piece("reply", ines, { stance: "agrees", text: "good catch" }))).toBe("accepted");
  });

  test("two people without a reason outweigh one word of consent, one does not", () => {
    const agreed = piece("reply", person("otto"), { stance: "agrees", text: "agreed" });
    const [first, second] = [piece("thumbs-down", wren), piece("thumbs-down", ines)];
    expect(outcome(first, agreed)).toBe("accepted");
    expect(judged([first, second, agreed]).decided).toMatchObject({ weight: "repeated", by: "ines" });
  });

  test("the same person twice is one person", () => {
    const twice = [piece("thumbs-down", wren), piece("review-dismissed", wren)];
    expect(judged(twice).decided).toMatchObject({ weight: "reaction" });
  });

  test("reactions decline no matter of security; words do", () => {
    const downs = [piece("thumbs-down", wren), piece("thumbs-down", ines)];
    expect(judged(downs, GRAVE).outcome).toBe("posted");
    expect(judged([...downs, piece("declined", wren)], GRAVE).outcome).toBe("declined");
  });

  test("restoring ends every rejection before it and none after it", () => {
    const declined = piece("declined", wren, { text: "by design" });
    const restored = piece("restored", ines);
    expect(outcome(declined, restored)).toBe("posted");
    expect(outcome(declined, restored, piece("thumbs-down", wren))).toBe("declined");
    expect(outcome(declined, piece("restored", stray))).toBe("declined");
    // GitHub's times are whole seconds.
    const reply = piece("reply", wren, { stance: "declines", text: "by design" });
    expect(outcome(reply, piece("restored", ines, { at: reply.at, key: "command:first by its key" }))).toBe("posted");
  });
});

describe("what became of the code", () => {
  const sha = "c0ffee".padEnd(40, "0");
  const changed = () => piece("lines-changed", wren, { sha });

  test("changed lines are a fix with consent, and outdated without", () => {
    expect(judged([changed()])).toMatchObject({ outcome: "outdated", decided: { sha, by: null, weight: "code" } });
    expect(outcome(changed(), piece("resolved", ines))).toBe("fixed");
    expect(outcome(changed(), piece("thumbs-up", ines))).toBe("fixed");
    expect(outcome(changed(), piece("resolved", ines), piece("unresolved", ines))).toBe("outdated");
    expect(outcome(changed(), piece("resolved", stray))).toBe("outdated");
  });

  test("a fixed finding that comes back is reintroduced; a merely changed one stays as before", () => {
    const back = () => piece("lines-back", wren, { sha });
    expect(outcome(piece("suggestion-applied", wren, { sha }), back())).toBe("reintroduced");
    expect(outcome(changed(), piece("resolved", ines), back())).toBe("reintroduced");
    expect(outcome(changed(), back())).toBe("posted");
  });

  test("the branch of a stranger counts once a person with write access merged it", () => {
    const applied = piece("suggestion-applied", stray, { sha });
    expect(outcome(applied)).toBe("posted");
    expect(outcome(applied, piece("merged", stray))).toBe("posted");
    expect(outcome(applied, piece("merged", ines))).toBe("fixed");
  });
});

describe("bursts", () => {
  const burst = (by: (n: number) => EvidenceBy, memory: (n: number) => string = () => MEMORY) =>
    Array.from({ length: 12 }, (_, n) =>
      piece("thumbs-down", by(n), { at: 1_000 * n, memoryId: memory(n), key: `reaction:${n}` }),
    );

  test("twelve strangers within seconds are held; nine are only strangers", () => {
    const held = heldEvidence(burst((n) => person(`sock${n}`, "none")));
    expect(held.size).toBe(12);
    expect([...held.values()][0]).toMatch(/^held: 12 reactions within 10 minutes by accounts without write access$/);
    expect(heldEvidence(burst((n) => person(`sock${n}`, "none")).slice(0, 9)).size).toBe(0);
  });

  test("one maintainer who presses twelve thumbs in a row over as many findings is held on all of them", () => {
    const evidence = burst(
      () => wren,
      (n) => `mem_${n}`,
    );
    expect(heldEvidence(evidence).size).toBe(12);
    const weighed = weighPull(evidence, [{ id: "mem_3", ...MILD }]).get("mem_3");
    expect(weighed?.outcome).toBe("posted");
    expect(weighed?.evidence[0]?.effect).toMatch(/by one person/);
  });

  test("twelve people who may write are a team that agrees", () => {
    expect(heldEvidence(burst((n) => person(`dev${n}`))).size).toBe(0);
  });
});

const LEVELS = ["none", "read", "triage", "write", "maintain", "admin"] as const;
const anyone = (levels: readonly AccessLevel[]) =>
  fc.record({
    id: fc.integer({ min: 1, max: 6 }),
    login: fc.constantFrom("wren", "ines", "otto", "zoë"),
    access: fc.constantFrom(...levels),
    isBot: fc.boolean(),
  });

const pieces = (levels: readonly AccessLevel[], kinds: readonly Evidence["kind"][], prefix: string) =>
  fc.uniqueArray(
    fc.record({
      memoryId: fc.constantFrom(MEMORY, "mem_ffffffffffff"),
      key: fc.integer({ min: 0, max: 40 }).map((n) => `${prefix}${n}`),
      kind: fc.constantFrom(...kinds),
      stance: fc.constantFrom("declines", "rejects", "agrees", "asks", "other", null),
      by: fc.option(anyone(levels), { freq: 8 }),
      at: fc.integer({ min: 0, max: 4_000_000 }),
      text: fc.constantFrom(null, "", "by design", "constructor __proto__"),
      url: fc.constant(null),
      sha: fc.constantFrom(null, "a".repeat(40)),
      withdrawnAt: fc.constantFrom(null, null, null, 5_000_000),
    }),
    { maxLength: 30, selector: ({ memoryId, key }) => `${memoryId} ${key}` },
  ) as fc.Arbitrary<Evidence[]>;

const FINDINGS = [
  { id: MEMORY, ...MILD },
  { id: "mem_ffffffffffff", ...GRAVE },
];
const results = (evidence: readonly Evidence[]) =>
  [...weighPull(evidence, FINDINGS)].map(([id, { outcome: what, decided }]) => ({ id, what, decided }));

describe("laws", () => {
  test("the order in which evidence is given does not matter, and the same evidence again changes nothing", () => {
    fc.assert(
      fc.property(
        pieces(LEVELS, EVIDENCE_KINDS, "k").chain((all) =>
          fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
        ),
        ([all, shuffled]) => {
          expect(results(shuffled)).toEqual(results(all));
          expect(results([...shuffled, ...all])).toEqual(results(all));
        },
      ),
      runs(500),
    );
  });

  test("people without write access never change an outcome, by no action and no number of them", () => {
    const acts = EVIDENCE_KINDS.filter((kind) => !["lines-changed", "suggestion-applied", "lines-back"].includes(kind));
    fc.assert(
      fc.property(
        pieces(LEVELS, EVIDENCE_KINDS, "k"),
        pieces(["none", "read", "triage"], acts, "stranger"),
        (all, strangers) => {
          // A stranger is not somebody who may write under another id.
          const others = strangers.map((one) => ({ ...one, by: one.by && { ...one.by, id: one.by.id + 100 } }));
          expect(results([...all, ...others])).toEqual(results(all));
        },
      ),
      runs(500),
    );
  });

  test("an act that was taken back is as if it had never been", () => {
    fc.assert(
      fc.property(pieces(LEVELS, EVIDENCE_KINDS, "k"), (all) => {
        const standing = all.filter(({ withdrawnAt }) => withdrawnAt === null);
        const weighed = (given: readonly Evidence[]) => given.map((one) => ({ ...one, kind: one.kind }));
        const calm = (given: readonly Evidence[]) =>
          outcomeOf(
            weighed(given).filter(({ memoryId }) => memoryId === MEMORY),
            MILD,
            new Map(),
          );
        expect(calm(all).decided).toEqual(calm(standing).decided);
      }),
    );
  });
});
