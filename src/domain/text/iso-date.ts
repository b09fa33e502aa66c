// Epoch milliseconds as a date, without a clock and without time zones.

const DAY_MS = 86_400_000;

/**
 * `2026-11-21` in UTC. Days since the epoch to year, month and day by the civil calendar (Howard Hinnant's
 * `civil_from_days`). "" for values that are not finite or outside the years 0–9999.
 */
export function isoDate(ms: number): string {
  const days = Math.floor(ms / DAY_MS) + 719_468;
  if (!Number.isFinite(days)) return "";
  const era = Math.floor(days / 146_097);
  const dayOfEra = days - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1;
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  if (year < 0 || year > 9999) return "";
  const two = (part: number) => String(part).padStart(2, "0");
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
}
