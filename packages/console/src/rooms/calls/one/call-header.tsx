import { ArrowLeft, Terminal } from 'lucide-react';
import { Link } from 'react-router';
import { copyText } from '../../../components/copy-text';
import { Button } from '../../../components/ui/button';
import { Menu, MenuItem } from '../../../components/ui/menu';
import { toast } from '../../../components/ui/toast';
import { formatDateTime, formatDuration, zoneName } from '../../../i18n/format';
import { m } from '../../../paraglide/messages';
import type { Call } from '../call-queries';
import { isLive } from '../call-words';
import { HangUpButton } from '../hang-up-button';
import { StateBadge } from '../state-badge';
import { TickingDuration } from '../ticking-duration';
import { curlToPlace, curlToRead } from './call-curl';

export function CallSummary({ call }: { call: Call }) {
  const { started_at, answered_at, duration } = call;
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <StateBadge call={call} />
        {isLive(call) ? (
          <span className="font-medium text-ink">
            <TickingDuration since={answered_at ?? started_at ?? ''} />
          </span>
        ) : (
          answered_at !== null && <span>{m.calls_header_lasted({ duration: formatDuration(duration) })}</span>
        )}
        <span>
          {m.calls_header_started({ when: formatDateTime(started_at ?? '') })} · {zoneName()}
        </span>
      </div>
      <Link
        to="/calls"
        className="inline-flex items-center gap-1.5 text-sm text-accent underline-offset-4 hover:underline"
      >
        <ArrowLeft className="size-3.5" aria-hidden />
        {m.calls_back()}
      </Link>
    </div>
  );
}

export function CallActions({ call }: { call: Call }) {
  const copy = (command: string) =>
    void copyText(command).then((copied) =>
      copied ? toast(m.calls_curl_copied()) : toast(m.shell_copy_failed(), 'bad'),
    );
  return (
    <>
      <Menu
        trigger={
          <Button size="small">
            <Terminal aria-hidden />
            {m.calls_curl()}
          </Button>
        }
      >
        <MenuItem onClick={() => copy(curlToRead(location.origin, call))}>{m.calls_curl_get()}</MenuItem>
        <MenuItem onClick={() => copy(curlToPlace(location.origin, call))}>{m.calls_curl_place()}</MenuItem>
      </Menu>
      {isLive(call) && <HangUpButton call={call} />}
    </>
  );
}
