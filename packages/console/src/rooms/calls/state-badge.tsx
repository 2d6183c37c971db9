import { Badge } from '../../components/ui/badge';
import type { Call } from './call-queries';
import { isLive, stateOf } from './call-words';

export function StateBadge({ call }: { call: Call }) {
  const { label, tone } = stateOf(call);
  return (
    <Badge tone={tone} className="max-w-full" title={label}>
      {isLive(call) && <span className="size-1.5 shrink-0 animate-pulse rounded-full bg-current" aria-hidden />}
      <span className="truncate">{label}</span>
    </Badge>
  );
}
