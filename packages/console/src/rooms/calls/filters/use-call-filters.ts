import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { readAddress, writeAddress } from './call-filters';
import type { CallFilters, Condition } from './call-filters';

/** The filters of the address bar, and how to change them. */
export function useCallFilters() {
  const [search, setSearch] = useSearchParams();
  const filters = useMemo(() => readAddress(search), [search]);
  const change = (changed: Partial<CallFilters>) =>
    setSearch(writeAddress({ ...filters, ...changed }), { preventScrollReset: true });
  const { conditions } = filters;
  return {
    filters,
    change,
    add: (condition: Condition) => change({ conditions: [...conditions, condition] }),
    replace: (index: number, condition: Condition) => change({ conditions: conditions.with(index, condition) }),
    remove: (index: number) => change({ conditions: conditions.toSpliced(index, 1) }),
    clear: () => change({ startDate: undefined, endDate: undefined, where: undefined, conditions: [] }),
  };
}

export type FilterChanges = ReturnType<typeof useCallFilters>;
