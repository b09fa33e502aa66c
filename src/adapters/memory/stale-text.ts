/** What is told about memories whose vectors are of other models, by name and dimension. */
export function staleText(rows: number, models: readonly string[]): string {
  const have = rows === 1 ? "1 memory has a vector" : `${rows} memories have vectors`;
  return `${have} of another model (${models.join("; ")}), which is not compared; words find them until they are embedded again`;
}
