// Suggestions as people see them: committing every one that is offered undoes none of them.
import { afterAll, expect, test } from "vitest";
import { says } from "../fakes/anthropic/replies.ts";
import type { ModelCall } from "../fakes/anthropic/server.ts";
import { openModelHarness } from "./model-harness.ts";

const TITLE = "Rates of yesterday are used for today";

/** False: it finds nothing. */
let isWilling = true;

/** Speaks about the line with the request, and offers another one for it. */
function reply(call: ModelCall) {
  const ids = [...call.prompt.matchAll(/^\[(fnd_\w+)\]/gm)].map(([, id]) => id);
  if (call.system.startsWith("You check drafted"))
    return says({
      findings: ids.map((id) => ({ id, verdict: "holds", severity: "major", confidence: 0.9, reason: "It is so." })),
    });
  const [, anchor = "", quote = ""] = /(\d+#[0-9a-f]{4}):\+(.*requests\.get.*)/.exec(call.prompt) ?? [];
  const place = { path: "app/rates.py", anchor, endAnchor: null, quote };
  const words = { severity: "major", category: "correctness", title: TITLE, body: "`URL` names no day. Name it." };
  const suggestion = "    reply = requests.get(URL + today())";
  return says({
    findings: isWilling ? [{ ...place, ...words, true: 0.9, wanted: 1, suggestion, precedents: [] }] : [],
    ruleFindings: [],
    walkthrough: "Reads rates.",
  });
}

const open = await openModelHarness({}, reply);
afterAll(() => open.close());

test("of two rules and a model with suggestions for one line one is offered, and each has its comment", async () => {
  const files = (line: string) => ({
    "app/rates.py": `import requests\n\n\ndef rates():\n    ${line}\n    return reply\n`,
  });
  const { inline } = await open.review("feat: rates", files("reply = requests.get(URL, verify=False)"));
  const offered = inline.filter(({ body }) => body.includes("```suggestion"));
  expect(inline.map(({ line }) => line)).toEqual([5, 5, 5]);
  expect(offered).toHaveLength(1);
  // The most severe, and of these the surest, comes first.
  expect(offered[0]?.body).toContain(TITLE);
  for (const said of ["Certificate check is switched off", "Request has no timeout"])
    expect(inline.some(({ body }) => body.includes(said))).toBe(true);

  const alone = await open.review("feat: rates again", files("reply = requests.get(URL, timeout=9)"));
  expect(alone.inline).toMatchObject([{ body: expect.stringContaining("+ today()") }]);
});

test("where a comment of an earlier push is, a later finding offers no second suggestion", async () => {
  const { world } = open.harness;
  const repository = await world.repository("acme", "later", { files: { "README.md": "# Rates\n" } });
  const files = (line: string) => ({
    "app/rates.py": `import requests\n\n\ndef rates():\n    ${line}\n    return reply\n`,
  });
  isWilling = false;
  const pull = await world.pullRequest(repository, {
    title: "feat: rates",
    files: files("reply = requests.get(URL, verify=False, timeout=9)"),
  });
  await open.harness.settled(pull);
  const before = world.comments(pull).inline;
  expect(before.map(({ body }) => body.includes("```suggestion"))).toEqual([true]);
  isWilling = true;
  await world.push(pull, {
    "app/rates.py": `${files("reply = requests.get(URL, verify=False, timeout=9)")["app/rates.py"]}\n\nprint(rates())\n`,
  });
  await open.harness.settled(pull);
  const { inline } = world.comments(pull);
  expect(inline.filter(({ body }) => body.includes(TITLE)).map(({ body }) => body.includes("```suggestion"))).toEqual([
    false,
  ]);
});
