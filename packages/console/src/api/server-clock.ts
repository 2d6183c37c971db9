/** A browser's clock may be wrong; what lasts is counted with the server's. */
let offsetMs = 0;

/** The header has whole seconds, and the response took a moment: smaller differences mean nothing. */
const NEGLIGIBLE_MS = 2_000;

export function learnServerTime({ headers }: Response): void {
  const told = Date.parse(headers.get('date') ?? '');
  const offset = told - Date.now();
  if (!Number.isNaN(told)) offsetMs = Math.abs(offset) > NEGLIGIBLE_MS ? offset : 0;
}

export function serverNow(): number {
  return Date.now() + offsetMs;
}
