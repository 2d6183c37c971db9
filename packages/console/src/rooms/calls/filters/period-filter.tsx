import { CalendarDays } from 'lucide-react';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { formValues } from '../../../components/form-values';
import { Button } from '../../../components/ui/button';
import { TextField } from '../../../components/ui/field';
import { dayIn, daysAfter } from '../../../i18n/days';
import { timeZone } from '../../../i18n/format';
import { m } from '../../../paraglide/messages';
import { serverNow } from '../../../api/server-clock';
import type { CallFilters } from './call-filters';
import { periodText } from './filter-words';
import { Popover } from './popover';
import type { FilterChanges } from './use-call-filters';

type Period = Pick<CallFilters, 'startDate' | 'endDate'>;

/** Days of the account's zone, as the API reads them. */
function usualPeriods(): { name: string; period: Period }[] {
  const today = dayIn(timeZone(), serverNow());
  const yesterday = daysAfter(today, -1);
  return [
    { name: m.calls_period_all(), period: {} },
    { name: m.calls_period_today(), period: { startDate: today, endDate: today } },
    { name: m.calls_period_yesterday(), period: { startDate: yesterday, endDate: yesterday } },
    { name: m.calls_period_week(), period: { startDate: daysAfter(today, -6), endDate: today } },
    { name: m.calls_period_month(), period: { startDate: daysAfter(today, -29), endDate: today } },
  ];
}

export function PeriodFilter({ filters, change }: Pick<FilterChanges, 'filters' | 'change'>) {
  const [open, setOpen] = useState(false);
  const choose = ({ startDate, endDate }: Period) => {
    change({ startDate, endDate });
    setOpen(false);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const { start = '', end = '' } = formValues(event);
    choose({ startDate: start === '' ? undefined : start, endDate: end === '' ? undefined : end });
  };
  const { startDate, endDate } = filters;
  return (
    <Popover
      title={m.calls_period()}
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button size="small" aria-label={`${m.calls_period()}: ${periodText(filters)}`}>
          <CalendarDays aria-hidden />
          {periodText(filters)}
        </Button>
      }
    >
      <div className="mb-4 flex flex-wrap gap-2">
        {usualPeriods().map(({ name, period }) => {
          const chosen = period.startDate === startDate && period.endDate === endDate;
          return (
            <Button
              key={name}
              size="small"
              look={chosen ? 'primary' : 'plain'}
              aria-pressed={chosen}
              onClick={() => choose(period)}
            >
              {name}
            </Button>
          );
        })}
      </div>
      <form className="grid gap-3" onSubmit={submit}>
        <div className="grid grid-cols-2 gap-3">
          <TextField label={m.calls_period_start()} name="start" type="date" defaultValue={startDate?.slice(0, 10)} />
          <TextField label={m.calls_period_end()} name="end" type="date" defaultValue={endDate?.slice(0, 10)} />
        </div>
        <Button look="primary" type="submit">
          {m.calls_filter_apply()}
        </Button>
      </form>
    </Popover>
  );
}
