import { CircleCheck, ExternalLink } from 'lucide-react';
import { Link, useParams } from 'react-router';
import { Button, buttonStyle } from '../../components/ui/button';
import { Card } from '../../components/ui/card';
import { ErrorView, Loading } from '../../components/ui/state-views';
import { toastError } from '../../components/ui/toast';
import { formatDateTime, formatDay, formatMoney } from '../../i18n/format';
import { Page } from '../../layout/page';
import { m } from '../../paraglide/messages';
import { ChargeState, isOpen, isPaid, methodName } from './charge-state';
import { PixCode } from './pix-code';
import { useCancelCharge, useCharge } from './queries';
import type { Charge } from './queries';

export function Component() {
  const { id = '' } = useParams();
  const { data: charge, error, refetch } = useCharge(id);
  if (charge === undefined) return error ? <ErrorView error={error} onRetry={() => void refetch()} /> : <Loading />;
  return (
    <Page
      title={`${methodName(charge.paymentMethod)} · ${formatMoney(charge.totalAmount)}`}
      description={<ChargeState status={charge.status} />}
      actions={
        <Link to="/credit" className={buttonStyle()}>
          {m.credit_back()}
        </Link>
      }
    >
      {isPaid(charge) && <Paid charge={charge} />}
      {isOpen(charge) && <ToPay charge={charge} />}
    </Page>
  );
}

/** Shown by itself as soon as the payment arrives. */
function Paid({ charge }: { charge: Charge }) {
  return (
    <Card className="border-good bg-good-wash text-good" role="status">
      <p className="flex items-center gap-3 text-lg font-semibold">
        <CircleCheck className="size-7 shrink-0" aria-hidden />
        {m.credit_paid({ amount: formatMoney(charge.amount) })}
      </p>
      {charge.paidAt && <p className="mt-1 text-sm">{formatDateTime(charge.paidAt)}</p>}
    </Card>
  );
}

function ToPay({ charge }: { charge: Charge }) {
  const cancel = useCancelCharge();
  return (
    <Card>
      <p className="mb-4 text-soft">{charge.dueDate && m.credit_due({ date: formatDay(charge.dueDate) })}</p>
      {charge.pixCode && <PixCode code={charge.pixCode} />}
      {charge.paymentCode && charge.paymentMethod === 'BOLETO' && (
        <p className="mb-4 font-mono text-sm break-all">{charge.paymentCode}</p>
      )}
      <div className="flex flex-wrap gap-2">
        {charge.paymentLink && (
          <a href={charge.paymentLink} target="_blank" rel="noreferrer" className={buttonStyle({ look: 'primary' })}>
            <ExternalLink aria-hidden />
            {m.credit_pay_page()}
          </a>
        )}
        <Button
          look="danger"
          disabled={cancel.isPending}
          onClick={() => cancel.mutate(charge.id, { onError: toastError })}
        >
          {m.credit_cancel()}
        </Button>
      </div>
      <p className="mt-4 text-sm text-soft">{m.credit_waiting()}</p>
    </Card>
  );
}
