/** A number as people write it: Brazilian ones with area code and dash, others with a plus, extensions as they are. */
export function formatPhoneNumber(number: string): string {
  const digits = number.replace(/\D/g, '');
  const [, area, first, last] = /^55(\d{2})(\d{4,5})(\d{4})$/.exec(digits) ?? [];
  if (area !== undefined) return `+55 ${area} ${first}-${last}`;
  return digits.length > 10 && /^\+?\d+$/.test(number) ? `+${digits}` : number;
}
