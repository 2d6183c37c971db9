import { useState } from 'react';
import { Link } from 'react-router';
import { Card, CardHead } from '../../components/ui/card';
import { Pagination } from '../../components/ui/pagination';
import { ErrorView, Loading } from '../../components/ui/state-views';
import { Cell, HeaderCell, Table } from '../../components/ui/table';
import { formatDateTime, formatMoney } from '../../i18n/format';
import { m } from '../../paraglide/messages';
import { ChargeState, methodName } from './charge-state';
import { useCharges } from './queries';

export function ChargesCard() {
  const [page, setPage] = useState(1);
  const { data: charges, error, refetch } = useCharges(page);
  return (
    <Card>
      <CardHead title={m.credit_charges()} />
      {error && <ErrorView error={error} onRetry={() => void refetch()} />}
      {charges === undefined && !error && <Loading />}
      {charges?.data.length === 0 && <p className="text-soft">{m.credit_no_charges()}</p>}
      {charges !== undefined && charges.data.length > 0 && (
        <Table>
          <thead>
            <tr>
              <HeaderCell>{m.credit_charge()}</HeaderCell>
              <HeaderCell className="text-right">{m.credit_amount()}</HeaderCell>
              <HeaderCell>{m.credit_state()}</HeaderCell>
              <HeaderCell className="hidden sm:table-cell">{m.credit_created()}</HeaderCell>
            </tr>
          </thead>
          <tbody>
            {charges.data.map((charge) => (
              <tr key={charge.id}>
                <Cell>
                  <Link to={`/credit/charges/${charge.id}`} className="font-medium text-accent hover:underline">
                    {methodName(charge.paymentMethod)} #{charge.id}
                  </Link>
                </Cell>
                <Cell className="text-right whitespace-nowrap tabular-nums">{formatMoney(charge.amount)}</Cell>
                <Cell>
                  <ChargeState status={charge.status} />
                </Cell>
                <Cell className="hidden text-soft tabular-nums sm:table-cell">
                  {charge.createdAt && formatDateTime(charge.createdAt)}
                </Cell>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {charges && <Pagination page={page} pages={charges.meta.totalPageCount} onPage={setPage} />}
    </Card>
  );
}
