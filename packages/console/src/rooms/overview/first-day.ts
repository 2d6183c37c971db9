import { useQuery } from '@tanstack/react-query';
import { sabia } from '../../api/client';
import { m } from '../../paraglide/messages';

export interface Step {
  name: 'phone' | 'call' | 'webhook' | 'credit';
  title: string;
  text: string;
  action: string;
  to: string;
  /** Undefined: not known yet. */
  done: boolean | undefined;
}

/** Deliveries are many on a busy account, so this step is looked at from time to time instead of with each of them. */
const WEBHOOK_POLL_MS = 15_000;

/** The steps of the first day, each done or not by what the account really has. */
export function useFirstDay({ enabled }: { enabled: boolean }): Step[] {
  const phone = useQuery({
    queryKey: ['extensions', 'own'],
    queryFn: () => sabia.extensions.phone(),
    enabled,
  });
  const call = useQuery({
    queryKey: ['calls', 'list', 'any'],
    queryFn: async () => {
      const { data } = await sabia.calls.list({ filter: { limit: 1 } }).page(1);
      return data.length > 0;
    },
    enabled,
  });
  const webhook = useQuery({
    queryKey: ['first-day', 'webhook'],
    queryFn: hasDelivered,
    // Once a webhook has arrived, it has.
    enabled: (query) => enabled && query.state.data !== true,
    refetchInterval: WEBHOOK_POLL_MS,
  });
  const credit = useQuery({
    queryKey: ['credit', 'balance'],
    queryFn: () => sabia.credit.balance(),
    enabled,
  });
  return [
    {
      name: 'phone',
      title: m.overview_step_phone(),
      text: m.overview_step_phone_text(),
      action: m.overview_step_phone_action(),
      to: '/extensions',
      done: phone.data && (phone.data.extension?.registered ?? false),
    },
    {
      name: 'call',
      title: m.overview_step_call(),
      text: m.overview_step_call_text(),
      action: m.overview_step_call_action(),
      to: '/calls',
      done: call.data,
    },
    {
      name: 'webhook',
      title: m.overview_step_webhook(),
      text: m.overview_step_webhook_text(),
      action: m.overview_step_webhook_action(),
      to: '/webhooks',
      done: webhook.data,
    },
    {
      name: 'credit',
      title: m.overview_step_credit(),
      text: m.overview_step_credit_text(),
      action: m.overview_step_credit_action(),
      to: '/credit',
      done: credit.data && credit.data.available > 0,
    },
  ];
}

/** Whether any webhook of the account has arrived. */
async function hasDelivered(): Promise<boolean> {
  const integrations = await sabia.webhooks.list();
  for (const { id } of integrations.filter(({ webhook }) => webhook)) {
    const filter = { where: { status: 'delivered' }, limit: 1 };
    const { data } = await sabia.webhooks.deliveries(id, { filter }).page(1);
    if (data.length > 0) return true;
  }
  return false;
}
