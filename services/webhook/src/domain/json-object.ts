export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined when the text is anything but an object. A string may hold the object once more, as some clients send it. */
export function parseObject(text: string): JsonObject | undefined {
  let value: unknown = text;
  for (let depth = 0; depth < 2 && typeof value === 'string'; depth += 1) {
    try {
      value = JSON.parse(value);
    } catch {
      return undefined;
    }
  }
  return isObject(value) ? value : undefined;
}
