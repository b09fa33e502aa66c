// More cases of rules about asynchronous, by rule.
import { example } from "../../../../src/adapters/rules/structural/shapes.ts";
import type { Cases } from "../rule-cases.ts";

export const ASYNCHRONOUS: Cases = {
  "async-foreach": {
    bad: [example("src/mail.js", "users.forEach(async function (user) { await send(user); });")],
    good: [example("src/mail.ts", "users.forEach((user) => names.push(user.name));")],
  },
  "async-predicate": {
    bad: [example("src/access.js", "if (users.some(async (user) => isAdmin(user))) open();")],
    good: [example("src/access.ts", "const allowed = await stream.filter(async (user) => mayRead(user));")],
  },
  "unawaited-coroutine": {
    bad: [example("app/poll.py", "async def poll(jobs):", "    asyncio.gather(*jobs)")],
    good: [example("app/poll.py", "async def poll(jobs):", "    return asyncio.gather(*jobs)")],
  },
  "blocking-call-in-async": {
    bad: [
      example("app/poll.py", "async def load(url):", "    return requests.get(url, timeout=5).json()"),
      example("src/poll.rs", "async fn poll() {", "    std::thread::sleep(PAUSE);", "}"),
    ],
    good: [
      example("app/poll.py", "async def poll():", "    await asyncio.to_thread(lambda: time.sleep(5))"),
      example("src/poll.rs", "async fn poll() {", "    tokio::time::sleep(PAUSE).await;", "}"),
    ],
  },
};
