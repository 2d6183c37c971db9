import { toCents } from '../domain/money';
import type { Money } from '../domain/money';

export interface BrCodeFields {
  /** The PIX key of the recipient. */
  key: string;
  merchantName: string;
  merchantCity: string;
  amount: Money;
  /** Names the payment in the payee's statement: letters and digits, at most 25. */
  transactionId: string;
}

/** The text behind a PIX QR code: EMV fields (id, length, value) with a checksum at the end, after the manual of the BR Code. */
export function brCode({ key, merchantName, merchantCity, amount, transactionId }: BrCodeFields): string {
  const unsigned = [
    field('00', '01'),
    field('26', field('00', 'br.gov.bcb.pix') + field('01', key)),
    field('52', '0000'),
    field('53', '986'),
    field('54', toCents(amount)),
    field('58', 'BR'),
    field('59', plain(merchantName, 25)),
    field('60', plain(merchantCity, 15)),
    field('62', field('05', transactionId)),
    '6304',
  ].join('');
  return unsigned + crc16(unsigned);
}

function field(id: string, value: string): string {
  if (value.length === 0 || value.length > 99) {
    throw new RangeError(`field ${id} of a BR Code is too long or empty`);
  }
  return id + String(value.length).padStart(2, '0') + value;
}

/** ASCII only, because banks count other characters differently. */
function plain(text: string, longest: number): string {
  return text
    .normalize('NFD')
    .replace(/[^\x20-\x7e]/g, '')
    .slice(0, longest)
    .trim();
}

/** CRC-16/CCITT-FALSE, in capitals. */
export function crc16(text: string): string {
  let crc = 0xffff;
  for (const byte of Buffer.from(text, 'utf8')) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) {
      crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
    }
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
