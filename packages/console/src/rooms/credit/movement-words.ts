import type { StatementEntry } from '@sabia/client';
import { m } from '../../paraglide/messages';
import { formatPhoneNumber } from '../../phone/phone-number';

type Movement = StatementEntry;

const kinds: Record<string, (movement: Movement) => string> = {
  topup: m.credit_kind_topup,
  refund: m.credit_kind_refund,
  chargeback: m.credit_kind_chargeback,
  reversal: m.credit_kind_reversal,
  grant: m.credit_kind_grant,
  call: ({ destination }) =>
    destination === null ? m.credit_call() : m.credit_call_to({ number: formatPhoneNumber(destination) }),
};

/** What a movement of the statement is; the API's own words for a kind that is new. */
export const movementName = (movement: Movement): string => kinds[movement.kind]?.(movement) ?? movement.description;

/** What the API writes where whoever granted the credit said nothing. */
const NOTHING_SAID = 'Credit granted';

/** What somebody wrote about the movement, in their own words. */
export const movementNote = ({ kind, description }: Movement): string | undefined =>
  kind === 'grant' && description !== NOTHING_SAID ? description : undefined;
