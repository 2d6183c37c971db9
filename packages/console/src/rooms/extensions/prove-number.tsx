import { CircleCheck } from 'lucide-react';
import type { FormEvent } from 'react';
import { fieldErrors } from '../../api/errors';
import { formValues } from '../../components/form-values';
import { Button } from '../../components/ui/button';
import { Dialog } from '../../components/ui/dialog';
import { TextField } from '../../components/ui/field';
import { ErrorView } from '../../components/ui/state-views';
import { m } from '../../paraglide/messages';
import { formatPhoneNumber } from '../../phone/phone-number';
import { endProof, useProof, useStartProof } from './number-queries';
import type { NumberProof } from './number-queries';
import { failureWords } from './number-words';

/** The number is asked for, then the code is shown until the call is over. */
export function ProveNumber({ onClose }: { onClose: () => void }) {
  const start = useStartProof();
  if (start.data !== undefined) {
    return <ProofUnderWay key={start.data.id} started={start.data} onAgain={() => start.reset()} onClose={onClose} />;
  }
  const submit = (event: FormEvent<HTMLFormElement>) => start.mutate(formValues(event).number ?? '');
  return (
    <Dialog open onOpenChange={onClose} title={m.numbers_prove()} description={m.numbers_prove_text()}>
      <form className="grid gap-4" onSubmit={submit} noValidate>
        {start.error && <ErrorView error={start.error} />}
        <TextField
          label={m.numbers_number()}
          name="number"
          type="tel"
          hint={m.numbers_number_hint()}
          error={fieldErrors(start.error).number}
        />
        <div className="flex justify-end">
          <Button look="primary" type="submit" disabled={start.isPending}>
            {m.numbers_call_now()}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ProofUnderWayProps {
  started: NumberProof;
  onAgain: () => void;
  onClose: () => void;
}

function ProofUnderWay({ started, onAgain, onClose }: ProofUnderWayProps) {
  const proof = useProof(started);
  const number = formatPhoneNumber(proof.number);
  const close = () => {
    // Nobody could look the code up any more.
    if (proof.status === 'CALLING') void endProof(proof).catch(() => undefined);
    onClose();
  };
  return (
    <Dialog open onOpenChange={close} title={number}>
      {proof.status === 'CALLING' && (
        <div className="grid justify-items-center gap-3 text-center">
          <p>{m.numbers_answer_and_key_in()}</p>
          <p className="font-mono text-5xl font-semibold tracking-widest select-all" data-testid="proof-code">
            {started.code}
          </p>
        </div>
      )}
      <div role="status" className="mt-4 text-center">
        {proof.status === 'CALLING' && (
          <p className="text-sm text-soft">
            {proof.triesLeft < started.triesLeft
              ? m.numbers_tries_left({ count: proof.triesLeft })
              : m.numbers_calling({ number })}
          </p>
        )}
        {proof.status === 'PROVEN' && (
          <p className="flex items-center justify-center gap-2 font-medium text-good">
            <CircleCheck className="size-5 shrink-0" aria-hidden />
            {m.numbers_proven({ number })}
          </p>
        )}
        {proof.status === 'FAILED' && <p className="text-bad">{failureWords(proof)}</p>}
      </div>
      {proof.status !== 'CALLING' && (
        <div className="mt-6 flex justify-end gap-2">
          {proof.status === 'FAILED' && <Button onClick={onAgain}>{m.numbers_again()}</Button>}
          <Button look="primary" onClick={close}>
            {m.shell_close()}
          </Button>
        </div>
      )}
    </Dialog>
  );
}
