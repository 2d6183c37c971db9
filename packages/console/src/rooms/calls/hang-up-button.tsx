import { useMutation } from '@tanstack/react-query';
import { PhoneOff } from 'lucide-react';
import { sabia } from '../../api/client';
import { Button } from '../../components/ui/button';
import { toast, toastError } from '../../components/ui/toast';
import { m } from '../../paraglide/messages';
import type { Call } from './call-queries';
import { callerOf } from './call-words';

export function HangUpButton({ call }: { call: Call }) {
  const { id, to } = call;
  const from = callerOf(call);
  const hangUp = useMutation({
    mutationFn: () => sabia.calls.hangUp(id),
    onSuccess: () => toast(m.calls_hangup_sent()),
    onError: toastError,
  });
  return (
    <Button
      look="danger"
      size="small"
      disabled={hangUp.isPending || hangUp.isSuccess}
      onClick={() => hangUp.mutate()}
      aria-label={m.calls_hangup_of({ from, to })}
    >
      <PhoneOff aria-hidden />
      {m.calls_hangup()}
    </Button>
  );
}
