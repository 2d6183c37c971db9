import { useState } from 'react';
import type { FormEvent } from 'react';
import { formValues } from '../../components/form-values';
import { Button } from '../../components/ui/button';
import { Card, CardHead } from '../../components/ui/card';
import { TextField } from '../../components/ui/field';
import { ErrorView } from '../../components/ui/state-views';
import { formatMoney } from '../../i18n/format';
import { m } from '../../paraglide/messages';
import { formatPhoneNumber } from '../../phone/phone-number';
import { useQuote } from './queries';
import { rateWords } from './rate-words';

/** What a call to a destination costs. */
export function Quote() {
  const [destination, setDestination] = useState('');
  const { data, error } = useQuote(destination);
  const submit = (event: FormEvent<HTMLFormElement>) => setDestination(formValues(event).destination?.trim() ?? '');
  return (
    <Card>
      <CardHead title={m.credit_quote()} description={m.credit_quote_text()} />
      <form className="flex flex-wrap items-end gap-2" onSubmit={submit}>
        <div className="min-w-48 flex-1">
          <TextField
            label={m.credit_destination()}
            name="destination"
            type="tel"
            required
            placeholder="11 98765-4321"
          />
        </div>
        <Button type="submit">{m.credit_quote_submit()}</Button>
      </form>
      {error && (
        <div className="mt-4">
          <ErrorView error={error} />
        </div>
      )}
      {data && (
        <div className="mt-4" role="status">
          <p className="text-2xl font-semibold tabular-nums">
            {m.credit_per_minute({ price: formatMoney(data.minute_price) })}
          </p>
          <p className="text-sm">
            {m.credit_quoted({
              number: formatPhoneNumber(data.destination),
              place: rateWords(data),
              prefix: data.prefix,
            })}
          </p>
          <p className="text-sm text-soft">
            {m.credit_steps({ minimum: data.minimum_seconds, increment: data.increment_seconds })}
          </p>
        </div>
      )}
    </Card>
  );
}
