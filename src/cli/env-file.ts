// A .env file with some of its variables set anew; everything else in it stays as it was written.

/** A value that no form of quotes can hold. */
export class NotQuotable extends Error {
  override readonly name = "NotQuotable";
}

/**
 * @param text the file as it is; "" for none
 * @param set name → value; a commented or former line of that name is replaced where it stands, others are added at the end
 * @throws NotQuotable for a value with line breaks or with all three kinds of quotes
 */
export function withVariables(text: string, set: ReadonlyMap<string, string>): string {
  const left = new Map(set);
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const kept = lines.flatMap((line) => {
    const name = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/.exec(line)?.[1];
    if (name === undefined || !set.has(name)) return [line];
    const value = left.get(name);
    left.delete(name);
    // Of two lines of one name the last would win: the second goes.
    return value === undefined ? [] : [assignment(name, value)];
  });
  const added = [...left].map(([name, value]) => assignment(name, value));
  return `${[...kept, ...added].join("\n")}\n`;
}

function assignment(name: string, value: string): string {
  if (/^[\w./:@%+,=-]*$/.test(value)) return `${name}=${value}`;
  const quote = ['"', "'", "`"].find((one) => !value.includes(one));
  const isPlain = !/[\n\r]/.test(value) && !(quote === '"' && value.includes("\\"));
  if (quote === undefined || !isPlain) {
    if (!/[\n\r']/.test(value)) return `${name}='${value}'`;
    throw new NotQuotable(`${name} cannot be written into a .env file`);
  }
  return `${name}=${quote}${value}${quote}`;
}
