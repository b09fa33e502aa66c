// Where each GitHub's API is: set-up, doctor and server ask the same address. A proxy on loopback
// sees whom they would ask.
import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { apiUrlOf } from "../../src/config/environment/github-address.ts";
import { until } from "../app/app-harness.ts";
import { freePorts } from "../app/server-process.ts";
import { kodiai } from "./kodiai.ts";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const { privateKey: PEM } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs1", format: "pem" },
  publicKeyEncoding: { type: "pkcs1", format: "pem" },
});

let folder: string;
let proxy: Server;
let asked: string[];
let child: ChildProcess | undefined;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "kodiai-address-"));
  asked = [];
  proxy = createServer().on("connect", ({ url = "" }, socket) => {
    asked.push(url);
    // From here on the socket is ours: a server that is killed while it is answered resets the
    // connection.
    socket.on("error", () => {});
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  child?.kill("SIGKILL");
  child = undefined;
  await new Promise((resolve) => proxy.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

function env(host: string): Record<string, string> {
  return {
    HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    GHE_HOST: host,
    APP_ID: "4242",
    PRIVATE_KEY: PEM.replaceAll("\n", "\\n"),
    WEBHOOK_SECRET: "a-fake-webhook-secret-of-39-characters!",
    KODIAI_DATA_DIR: join(folder, "data"),
  };
}

describe.each([
  ["data residency", "octocorp.ghe.com", "api.octocorp.ghe.com:443"],
  ["GitHub Enterprise Server", "github.example.com", "github.example.com:443"],
])("with %s", (_what, host, at) => {
  test("doctor asks its API", async () => {
    const { out } = await kodiai(["doctor"], { cwd: folder, env: env(host) });
    expect(asked).toContain(at);
    expect(new Set(asked)).toEqual(new Set([at]));
    expect(out).toContain(`${apiUrlOf(host)}: `);
  });

  test("set-up asks its API", async () => {
    const key = join(folder, "key.pem");
    writeFileSync(key, PEM);
    const words = ["setup", "--yes", "--host", host, "--app-id", "4242", "--private-key-file", key];
    const { HTTPS_PROXY = "" } = env(host);
    await kodiai(words, { cwd: folder, env: { HTTPS_PROXY } });
    expect(new Set(asked)).toEqual(new Set([at]));
  });

  test("the server asks its API", async () => {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const [PORT, KODIAI_ADMIN_PORT] = await freePorts();
    const all = { PATH, NODE_COMPILE_CACHE, ...env(host), PORT, KODIAI_ADMIN_PORT };
    child = spawn(process.execPath, [MAIN], { cwd: folder, env: all });
    await until("it asks", () => asked.length > 0);
    expect(new Set(asked)).toEqual(new Set([at]));
  });
});

test("each GitHub has its address", () => {
  expect(apiUrlOf("github.com")).toBe("https://api.github.com");
  expect(apiUrlOf("octocorp.ghe.com")).toBe("https://api.octocorp.ghe.com");
  expect(apiUrlOf("github.example.com")).toBe("https://github.example.com/api/v3");
  // Looks like it, and is not.
  expect(apiUrlOf("ghe.com.example.com")).toBe("https://ghe.com.example.com/api/v3");
});
