import { Toast as BaseToast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import { inWords } from '../../api/errors';
import { m } from '../../paraglide/messages';
import { cn } from '../class-names';
import { Button } from './button';

const manager = BaseToast.createToastManager();

/** Says in a corner of the page what has just happened. */
export function toast(title: string, tone: 'good' | 'bad' = 'good'): void {
  manager.add({ title, type: tone, priority: tone === 'bad' ? 'high' : 'low' });
}

export function toastError(error: Error): void {
  toast(inWords(error), 'bad');
}

export function Toasts() {
  return (
    <BaseToast.Provider toastManager={manager}>
      <BaseToast.Portal>
        <BaseToast.Viewport className="fixed top-4 right-4 z-50 grid w-[min(24rem,calc(100vw-2rem))] gap-2">
          <ToastList />
        </BaseToast.Viewport>
      </BaseToast.Portal>
    </BaseToast.Provider>
  );
}

function ToastList() {
  const { toasts } = BaseToast.useToastManager();
  return toasts.map((each) => (
    <BaseToast.Root
      key={each.id}
      toast={each}
      className={cn(
        'flex items-center justify-between gap-3 rounded-lg border bg-card py-2 pr-2 pl-4 text-sm shadow-lg',
        each.type === 'bad' && 'border-bad text-bad',
      )}
    >
      <BaseToast.Title className="min-w-0 py-1">{each.title}</BaseToast.Title>
      <BaseToast.Close render={<Button look="quiet" size="icon-small" aria-label={m.shell_close()} />}>
        <X />
      </BaseToast.Close>
    </BaseToast.Root>
  ));
}
