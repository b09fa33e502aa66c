// The retrieval benchmark as a picture: half of the questions take so long, one bar each way, on a logarithmic scale. Time on the
// wall, since what a database's server spends is not seen from here.
import type { RetrievalFigures } from "./retrieval.ts";

const [BARS, BAR, GAP, TOP] = [470, 18, 6, 44];
/** Of a letter of a label, in a font as wide as they come. */
const LETTER = 7;
const OURS = "#0b7a5c";
const OTHERS = "#8a94a3";

/** An SVG that stands for itself: no script, no font, no link. */
export function retrievalChart({ rows, timings }: Pick<RetrievalFigures, "rows" | "timings">): string {
  const bars = Object.entries(timings)
    .map(([name, { p50 }]) => ({
      ...labelOf(name),
      ms: Math.max(0.01, p50),
    }))
    .sort((one, other) => one.ms - other.ms);
  const least = Math.log10(Math.min(...bars.map(({ ms }) => ms))) - 0.3;
  const most = Math.log10(Math.max(...bars.map(({ ms }) => ms)));
  const left = Math.max(...bars.map(({ label }) => label.length)) * LETTER + 20;
  const width = left + BARS;
  const length = (ms: number) => ((Math.log10(ms) - least) / (most - least)) * (BARS - 80);
  const height = TOP + bars.length * (BAR + GAP) + 10;
  const drawn = bars.map(({ label, ms, isOurs }, at) => {
    const y = TOP + at * (BAR + GAP);
    const [end, colour] = [length(ms), isOurs ? OURS : OTHERS];
    return [
      text(left - 8, y + 13, "end", label),
      `<rect x="${left}" y="${y}" width="${end.toFixed(1)}" height="${BAR}" fill="${colour}"/>`,
      text(left + end + 6, y + 13, "start", ms < 10 ? ms.toFixed(1) : ms.toFixed(0)),
    ].join("\n");
  });
  const title = `${rows.toLocaleString("en")} memories: median of a question, ms (logarithmic)`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${title}</title><rect width="100%" height="100%" fill="#ffffff"/>`,
    `<text x="12" y="24" font-family="sans-serif" font-size="15" fill="#1c2430">${title}</text>`,
    ...drawn,
    "</svg>\n",
  ].join("\n");
}

/** Of ours the names begin with nothing, of the others with the way and a colon. */
function labelOf(name: string): { readonly label: string; readonly isOurs: boolean } {
  const isOurs = !name.includes(": n") && !name.includes(": m");
  return { label: isOurs ? `Kodiai, ${name}` : name, isOurs };
}

function text(x: number, y: number, anchor: "start" | "end", of: string): string {
  const safe = of.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<text x="${x.toFixed(1)}" y="${y}" text-anchor="${anchor}" font-family="sans-serif" font-size="12" fill="#1c2430">${safe}</text>`;
}
