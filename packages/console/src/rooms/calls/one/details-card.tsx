import { Address } from '../../../components/ui/address';
import { Card, CardHead } from '../../../components/ui/card';
import { CopyButton } from '../../../components/ui/copy-button';
import { formatDateTime } from '../../../i18n/format';
import { m } from '../../../paraglide/messages';
import { DialLink } from '../../../phone/dial-link';
import { formatPhoneNumber } from '../../../phone/phone-number';
import type { Call } from '../call-queries';
import { callerOf, directionName, personOf } from '../call-words';
import { Definition, DefinitionList } from './definition-list';

export function DetailsCard({ call }: { call: Call }) {
  const { id, email, direction, called, from, to, BINA, started_at, answered_at, ended_at } = call;
  return (
    <Card>
      <CardHead title={m.calls_details()} />
      <DefinitionList>
        <Definition name={m.calls_detail_user()}>
          {personOf(call)}
          {email !== personOf(call) && (
            <span className="block text-soft">
              <Address text={email} />
            </span>
          )}
        </Definition>
        <Definition name={m.calls_detail_from()}>
          {from === '' ? callerOf(call) : <DialLink number={from} />}
        </Definition>
        <Definition name={m.calls_detail_to()}>
          <DialLink number={to} />
        </Definition>
        <Definition name={m.calls_detail_direction()}>{directionName(direction)}</Definition>
        {called !== '' && called !== to && <Definition name={m.calls_detail_called()}>{called}</Definition>}
        {BINA !== null && BINA !== '' && (
          <Definition name={m.calls_detail_bina()}>{formatPhoneNumber(BINA)}</Definition>
        )}
        <Moment name={m.calls_detail_started()} at={started_at} />
        <Moment name={m.calls_detail_answered()} at={answered_at} />
        <Moment name={m.calls_detail_ended()} at={ended_at} />
        <Definition name={m.calls_detail_id()}>
          <span className="inline-flex items-center gap-1">
            <code className="text-xs">{id}</code>
            <span className="shrink-0">
              <CopyButton text={id} />
            </span>
          </span>
        </Definition>
      </DefinitionList>
    </Card>
  );
}

function Moment({ name, at }: { name: string; at: string | null }) {
  if (at === null) return null;
  return (
    <Definition name={name}>
      <time dateTime={at} className="tabular-nums">
        {formatDateTime(at)}
      </time>
    </Definition>
  );
}
