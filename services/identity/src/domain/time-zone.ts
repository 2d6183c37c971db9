import type { Violations } from '@sabia/service-kit/validation/violations';

/** A name with a place, or UTC: Intl also takes offsets and abbreviations, which PostgreSQL reads the other way round or not at all. */
const named = /^(UTC|[A-Za-z_]+(\/[A-Za-z0-9_+-]+)+)$/i;

/** In the spelling of the IANA database. */
export function checkTimeZone(violations: Violations, value: string): string {
  const zone = named.test(value.trim()) ? canonical(value.trim()) : undefined;
  if (zone === undefined) {
    violations.add('timeZone', 'inclusion', 'must be a time zone such as America/Sao_Paulo');
  }
  return zone ?? '';
}

function canonical(zone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
