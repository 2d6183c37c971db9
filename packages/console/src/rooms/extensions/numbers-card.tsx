import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { useSession } from '../../api/session';
import { Badge } from '../../components/ui/badge';
import { Button } from '../../components/ui/button';
import { Card, CardHead } from '../../components/ui/card';
import { ErrorView, Loading } from '../../components/ui/state-views';
import { Cell, HeaderCell, Table } from '../../components/ui/table';
import { formatDateTime } from '../../i18n/format';
import { m } from '../../paraglide/messages';
import { formatPhoneNumber } from '../../phone/phone-number';
import { useNumbers } from './number-queries';
import type { AccountNumber } from './number-queries';
import { titleWords } from './number-words';
import { ProveNumber } from './prove-number';

/** The numbers on which the account is called from outside. */
export function NumbersCard() {
  const numbers = useNumbers();
  const { user } = useSession();
  const [proving, setProving] = useState(false);
  return (
    <Card aria-labelledby="numbers">
      <CardHead
        id="numbers"
        title={m.numbers_heading()}
        description={m.numbers_lead()}
        actions={
          user.role === 'ADMIN' && (
            <Button onClick={() => setProving(true)}>
              <ShieldCheck aria-hidden />
              {m.numbers_prove()}
            </Button>
          )
        }
      />
      {numbers.error && <ErrorView error={numbers.error} onRetry={() => void numbers.refetch()} />}
      {numbers.isPending && <Loading />}
      {numbers.data?.length === 0 && <p className="text-sm text-soft">{m.numbers_empty()}</p>}
      {numbers.data !== undefined && numbers.data.length > 0 && <NumberTable numbers={numbers.data} />}
      {proving && <ProveNumber onClose={() => setProving(false)} />}
    </Card>
  );
}

function NumberTable({ numbers }: { numbers: AccountNumber[] }) {
  return (
    <Table>
      <thead>
        <tr>
          <HeaderCell>{m.numbers_number()}</HeaderCell>
          <HeaderCell>{m.numbers_title()}</HeaderCell>
          <HeaderCell className="hidden sm:table-cell">{m.numbers_since()}</HeaderCell>
          <HeaderCell>{m.numbers_extensions()}</HeaderCell>
        </tr>
      </thead>
      <tbody>
        {numbers.map((each) => (
          <tr key={each.number}>
            <Cell className="font-medium tabular-nums">{formatPhoneNumber(each.number)}</Cell>
            <Cell>
              <Badge tone={each.title === 'INHERITED' ? 'warn' : 'good'}>{titleWords(each)}</Badge>
            </Cell>
            <Cell className="hidden text-soft sm:table-cell">{each.since && formatDateTime(each.since)}</Cell>
            <Cell className="tabular-nums">{each.extensions}</Cell>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
