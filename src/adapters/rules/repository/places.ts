// Where an import leads, as far as its path says it, and how findings name places.
import { posix } from "node:path";
import { folderOf } from "../../../domain/code/paths.ts";
import type { FileLinks } from "../../../domain/code/symbols.ts";

type Import = FileLinks["imports"][number];

const SCRIPT = /\.(?:[cm]?[jt]s|[jt]sx)$/;

/** Whether an import in one file means the other file. */
export function leadsTo(from: string, { from: module, name }: Import, to: string): boolean {
  if (SCRIPT.test(from)) return SCRIPT.test(to) && module.startsWith(".") && scriptLeadsTo(from, module, to);
  if (from.endsWith(".py") && to.endsWith(".py")) return pythonLeadsTo(from, module, name, to);
  // Go imports folders.
  const folder = folderOf(to).split("/").slice(-2).join("/");
  return from.endsWith(".go") && to.endsWith(".go") && folder !== "" && `/${module}`.endsWith(`/${folder}`);
}

function scriptLeadsTo(from: string, module: string, to: string): boolean {
  const path = joined(folderOf(from), module);
  const bare = (one: string) => one.replace(SCRIPT, "");
  return path !== null && (path === to || bare(path) === bare(to) || posix.join(path, "index") === bare(to));
}

function pythonLeadsTo(from: string, module: string, name: string, to: string): boolean {
  const target = to.replace(/(?:\/__init__)?\.py$/, "");
  const [, dots = "", rest = ""] = /^(\.*)(.*)$/.exec(module) ?? [];
  // `from . import users` names the module itself.
  const steps = [...rest.split("."), ...(rest === "" ? [name] : [])].filter((step) => step !== "");
  // A single word may be an installed package.
  if (dots === "" && steps.length === 1) return target === rest || target === joined(folderOf(from), rest);
  if (dots === "") return `/${target}`.endsWith(`/${steps.join("/")}`);
  return joined(folderOf(from), ["../".repeat(dots.length - 1), ...steps].join("/")) === target;
}

/** Null for a path that leads out of the repository. */
function joined(folder: string, path: string): string | null {
  const whole = posix.join(folder, path).replace(/\/$/, "");
  return whole === ".." || whole.startsWith("../") ? null : whole;
}

export interface Place {
  readonly path: string;
  readonly line: number;
}

/** Places that one finding names. */
const MOST = 5;

/** `a.ts:3`, `b.ts:9` and 2 more, as Markdown. */
export function places(all: readonly Place[]): string {
  const each = [...new Set(all.map(({ path, line }) => `\`${path.replace(/[`\s]/g, " ")}:${line}\``))];
  const more = each.length > MOST ? ` and ${each.length - MOST} more` : "";
  return `${each.slice(0, MOST).join(", ")}${more}`;
}
