// Draws each chart from the table beside it, so that picture and figures cannot differ. Without this script the table is shown.
const WIDE = 260;
const style = (element, name) => getComputedStyle(element)[name];

/** Columns of a chart's table: times in seconds, then one list of numbers for each series. */
function columnsOf(table) {
  const rows = [...table.tBodies[0].rows];
  const number = (text) => (text === "" ? null : Number(text));
  const numbers = (index) => rows.map((row) => number(row.cells[index].dataset.value));
  const heads = [...table.tHead.rows[0].cells].filter((cell) => cell.dataset.series !== undefined);
  return {
    times: numbers(0),
    names: heads.map((cell) => cell.textContent),
    series: heads.map((_, at) => numbers(at + 1)),
  };
}

/** Each series on top of those before it. */
function stacked(series) {
  const sums = [];
  for (const values of series) sums.push(values.map((value, at) => value + (sums.at(-1)?.[at] ?? 0)));
  return sums;
}

function shown(value, unit) {
  if (value === null || value === undefined) return "–";
  if (unit === "share") return `${Math.round(value * 100)} %`;
  if (unit === "usd") return `$${value.toFixed(value < 1 ? 3 : 2)}`;
  return `${Math.round(value * 100) / 100}`;
}

/** A day as `24 Oct`; within two days the time. */
function stamp(at, times) {
  const date = new Date(at * 1_000);
  if (times.at(-1) - times[0] < 172_800) return date.toISOString().slice(11, 16);
  return `${date.getUTCDate()} ${date.toLocaleString("en", { month: "short", timeZone: "UTC" })}`;
}

function draw(figure) {
  const plot = figure.querySelector(".plot");
  const table = figure.querySelector("table");
  const { times, names, series } = columnsOf(table);
  const { kind, unit } = figure.dataset;
  const isStack = kind === "stack";
  const colours = [...figure.querySelectorAll(".swatch")].map((swatch) => style(swatch, "backgroundColor"));
  const drawn = isStack ? stacked(series) : series;
  // The tallest is drawn first: what comes before it covers its lower part.
  const order = isStack ? names.map((_, at) => names.length - 1 - at) : names.map((_, at) => at);
  const ink = style(plot, "color");
  const line = style(plot, "borderTopColor");
  const axis = {
    stroke: ink,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1 },
    font: "12px system-ui",
  };
  const day = 86_400;
  plot.replaceChildren();
  new uPlot(
    {
      width: Math.max(WIDE, plot.clientWidth),
      height: 190,
      legend: { show: false },
      cursor: { show: false },
      tzDate: (at) => uPlot.tzDate(new Date(at * 1e3), "Etc/UTC"),
      scales: {
        x: isStack ? { range: (_, low, high) => [low - day * 0.6, high + day * 0.6] } : {},
        y: {
          range: (_, _low, high) => [0, unit === "share" ? 1.04 : Math.max(unit === "count" ? 2 : 0.01, high * 1.08)],
        },
      },
      axes: [
        {
          ...axis,
          size: 34,
          grid: { show: false },
          space: 64,
          values: (_, ticks) => ticks.map((tick) => stamp(tick, times)),
        },
        {
          ...axis,
          size: 66,
          values: (_, ticks) => ticks.map((tick) => (unit === "count" && tick % 1 ? "" : shown(tick, unit))),
        },
      ],
      series: [
        {},
        ...order.map((at) => ({
          label: names[at],
          stroke: colours[at],
          ...(isStack
            ? {
                fill: colours[at],
                width: 0,
                points: { show: false },
                paths: uPlot.paths.bars({ size: [0.7, 40], align: 0 }),
              }
            : { width: 2, spanGaps: true, points: { show: true, size: 5, fill: colours[at] } }),
        })),
      ],
    },
    [times, ...order.map((at) => drawn[at])],
    plot,
  );
}

function drawAll() {
  for (const figure of document.querySelectorAll("figure[data-kind]")) draw(figure);
}

for (const details of document.querySelectorAll("figure[data-kind] details")) details.open = false;
drawAll();
addEventListener("kodiai-theme", drawAll);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
let waiting = 0;
addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(drawAll, 150);
});
