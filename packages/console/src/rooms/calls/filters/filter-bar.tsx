import { Braces, ListFilter, Search } from 'lucide-react';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { cn } from '../../../components/class-names';
import { formValues } from '../../../components/form-values';
import { Button } from '../../../components/ui/button';
import { inputStyle } from '../../../components/ui/field';
import { m } from '../../../paraglide/messages';
import { isFiltered } from './call-filters';
import { ConditionForm } from './condition-form';
import { FilterChip } from './filter-chip';
import { orders } from './filter-fields';
import { chipText, orderNames } from './filter-words';
import { JsonForm } from './json-form';
import { PeriodFilter } from './period-filter';
import { Popover } from './popover';
import { searchCondition } from './quick-search';
import type { FilterChanges } from './use-call-filters';

export function FilterBar({ changes }: { changes: FilterChanges }) {
  const { filters, change, add, replace, remove, clear } = changes;
  const { conditions, where } = filters;
  return (
    <section aria-label={m.calls_filters()} className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <SearchField onSearch={add} />
        <PeriodFilter filters={filters} change={change} />
        <AddFilter changes={changes} />
        <OrderChoice changes={changes} />
      </div>
      {isFiltered(filters) && (
        <div className="flex flex-wrap items-center gap-2">
          {conditions.map((condition, index) => (
            <FilterChip
              key={`${index} ${chipText(condition)}`}
              text={chipText(condition)}
              onRemove={() => remove(index)}
            >
              {(close) => (
                <ConditionForm
                  initial={condition}
                  onSubmit={(changed) => {
                    close();
                    replace(index, changed);
                  }}
                />
              )}
            </FilterChip>
          ))}
          {where !== undefined && (
            <FilterChip text={m.calls_chip_json()} onRemove={() => change({ where: undefined })}>
              {(close) => (
                <JsonForm
                  initial={where}
                  onSubmit={(changed) => {
                    close();
                    change({ where: changed });
                  }}
                />
              )}
            </FilterChip>
          )}
          <Button look="link" size="small" onClick={clear}>
            {m.calls_filter_clear()}
          </Button>
        </div>
      )}
    </section>
  );
}

function SearchField({ onSearch }: { onSearch: FilterChanges['add'] }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const condition = searchCondition(formValues(event).text ?? '');
    if (condition !== undefined) onSearch(condition);
    event.currentTarget.reset();
  };
  return (
    <form role="search" onSubmit={submit} className="relative w-full sm:w-72">
      <Search className="pointer-events-none absolute top-2 left-2.5 size-4 text-soft" aria-hidden />
      <input
        name="text"
        type="search"
        autoComplete="off"
        enterKeyHint="search"
        aria-label={m.calls_search()}
        placeholder={m.calls_search()}
        className={cn(inputStyle, 'h-8 pl-8 text-sm')}
      />
    </form>
  );
}

function AddFilter({ changes: { filters, add, change } }: { changes: FilterChanges }) {
  const [open, setOpen] = useState(false);
  const [asJson, setAsJson] = useState(false);
  const show = (shown: boolean) => {
    setOpen(shown);
    setAsJson(false);
  };
  return (
    <Popover
      title={m.calls_filter_add()}
      open={open}
      onOpenChange={show}
      trigger={
        <Button size="small">
          <ListFilter aria-hidden />
          {m.calls_filter_add()}
        </Button>
      }
    >
      {asJson ? (
        <JsonForm
          initial={filters.where}
          onSubmit={(where) => {
            show(false);
            change({ where });
          }}
        />
      ) : (
        <>
          <ConditionForm
            onSubmit={(condition) => {
              show(false);
              add(condition);
            }}
          />
          <Button look="quiet" size="small" className="mt-2 w-full" onClick={() => setAsJson(true)}>
            <Braces aria-hidden />
            {m.calls_filter_json()}
          </Button>
        </>
      )}
    </Popover>
  );
}

function OrderChoice({ changes: { filters, change } }: { changes: FilterChanges }) {
  return (
    <select
      aria-label={m.calls_order()}
      className={cn(inputStyle, 'h-8 w-auto px-2 text-sm sm:ml-auto')}
      value={filters.order ?? orders[0]}
      onChange={({ target }) => {
        const chosen = orders.find((order) => order === target.value);
        change({ order: chosen === orders[0] ? undefined : chosen });
      }}
    >
      {orders.map((order) => (
        <option key={order} value={order}>
          {orderNames[order]()}
        </option>
      ))}
    </select>
  );
}
