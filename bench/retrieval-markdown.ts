// What a run of the retrieval benchmark saw, as Markdown for README.md.
import type { machineNow } from "./machine.ts";
import type { RetrievalFigures } from "./retrieval.ts";

type Run = RetrievalFigures & { readonly machine: ReturnType<typeof machineNow> & { readonly loadAfter: number } };

/** Two tables: times, and what each way took to build. */
export function retrievalMarkdown(run: Run): string {
  const { machine, rows, repositories, rowsEach, gigabytesASecond } = run;
  const where =
    repositories === 1 ? "in one repository" : `in ${repositories} repositories, ${rowsEach} in the searched one`;
  const on = `${machine.cores} cores of an ${machine.cpu}, Node ${machine.node}, load ${machine.load} before and ${machine.loadAfter} after`;
  const late = Object.entries(run.loopLate).map(
    ([name, [, p99, most]]) => `${name}: ${p99.toFixed(1)} / ${most.toFixed(1)}`,
  );
  const once = Object.entries(run.once).map(([name, value]) => [name, value.toFixed(1)]);
  return [
    `${rows} memories ${where}; ${on}; one thread reads ${gigabytesASecond.toFixed(1)} GB/s.`,
    "",
    ...timesOf(run),
    "",
    ...builtOf(run),
    "",
    ...table(["measured once", ""], once),
    "",
    `Main loop late, p99 / at most, ms: ${late.join("; ")}.`,
    "",
  ].join("\n");
}

function timesOf({ timings, mustRead, gigabytesASecond, recallAt20 }: Run): readonly string[] {
  const rows = Object.entries(timings).map(([name, { p50, p25, p75, p95, cpu, runs }]) => {
    const floor = (mustRead[name] ?? 0) / 1e6 / gigabytesASecond;
    const ratio = floor === 0 ? "" : (cpu / floor).toFixed(1);
    const recall = recallAt20[name]?.toFixed(4).replace(/^0/, "") ?? "";
    return [
      name,
      p50.toFixed(1),
      `${p25.toFixed(1)}–${p75.toFixed(1)}`,
      p95.toFixed(1),
      cpu.toFixed(1),
      ratio,
      recall,
      String(runs),
    ];
  });
  return table(["row", "p50 ms", "p25–p75", "p95 ms", "cpu ms", "× floor", "recall@20", "runs"], rows);
}

function builtOf({ built, ourFilter, once }: Run): readonly string[] {
  const ours = {
    seconds: null,
    memoryMb: once["MB that our search adds to a process"] ?? null,
    diskMb: once["MB of memory.db"] ?? null,
    filter: ourFilter,
  };
  const all = [["ours", ours] as const, ...Object.entries(built)];
  const rows = all.map(([name, { seconds, memoryMb, diskMb, filter }]) => [
    name,
    seconds?.toFixed(1) ?? "",
    memoryMb?.toFixed(0) ?? "",
    diskMb?.toFixed(0) ?? "",
    filter?.recall.toFixed(4) ?? "cannot",
    filter === null ? "" : String(filter.violations),
  ]);
  const head = ["way", "s to build", "MB in memory", "MB on disk", "recall filtered", "wrong language"];
  return table(head, rows);
}

/** Padded, so that the page can be read as it is written. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(4, ...all.map((cells) => [...(cells[column] ?? "")].length)));
  const line = (cells: readonly string[]) => {
    const padded = widths.map((width, column) => {
      const cell = cells[column] ?? "";
      const rest = " ".repeat(width - [...cell].length);
      return column === 0 ? cell + rest : rest + cell;
    });
    return `| ${padded.join(" | ")} |`;
  };
  const rule = widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [line(head), `| ${rule.join(" | ")} |`, ...rows.map(line)];
}
