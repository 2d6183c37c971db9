import { useState } from 'react';
import type { FormEvent } from 'react';
import { useNavigate } from 'react-router';
import { fieldErrors } from '../../api/errors';
import { formValues } from '../../components/form-values';
import { Button } from '../../components/ui/button';
import { Card, CardHead } from '../../components/ui/card';
import { SelectField, TextField } from '../../components/ui/field';
import { ErrorView } from '../../components/ui/state-views';
import { formatMoney } from '../../i18n/format';
import { m } from '../../paraglide/messages';
import { methodName } from './charge-state';
import { latestDueDate } from './due-date';
import { useCreateCharge } from './queries';

const suggested = [50, 100, 250, 500];
const methods = ['PIX', 'BOLETO', 'CREDIT_CARD'] as const;

/** Creates a charge and leads to the page where it is paid. */
export function TopUp() {
  const [amount, setAmount] = useState('100');
  const navigate = useNavigate();
  const create = useCreateCharge();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const { method } = formValues(event);
    const paymentMethod = methods.find((each) => each === method) ?? 'PIX';
    create.mutate(
      { amount: Number(amount.replace(',', '.')), paymentMethod, dueDate: latestDueDate(new Date()) },
      { onSuccess: ({ id }) => void navigate(`/credit/charges/${id}`) },
    );
  };
  const errors = fieldErrors(create.error);
  return (
    <Card>
      <CardHead title={m.credit_top_up()} description={m.credit_top_up_text()} />
      <form className="grid gap-4" onSubmit={submit} noValidate>
        {create.error && <ErrorView error={create.error} />}
        <div className="flex flex-wrap gap-2">
          {suggested.map((value) => (
            <Button
              key={value}
              size="small"
              aria-pressed={amount === String(value)}
              look={amount === String(value) ? 'primary' : 'plain'}
              onClick={() => setAmount(String(value))}
            >
              {formatMoney(value)}
            </Button>
          ))}
        </div>
        <TextField
          label={m.credit_amount()}
          name="amount"
          inputMode="decimal"
          value={amount}
          onChange={(event) => setAmount(event.target.value)}
          hint={m.credit_amount_hint()}
          error={errors.amount}
        />
        <SelectField
          label={m.credit_method()}
          name="method"
          choices={methods.map((value) => ({ value, label: methodName(value) }))}
          error={errors.paymentMethod}
        />
        <div>
          <Button look="primary" type="submit" disabled={create.isPending}>
            {m.credit_top_up_submit()}
          </Button>
        </div>
      </form>
    </Card>
  );
}
