// The thread that checks a store's files: it posts one result and ends.
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { checkFile, STORE_FILES } from "./store-files.ts";

const { dataDir } = workerData as { readonly dataDir: string };

const problems = STORE_FILES.flatMap(({ name, part }) => {
  try {
    checkFile(join(dataDir, name), part);
    return [];
  } catch (error) {
    return [{ name, message: error instanceof Error ? error.message : String(error) }];
  }
});
parentPort?.postMessage(problems);
