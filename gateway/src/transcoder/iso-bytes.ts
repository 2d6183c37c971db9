const DAY_MS = 86_400_000;
const LARGEST_CACHE = 4_000;
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const COLON = 0x3a;
const ZERO = 0x30;

/** "2025-01-02T" by day. */
const dates = new Map<number, Buffer>();
let lastDay = -1;
let lastDate: Buffer = Buffer.alloc(0);

/** The same as toISOString, as bytes, at a tenth of its price: a page of calls has 150 times in it, and few different days. Answers where it ends. */
export function formatIso(bytes: Buffer, position: number, ms: number): number {
  if (!(ms >= 0 && ms <= LAST_MS)) {
    return position + bytes.write(new Date(ms).toISOString(), position, 'latin1');
  }
  const day = Math.floor(ms / DAY_MS);
  if (day !== lastDay) {
    lastDate = dateOf(day);
    lastDay = day;
  }
  for (let index = 0; index < 11; index += 1) {
    bytes[position++] = lastDate[index]!;
  }
  const rest = ms - day * DAY_MS;
  const seconds = (rest / 1000) | 0;
  const minutes = (seconds / 60) | 0;
  const hours = (minutes / 60) | 0;
  const thousandths = rest - seconds * 1000;
  position = two(bytes, position, hours);
  bytes[position++] = COLON;
  position = two(bytes, position, minutes - hours * 60);
  bytes[position++] = COLON;
  position = two(bytes, position, seconds - minutes * 60);
  bytes[position++] = 0x2e;
  const hundreds = (thousandths / 100) | 0;
  bytes[position++] = ZERO + hundreds;
  position = two(bytes, position, thousandths - hundreds * 100);
  bytes[position++] = 0x5a;
  return position;
}

function two(bytes: Buffer, position: number, value: number): number {
  const tens = (value / 10) | 0;
  bytes[position] = ZERO + tens;
  bytes[position + 1] = ZERO + value - tens * 10;
  return position + 2;
}

function dateOf(day: number): Buffer {
  let text = dates.get(day);
  if (text === undefined) {
    if (dates.size >= LARGEST_CACHE) {
      dates.clear();
    }
    text = Buffer.from(new Date(day * DAY_MS).toISOString().slice(0, 11));
    dates.set(day, text);
  }
  return text;
}
