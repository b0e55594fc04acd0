// Dates as providers write them. A pattern says which digits are the day and which the month.

const ISO = 'iso';

/** Patterns that are tried when a mapping is guessed, the usual ones first. */
export const commonPatterns = [
  ISO,
  'DD.MM.YYYY',
  'DD.MM.YYYY HH:mm',
  'DD.MM.YYYY HH:mm:ss',
  'DD/MM/YYYY',
  'MM/DD/YYYY',
  'DD/MM/YYYY HH:mm',
  'MM/DD/YYYY HH:mm',
  'DD/MM/YYYY HH:mm:ss',
  'MM/DD/YYYY HH:mm:ss',
  'DD-MM-YYYY',
  'YYYY/MM/DD',
  'YYYY/MM/DD HH:mm:ss',
  'YYYYMMDD',
] as const;

/** `2026-11-14`, or an instant in UTC; undefined for a text that is no date in this pattern. */
type ReadDate = (text: string) => string | undefined;

type Part = 'YYYY' | 'MM' | 'DD' | 'HH' | 'mm' | 'ss';

const digits: Readonly<Record<Part, string>> = {
  YYYY: String.raw`(\d{4})`,
  MM: String.raw`(\d{1,2})`,
  DD: String.raw`(\d{1,2})`,
  HH: String.raw`(\d{1,2})`,
  mm: String.raw`(\d{2})`,
  ss: String.raw`(\d{2})`,
};

const isoExpression =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Undefined where a text is no pattern: it needs a year, a month and a day. */
export function datePattern(pattern: string): ReadDate | undefined {
  if (pattern.toLowerCase() === ISO) return reader(isoExpression, ['YYYY', 'MM', 'DD', 'HH', 'mm', 'ss']);
  const parts: Part[] = [];
  const source = pattern.replaceAll(/YYYY|MM|DD|HH|mm|ss|[\s\S]/g, (part) => {
    if (!(part in digits)) return part.replace(/[.*+?^${}()|[\]\\]/, String.raw`\$&`);
    parts.push(part as Part);
    const source = digits[part as Part];
    return pattern === 'YYYYMMDD' ? source.replace('{1,2}', '{2}') : source;
  });
  const isWhole = (['YYYY', 'MM', 'DD'] as const).every((part) => parts.includes(part));
  const hasTime = parts.includes('HH') === parts.includes('mm');
  if (!isWhole || !hasTime || new Set(parts).size !== parts.length) return undefined;
  return reader(new RegExp(`^${source}$`), parts);
}

const two = (value: string | undefined): string => (value ?? '00').padStart(2, '0');

function reader(expression: RegExp, parts: readonly Part[]): ReadDate {
  const at = (part: Part) => parts.indexOf(part) + 1;
  const [year, month, day, hour, minute, second] = [
    at('YYYY'),
    at('MM'),
    at('DD'),
    at('HH'),
    at('mm'),
    at('ss'),
  ];
  const isDay = createDayCheck();
  return (text) => {
    const found = expression.exec(text);
    if (found === null) return undefined;
    const date = `${found[year]}-${two(found[month])}-${two(found[day])}`;
    if (!isDay(date)) return undefined;
    if (hour === 0 || found[hour] === undefined) return date;
    const time = `${two(found[hour])}:${two(found[minute])}:${two(second === 0 ? undefined : found[second])}`;
    if (!/^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(time)) return undefined;
    const offset = found[parts.length + 1] ?? 'Z';
    return offset === 'Z' ? `${date}T${time}.000Z` : inUtc(`${date}T${time}`, offset);
  };
}

/** A time without an offset is in UTC. */
function inUtc(time: string, offset: string): string | undefined {
  const instant = new Date(`${time}${offset.slice(0, 3)}:${offset.slice(-2)}`);
  return Number.isNaN(instant.getTime()) ? undefined : instant.toISOString();
}

/** 31 February is refused instead of becoming 3 March. The lines of a file have few days. */
function createDayCheck(): (day: string) => boolean {
  let last: { day: string; isDay: boolean } | undefined;
  return (day) => {
    if (last?.day === day) return last.isDay;
    const date = new Date(`${day}T00:00:00Z`);
    const isDay = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
    last = { day, isDay };
    return isDay;
  };
}
