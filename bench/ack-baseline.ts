// What any receiver of webhooks needs at least: read, HMAC, answer. `probot` as the first word puts
// Probot's own middleware there instead, with a subscriber that does nothing. Neither keeps
// anything. Prints its address.
import { createHmac, generateKeyPairSync, timingSafeEqual } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

const [kind = "", secret = ""] = process.argv.slice(2);
const server = createServer(kind === "probot" ? await probot() : bare);
server.listen(0, "127.0.0.1", () => {
  console.log(
    JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/github/webhooks` }),
  );
});

function bare(...[request, response]: Parameters<RequestListener>): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    const signed = Buffer.from(String(request.headers["x-hub-signature-256"]).slice(7), "hex");
    const isOurs = timingSafeEqual(signed, createHmac("sha256", secret).update(body).digest());
    JSON.parse(body.toString("utf8"));
    response.writeHead(isOurs ? 202 : 401).end();
  });
}

async function probot(): Promise<RequestListener> {
  const { createNodeMiddleware, Probot } = await import("probot");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = String(privateKey.export({ type: "pkcs1", format: "pem" }));
  const app = new Probot({ appId: 1, privateKey: pem, secret, logLevel: "fatal" });
  const middleware = await createNodeMiddleware((on) => on.onAny(() => {}), { probot: app });
  return (request, response) => void middleware(request, response);
}
