interface Field {
  least: number;
  most: number;
  names?: string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: Field[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: MONTHS },
  { least: 0, most: 6, names: DAYS },
];
const MOST_DAYS = 366 * 5;
const MS_A_MINUTE = 60_000;

/** The five fields of POSIX as sets; `anyDay` and `anyWeekday` where the field is `*`: else one of both is enough. */
export interface Cron {
  minutes: number[];
  hours: number[];
  days: number[];
  months: number[];
  weekdays: number[];
  anyDay: boolean;
  anyWeekday: boolean;
}

/** Undefined where GitHub would refuse it: macros such as `@daily`, six fields, values out of range. */
export function parseCron(text: string): Cron | undefined {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== FIELDS.length) return undefined;
  const sets = fields.map((field, index) => valuesOf(field, FIELDS[index] as Field));
  const [minutes, hours, days, months, weekdays] = sets;
  if (!minutes || !hours || !days || !months || !weekdays) return undefined;
  return { minutes, hours, days, months, weekdays, anyDay: fields[2] === '*', anyWeekday: fields[4] === '*' };
}

/** The next `count` minutes at which one of them is due, as milliseconds of UTC, after `from`. */
export function nextFires(crons: { cron: Cron; zone?: string }[], from: number, count: number): number[] {
  const all = crons.flatMap(({ cron, zone }) => firesOf(cron, zone ?? 'UTC', from, count));
  return [...new Set(all)].sort((a, b) => a - b).slice(0, count);
}

/** Minutes between two fires of one schedule, at the least. */
export function shortestGap(cron: Cron): number {
  const fires = firesOf(cron, 'UTC', Date.UTC(2026, 0, 1), 200);
  const gaps = fires.slice(1).map((fire, index) => (fire - (fires[index] ?? 0)) / MS_A_MINUTE);
  return Math.min(Infinity, ...gaps);
}

export function isTimeZone(zone: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: zone }));
  } catch {
    return false;
  }
}

function firesOf(cron: Cron, zone: string, from: number, count: number): number[] {
  const found: number[] = [];
  const first = new Date(from);
  for (let day = 0; day < MOST_DAYS && found.length < count; day += 1) {
    const date = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), first.getUTCDate() + day));
    if (!isDue(cron, date)) continue;
    for (const hour of cron.hours) {
      for (const minute of cron.minutes) {
        const fire = inZone(date.getTime() + (hour * 60 + minute) * MS_A_MINUTE, zone);
        if (fire > from) found.push(fire);
      }
    }
  }
  return found.slice(0, count);
}

/** Where day and weekday are both restricted, either is enough. */
function isDue(cron: Cron, date: Date): boolean {
  if (!cron.months.includes(date.getUTCMonth() + 1)) return false;
  const day = cron.days.includes(date.getUTCDate());
  const weekday = cron.weekdays.includes(date.getUTCDay());
  return cron.anyDay || cron.anyWeekday ? day && weekday : day || weekday;
}

/** The moment at which clocks of the zone show `wallTime`. */
function inZone(wallTime: number, zone: string): number {
  if (zone === 'UTC') return wallTime;
  const first = wallTime - offsetOf(wallTime, zone);
  return wallTime - offsetOf(first, zone);
}

function offsetOf(moment: number, zone: string): number {
  const shown = new Date(moment).toLocaleString('sv-SE', { timeZone: zone });
  return Date.parse(`${shown.replace(' ', 'T')}Z`) - moment;
}

function valuesOf(text: string, field: Field): number[] | undefined {
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const range = rangeOf(item, field);
    if (!range) return undefined;
    for (let value = range.first; value <= range.last; value += range.every) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}

function rangeOf(item: string, field: Field): { first: number; last: number; every: number } | undefined {
  const match = /^(\*|\w{1,3})(?:-(\w{1,3}))?(?:\/(\d{1,2}))?$/.exec(item);
  if (!match) return undefined;
  const [, from = '', to, step] = match;
  const every = step === undefined ? 1 : Number(step);
  const first = from === '*' ? field.least : valueOf(from, field);
  const last =
    from === '*' ? field.most : to !== undefined ? valueOf(to, field) : step !== undefined ? field.most : first;
  const valid = first >= field.least && last <= field.most && first <= last && every >= 1;
  return valid && !(from === '*' && to !== undefined) ? { first, last, every } : undefined;
}

function valueOf(text: string, field: Field): number {
  const named = field.names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return named + field.least;
  return /^\d+$/.test(text) ? Number(text) : NaN;
}
