// A server of its own on a folder that another uses as well: short waits, so that a test need not
// wait for long ones.
import { writeSync } from "node:fs";
import { pino } from "pino";
import { startApp } from "../../src/app.ts";

const { APP_ID = "", KEY = "", SECRET = "", API_URL = "", DATA_DIR = "", SILENT_MS = "" } = process.env;

const app = await startApp({
  appId: Number(APP_ID),
  privateKey: KEY,
  webhookSecret: SECRET,
  apiUrl: API_URL,
  webhookPath: "/hook",
  githubHost: "github.com",
  host: "127.0.0.1",
  port: 0,
  dataDir: DATA_DIR,
  reviewerLogin: null,
  workers: 2,
  inProcess: true,
  dryRun: false,
  embeddings: { kind: "local" },
  model: null,
  reranker: { kind: "off" },
  pace: false,
  debounce: false,
  waits: { beatMs: 200, silentMs: Number(SILENT_MS), settledMs: 300 },
  log: pino({ level: "info" }, { write: (line: string) => void writeSync(1, line) }),
});
writeSync(1, `at ${app.url}\n`);
