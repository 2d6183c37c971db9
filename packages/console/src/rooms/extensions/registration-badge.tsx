import { Badge } from '../../components/ui/badge';
import { formatDateTime } from '../../i18n/format';
import { m } from '../../paraglide/messages';

interface RegistrationBadgeProps {
  registered: boolean;
  since?: string | null;
}

export function RegistrationBadge({ registered, since }: RegistrationBadgeProps) {
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Badge tone={registered ? 'good' : 'neutral'}>
        {registered ? m.extensions_online() : m.extensions_offline()}
      </Badge>
      {registered && since && (
        <span className="text-sm text-soft">{m.extensions_since({ time: formatDateTime(since) })}</span>
      )}
    </span>
  );
}
