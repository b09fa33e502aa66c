import type { z } from "zod";

/** Why a delivery is not read: the first field of its payload that is not as GitHub documents it. */
export function malformed({ issues: [issue] }: z.ZodError): string {
  return `malformed payload: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not an object"}`;
}
