import type { LiveEvent, Sabia, SabiaError, WebhookEvent } from './index';

/** Compiled, never run: `npm run typecheck` fails where a line with @ts-expect-error is right, or another one wrong. */
export async function whatCompiles(sabia: Sabia, webhook: WebhookEvent, event: LiveEvent, error: SabiaError) {
  const { id } = await sabia.calls.create({ extension: '2000', called: '5511955500101', metadata: { lead: 7 } });
  const text: string = id;
  // @ts-expect-error: a call needs a destination
  await sabia.calls.create({ extension: '2000' });
  // @ts-expect-error: ids of calls are texts
  await sabia.calls.get(7);
  for await (const call of sabia.calls.list({ startDate: '2026-03-01' })) {
    const price: number | null = call.call_price;
    // @ts-expect-error: a call has no such field
    void [price, call.cost];
  }
  const { data, meta } = await sabia.charges.list().page(2);
  void [data[0]?.amount.toFixed(2), meta.totalItemCount + 1];
  const nothing: void = await sabia.extensions.delete(7);

  if (webhook.eventType === 'call-priced') {
    void webhook.callPrice.toFixed(4);
  } else {
    // @ts-expect-error: only call-priced has a price
    void webhook.callPrice;
  }
  // @ts-expect-error: there is no such event
  void (event.type === 'call.lost');
  return [text, nothing, event.cursor, error.fields['called']?.[0]?.code];
}

it('is compiled', () => expect(whatCompiles).toBeInstanceOf(Function));
