// Counts by day as columns of a chart: every day of the window has one.

interface DayCount {
  readonly day: number;
  readonly name: string;
  readonly count: number;
}

export const DAY_MS = 86_400_000;

/** Midnights (UTC) of the last so many days, today's last. */
export function lastDays(now: number, days: number): readonly number[] {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  return Array.from({ length: days }, (_, at) => today - (days - 1 - at) * DAY_MS);
}

/** What each name counts on each day; 0 where nothing is known. */
export function byDay(days: readonly number[], counts: readonly DayCount[], names: readonly string[]) {
  const sums = new Map<number, number>();
  for (const { day, name, count } of counts) if (names.includes(name)) sums.set(day, (sums.get(day) ?? 0) + count);
  return days.map((day) => sums.get(day) ?? 0);
}

/** Mondays (UTC) that begin the last so many weeks, this week's last. */
export function lastWeeks(now: number, weeks: number): readonly number[] {
  const monday = mondayOf(now);
  return Array.from({ length: weeks }, (_, at) => monday - (weeks - 1 - at) * 7 * DAY_MS);
}

/** What each name counts in each week; 0 where nothing is known. @param weeks Mondays */
export function byWeek(weeks: readonly number[], counts: readonly DayCount[], names: readonly string[]) {
  const inWeeks = counts.map((count) => ({ ...count, day: mondayOf(count.day) }));
  return byDay(weeks, inWeeks, names);
}

/** 1970-01-01 was a Thursday. */
function mondayOf(at: number): number {
  const day = Math.floor(at / DAY_MS);
  return (day - ((day + 3) % 7)) * DAY_MS;
}
