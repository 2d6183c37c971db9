import type { StatementEntry } from '@sabia/client';
import { useState } from 'react';
import { Link } from 'react-router';
import { cn } from '../../components/class-names';
import { Card, CardHead } from '../../components/ui/card';
import { Pagination } from '../../components/ui/pagination';
import { ErrorView, Loading } from '../../components/ui/state-views';
import { Cell, HeaderCell, Table } from '../../components/ui/table';
import { formatDateTime, formatMoney } from '../../i18n/format';
import { m } from '../../paraglide/messages';
import { movementName, movementNote } from './movement-words';
import { useStatement } from './queries';

/** Every movement of the account's credit, newest first. */
export function StatementCard() {
  const [page, setPage] = useState(1);
  const { data: statement, error, refetch } = useStatement(page);
  return (
    <Card>
      <CardHead title={m.credit_statement()} description={m.credit_statement_text()} />
      {error && <ErrorView error={error} onRetry={() => void refetch()} />}
      {statement === undefined && !error && <Loading />}
      {statement?.data.length === 0 && <p className="text-soft">{m.credit_no_movements()}</p>}
      {statement !== undefined && statement.data.length > 0 && (
        <Table>
          <thead>
            <tr>
              <HeaderCell className="hidden sm:table-cell">{m.credit_when()}</HeaderCell>
              <HeaderCell className="max-sm:pl-0">{m.credit_movement()}</HeaderCell>
              <HeaderCell className="text-right">{m.credit_amount()}</HeaderCell>
              <HeaderCell className="hidden text-right sm:table-cell">{m.credit_balance()}</HeaderCell>
            </tr>
          </thead>
          <tbody>
            {statement.data.map((entry) => (
              <Movement key={entry.id} entry={entry} />
            ))}
          </tbody>
        </Table>
      )}
      {statement && <Pagination page={page} pages={statement.meta.totalPageCount} onPage={setPage} />}
    </Card>
  );
}

function Movement({ entry }: { entry: StatementEntry }) {
  const { callId, chargeId, at, amount, balance } = entry;
  const to = callId !== null ? `/calls/${callId}` : chargeId !== null ? `/credit/charges/${chargeId}` : undefined;
  const name = movementName(entry);
  const note = movementNote(entry);
  const when = at && formatDateTime(at);
  return (
    <tr>
      <Cell className="hidden whitespace-nowrap text-soft tabular-nums sm:table-cell">{when}</Cell>
      <Cell className="break-words max-sm:pl-0">
        {to === undefined ? (
          name
        ) : (
          <Link to={to} className="text-accent hover:underline">
            {name}
          </Link>
        )}
        <p className="text-xs text-soft tabular-nums sm:hidden">{when}</p>
        {note !== undefined && <p className="text-soft">{note}</p>}
      </Cell>
      <Cell className={cn('text-right whitespace-nowrap tabular-nums', amount > 0 && 'text-good')}>
        {amount > 0 ? '+' : ''}
        {formatMoney(amount)}
      </Cell>
      <Cell className="hidden text-right whitespace-nowrap tabular-nums sm:table-cell">{formatMoney(balance)}</Cell>
    </tr>
  );
}
