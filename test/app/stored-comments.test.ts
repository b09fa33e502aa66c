// What is stored of a comment that asks Kodiai for something: its words and the lines it is about,
// without secrets.
import { expect, test } from "vitest";
import { openHarness } from "./app-harness.ts";
import { BACKUP } from "./change-builders.ts";
import { answered, repliesIn } from "./conversation-helpers.ts";

/** Put together, so that no scanner takes this file for a leak. */
const token = (letters: string) => ["ghp", `b7Qk2ZpXv9Lr4TnWs8Yc1HdJ6mGfA3${letters}`].join("_");
const [IN_CODE, IN_WORDS, IN_TITLE] = [token("eUo5iK"), token("fVp6jL"), token("gWq7kM")];

test("a comment in a thread is answered, and no secret of its words, its lines or the title is in the queue", async () => {
  const harness = await openHarness();
  try {
    const { world } = harness;
    const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
    const files = { "ops/backup.py": `# ${IN_CODE}\n${BACKUP}` };
    const pull = await world.pullRequest(repository, { title: `feat: ${IN_TITLE}`, author: "mona", files });
    await harness.settled(pull);
    const root = pull.comments.find(({ path, inReplyTo }) => path === "ops/backup.py" && !inReplyTo)?.id ?? 0;
    await world.reply(pull, "mona", root, `@kodiai explain why not ${IN_WORDS}`);
    expect(await answered(harness)).toHaveLength(1);
    expect(repliesIn(world, pull, root)).toHaveLength(1);
    const [job] = harness.rows("SELECT job FROM jobs WHERE job ->> 'kind' = 'command'");
    expect(String(job?.job)).toContain("‹redacted:github-token›");
    for (const secret of [IN_CODE, IN_WORDS, IN_TITLE]) expect(String(job?.job)).not.toContain(secret.slice(4));
  } finally {
    await harness.close();
  }
});
