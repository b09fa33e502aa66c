/** Shortest column: the dashes under a heading need three. */
const MIN_WIDTH = 3;

/**
 * A GitHub Markdown table, padded as the formatter pads it, so that generated pages need no
 * formatting.
 *
 * @param rows cells of Markdown without line breaks, heading first; a `|` in a cell is escaped
 */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(MIN_WIDTH, ...cells.map((row) => (row[column] ?? "").length)),
  );
  const [head, ...body] = cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
  const dashes = widths.map((width) => "-".repeat(width));
  return [head ?? [], dashes, ...body].map((row) => `| ${row.join(" | ")} |\n`).join("");
}
