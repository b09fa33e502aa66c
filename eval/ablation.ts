import type { JudgedData } from "./judged-data.ts";
import type { TaskData } from "./retrieval-task.ts";
import type { SuiteResult } from "./suite.ts";
export async function ablation(_task: TaskData, _judged: JudgedData): Promise<SuiteResult> {
  throw new Error("soon");
}
