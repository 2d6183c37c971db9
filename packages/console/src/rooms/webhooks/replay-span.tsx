import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { sabia } from '../../api/client';
import { fieldErrors } from '../../api/errors';
import { formValues } from '../../components/form-values';
import { Button } from '../../components/ui/button';
import { Dialog } from '../../components/ui/dialog';
import { SelectField, TextField } from '../../components/ui/field';
import { ErrorView } from '../../components/ui/state-views';
import { m } from '../../paraglide/messages';
import { deliveryStateName } from './delivery-state';
import { replaySpan, useWebhookChange } from './queries';

const POLL_MS = 1_000;
const replayable = ['dead', 'delivered'] as const;

/** Sends the deliveries of a span of time again, and shows how far that has come. */
export function ReplaySpan({ id }: { id: number }) {
  const [open, setOpen] = useState(false);
  const replay = useWebhookChange(replaySpan);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const { from = '', to = '', status: chosen } = formValues(event);
    // Without an offset the API reads times in the account's zone, in which the page shows them.
    replay.mutate({ id, from, to, status: replayable.find((status) => status === chosen) });
  };
  const close = (next: boolean) => {
    setOpen(next);
    if (!next) replay.reset();
  };
  const errors = fieldErrors(replay.error);
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        {m.webhooks_replay_span()}
      </Button>
      <Dialog
        open={open}
        onOpenChange={close}
        title={m.webhooks_replay_span()}
        description={m.webhooks_replay_span_text()}
      >
        {replay.data ? (
          <Progress id={id} replayId={replay.data.replayId} />
        ) : (
          <form className="grid gap-4" onSubmit={submit} noValidate>
            {replay.error && <ErrorView error={replay.error} />}
            <TextField label={m.webhooks_from()} name="from" type="datetime-local" error={errors.from} />
            <TextField label={m.webhooks_to()} name="to" type="datetime-local" error={errors.to} />
            <SelectField
              label={m.webhooks_state()}
              name="status"
              choices={replayable.map((value) => ({ value, label: deliveryStateName(value) }))}
            />
            <div className="flex justify-end">
              <Button look="primary" type="submit" disabled={replay.isPending}>
                {m.webhooks_replay()}
              </Button>
            </div>
          </form>
        )}
      </Dialog>
    </>
  );
}

function Progress({ id, replayId }: { id: number; replayId: string }) {
  const { data, error } = useQuery({
    queryKey: ['webhooks', 'one', id, 'replay', replayId],
    queryFn: () => sabia.webhooks.replayState(id, replayId),
    refetchInterval: (query) => (query.state.data?.pending === 0 ? false : POLL_MS),
  });
  if (data === undefined) return error && <ErrorView error={error} />;
  const done = data.delivered + data.failed;
  return (
    <div role="status">
      <progress
        className="h-2 w-full accent-accent"
        value={done}
        max={Math.max(1, data.total)}
        aria-label={m.webhooks_replay_span()}
      />
      <p className="mt-2">{m.webhooks_replay_progress({ done, total: data.total, failed: data.failed })}</p>
    </div>
  );
}
