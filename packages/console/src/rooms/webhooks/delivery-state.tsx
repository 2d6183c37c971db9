import { Badge } from '../../components/ui/badge';
import type { Tone } from '../../components/ui/badge';
import { m } from '../../paraglide/messages';

export const deliveryStates = ['pending', 'retrying', 'delivered', 'dead', 'not-matched'] as const;

const states: Record<string, { tone: Tone; name: () => string }> = {
  pending: { tone: 'info', name: m.webhooks_pending },
  retrying: { tone: 'warn', name: m.webhooks_retrying },
  delivered: { tone: 'good', name: m.webhooks_delivered },
  dead: { tone: 'bad', name: m.webhooks_dead },
  'not-matched': { tone: 'neutral', name: m.webhooks_not_matched },
};

export const deliveryStateName = (status: string): string => states[status]?.name() ?? status;

export function DeliveryState({ status }: { status: string }) {
  return <Badge tone={states[status]?.tone}>{deliveryStateName(status)}</Badge>;
}
