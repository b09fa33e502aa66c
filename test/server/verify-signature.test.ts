import { createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { verifySignature } from "../../src/server/webhook-server.ts";

const SECRET = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const FORMER = { secret: "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752", until: 1_000 };

const sign = (body: Buffer | string, secret = SECRET) =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
const secrets = { secret: SECRET, former: null };

test("GitHub's own example is believed, and only with its own secret", () => {
  // docs.github.com, "Validating webhook deliveries".
  const header = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
  const body = [Buffer.from("Hello, World!")];
  const secret = "It's a Secret to Everybody";
  expect(verifySignature(header, body, { secret, former: null }, 0)).toBe(true);
  expect(verifySignature(header, body, secrets, 0)).toBe(false);
});

test("a body counts as the bytes it came in, however it was cut on the way", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 }), (parts) => {
      const chunks = parts.map((part) => Buffer.from(part));
      expect(verifySignature(sign(Buffer.concat(chunks)), chunks, secrets, 0)).toBe(true);
    }),
  );
});

test("a body of which one bit was turned is not believed, whichever it is [T14]", () => {
  const body = Buffer.from(JSON.stringify({ action: "opened", number: 7, pull_request: { title: "Ünïcode 🚀" } }));
  const header = sign(body);
  for (let bit = 0; bit < body.length * 8; bit += 1) {
    const turned = Buffer.from(body);
    turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(verifySignature(header, [turned], secrets, 0)).toBe(false);
  }
  expect(verifySignature(header, [body], secrets, 0)).toBe(true);
});

test("a former secret counts up to its end and not after, and the current one always [T14]", () => {
  const body = Buffer.from("{}");
  const both = { secret: SECRET, former: FORMER };
  expect(verifySignature(sign(body, FORMER.secret), [body], both, 999)).toBe(true);
  expect(verifySignature(sign(body, FORMER.secret), [body], both, 1_000)).toBe(false);
  expect(verifySignature(sign(body, FORMER.secret), [body], secrets, 0)).toBe(false);
  for (const now of [0, 999, 1_000, 9_999]) expect(verifySignature(sign(body), [body], both, now)).toBe(true);
});

test("what has not the form of a signature is none", () => {
  const good = sign("{}");
  const odd = [undefined, "", "sha256=", good.slice(0, -1), `${good}0`, good.toUpperCase(), ` ${good}`, `${good}\n`];
  for (const header of [...odd, good.replace("sha256", "sha1"), good.slice(7), `sha256=${"g".repeat(64)}`]) {
    expect(verifySignature(header ?? "", [Buffer.from("{}")], secrets, 0)).toBe(false);
  }
  expect(verifySignature(good, [Buffer.from("{}")], secrets, 0)).toBe(true);
});
