// A time that is written out, as a number. Arithmetic only: a room does not know the time.

const ISO = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d\d):?(\d\d))$/;

/** Epoch milliseconds of an ISO 8601 date and time with its offset; null for anything else. */
export function epochMilliseconds(iso: string): number | null {
  const match = ISO.exec(iso);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, fraction, sign, offsetHours, offsetMinutes] = match;
  const days = daysSinceEpoch(Number(year), Number(month), Number(day));
  if (days === null) return null;
  const offset = (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0)) * (sign === "-" ? -1 : 1);
  const minutes = days * 1_440 + Number(hour) * 60 + Number(minute) - offset;
  return (minutes * 60 + Number(second ?? 0)) * 1_000 + Number((fraction ?? "").padEnd(3, "0").slice(0, 3));
}

const DAYS_BEFORE = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/** Of the Gregorian calendar; null when there is no such month or day. */
function daysSinceEpoch(year: number, month: number, day: number): number | null {
  const before = DAYS_BEFORE[month - 1];
  if (before === undefined || day < 1 || day > 31) return null;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const past = year - 1;
  const years = past * 365 + Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
  // 719,162 days lie between 0001-01-01 and 1970-01-01.
  return years - 719_162 + before + (leap && month > 2 ? 1 : 0) + day - 1;
}
