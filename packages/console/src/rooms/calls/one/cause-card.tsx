import { Lightbulb } from 'lucide-react';
import { Card, CardHead } from '../../../components/ui/card';
import { m } from '../../../paraglide/messages';
import type { Call } from '../call-queries';
import { callerOf, isLive } from '../call-words';
import { causeWords } from '../causes';

/** While the call lasts, what is happening; then why it ended, and what to do about it. */
export function CauseCard({ call }: { call: Call }) {
  const { hangup_cause, status } = call;
  const from = callerOf(call);
  if (isLive(call)) {
    const texts: Record<string, string> = {
      queued: m.calls_now_queued({ from }),
      ringing: m.calls_now_ringing(),
      answered: m.calls_now_answered(),
    };
    return (
      <Card>
        <CardHead title={m.calls_now_title()} />
        <p aria-live="polite">{texts[status]}</p>
      </Card>
    );
  }
  const { title, text, todo } = causeWords(hangup_cause ?? 'NORMAL_UNSPECIFIED');
  return (
    <Card>
      <CardHead
        title={m.calls_cause()}
        actions={<code className="rounded bg-sunken px-2 py-0.5 text-xs text-soft">{hangup_cause}</code>}
      />
      <p aria-live="polite">
        <strong className="font-semibold">{title}.</strong> {text}
      </p>
      {todo !== undefined && (
        <div className="mt-4 flex gap-3 rounded-lg bg-sunken p-3 text-sm">
          <Lightbulb className="mt-0.5 size-4 shrink-0 text-accent" aria-hidden />
          <p>
            <span className="font-medium">{m.calls_cause_what()}: </span>
            {todo}
          </p>
        </div>
      )}
    </Card>
  );
}
