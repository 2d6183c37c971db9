import { Badge } from '../../components/ui/badge';
import type { Tone } from '../../components/ui/badge';
import { m } from '../../paraglide/messages';
import type { Charge } from './queries';

const states: Record<Charge['status'], { tone: Tone; name: () => string }> = {
  PENDING: { tone: 'info', name: m.credit_pending },
  CONFIRMED: { tone: 'good', name: m.credit_confirmed },
  RECEIVED: { tone: 'good', name: m.credit_received },
  OVERDUE: { tone: 'warn', name: m.credit_overdue },
  CANCELLED: { tone: 'neutral', name: m.credit_cancelled },
  REFUNDED: { tone: 'bad', name: m.credit_refunded },
};

const methods: Record<Charge['paymentMethod'], () => string> = {
  UNDEFINED: m.credit_method_any,
  CREDIT_CARD: m.credit_method_card,
  DEBIT_CARD: m.credit_method_debit,
  BOLETO: m.credit_method_boleto,
  PIX: m.credit_method_pix,
};

export const methodName = (method: Charge['paymentMethod']): string => methods[method]();

export const isOpen = ({ status }: Charge): boolean => status === 'PENDING' || status === 'OVERDUE';

export const isPaid = ({ status }: Charge): boolean => status === 'CONFIRMED' || status === 'RECEIVED';

export function ChargeState({ status }: Pick<Charge, 'status'>) {
  const { tone, name } = states[status];
  return <Badge tone={tone}>{name()}</Badge>;
}
