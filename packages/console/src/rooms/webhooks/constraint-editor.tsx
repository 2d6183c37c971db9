import { Check, Plus, X } from 'lucide-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/ui/button';
import { Card, CardHead } from '../../components/ui/card';
import { TextField } from '../../components/ui/field';
import { ErrorView } from '../../components/ui/state-views';
import { toast, toastError } from '../../components/ui/toast';
import { formatDateTime } from '../../i18n/format';
import { m } from '../../paraglide/messages';
import { formatPhoneNumber } from '../../phone/phone-number';
import { constraintOf, pairsOf } from './integration-settings';
import { withChange, saveIntegration, tryConstraint, useWebhookChange } from './queries';
import type { Integration } from './queries';
import { reasonWords } from './reason-words';

/** Edits which calls are sent, and tries it against the account's recent calls before it is saved. */
export function ConstraintEditor({ integration }: { integration: Integration }) {
  const [pairs, setPairs] = useState(() => pairsOf(integration.webhookConstraint ?? {}));
  const save = useWebhookChange(saveIntegration);
  const trial = useMutation({ mutationFn: tryConstraint });
  const constraint = constraintOf(pairs);
  const before = constraintOf(pairsOf(integration.webhookConstraint ?? {}));
  const changed = JSON.stringify(constraint) !== JSON.stringify(before);
  const change = (index: number, pair: Partial<(typeof pairs)[number]>) =>
    setPairs(pairs.map((each, place) => (place === index ? { ...each, ...pair } : each)));
  return (
    <Card>
      <CardHead title={m.webhooks_constraint()} description={m.webhooks_constraint_text()} />
      <div className="grid gap-3">
        {pairs.length === 0 && <p className="text-soft">{m.webhooks_constraint_none()}</p>}
        {pairs.map(({ key, value }, index) => (
          <div key={index} className="flex items-end gap-2">
            <div className="min-w-0 flex-1">
              <TextField
                label={m.webhooks_constraint_key()}
                value={key}
                onChange={(event) => change(index, { key: event.target.value })}
              />
            </div>
            <div className="min-w-0 flex-1">
              <TextField
                label={m.webhooks_constraint_value()}
                value={value}
                onChange={(event) => change(index, { value: event.target.value })}
              />
            </div>
            <Button
              look="quiet"
              size="icon"
              aria-label={`${m.shell_delete()}: ${key}`}
              onClick={() => setPairs(pairs.filter((_, place) => place !== index))}
            >
              <X />
            </Button>
          </div>
        ))}
        <div className="flex flex-wrap gap-2">
          <Button size="small" onClick={() => setPairs([...pairs, { key: '', value: '' }])}>
            <Plus aria-hidden />
            {m.webhooks_constraint_add()}
          </Button>
          <Button size="small" disabled={trial.isPending} onClick={() => trial.mutate(constraint)}>
            {m.webhooks_constraint_try()}
          </Button>
          <Button
            size="small"
            look="primary"
            className="ml-auto"
            disabled={save.isPending || !changed}
            onClick={() =>
              save.mutate(withChange(integration, { constraint }), {
                onSuccess: () => toast(m.shell_saved()),
                onError: toastError,
              })
            }
          >
            {m.shell_save()}
          </Button>
        </div>
      </div>
      {trial.error && <ErrorView error={trial.error} />}
      {trial.data && <Trial result={trial.data} />}
    </Card>
  );
}

function Trial({ result }: { result: Awaited<ReturnType<typeof tryConstraint>> }) {
  return (
    <div className="mt-5" role="status">
      <p className="font-medium">{m.webhooks_trial({ matched: result.matched, tried: result.tried })}</p>
      <ul className="mt-2 grid gap-1.5 text-sm">
        {result.calls.map((call) => (
          <li key={call.id} className="flex flex-wrap items-start gap-x-3 gap-y-0.5 rounded-lg bg-sunken px-3 py-2">
            {call.matches ? (
              <Check className="size-4 shrink-0 translate-y-0.5 text-good" aria-label={m.webhooks_matches()} />
            ) : (
              <X className="size-4 shrink-0 translate-y-0.5 text-bad" aria-label={m.webhooks_matches_not()} />
            )}
            <span>
              {formatPhoneNumber(call.from)} → {formatPhoneNumber(call.to)}
            </span>
            <span className="text-soft">{call.started_at && formatDateTime(call.started_at)}</span>
            <code className="basis-full font-mono text-xs break-all text-soft">{JSON.stringify(call.metadata)}</code>
            {call.reason && <span className="basis-full text-soft">{reasonWords(call.why, call.reason)}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
