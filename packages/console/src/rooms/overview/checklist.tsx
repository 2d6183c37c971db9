import { Check, Circle } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { cn } from '../../components/class-names';
import { Button, buttonStyle } from '../../components/ui/button';
import { Card, CardHead } from '../../components/ui/card';
import { m } from '../../paraglide/messages';
import { useFirstDay } from './first-day';

const HIDDEN_KEY = 'sabia.first-day.hidden';

/** What a new account does on its first day; gone once everything is done, or the user hides it. */
export function Checklist() {
  const [hidden, setHidden] = useState(() => localStorage.getItem(HIDDEN_KEY) === '1');
  const steps = useFirstDay({ enabled: !hidden });
  const done = steps.filter((step) => step.done).length;
  if (hidden || steps.some((step) => step.done === undefined) || done === steps.length) return null;
  const hide = () => {
    localStorage.setItem(HIDDEN_KEY, '1');
    setHidden(true);
  };
  return (
    <Card aria-labelledby="first-day">
      <CardHead
        id="first-day"
        title={m.overview_first_day()}
        description={m.overview_first_day_done({ done, all: steps.length })}
        actions={
          <Button look="quiet" size="small" onClick={hide}>
            {m.overview_first_day_hide()}
          </Button>
        }
      />
      <ol className="grid gap-2 md:grid-cols-2">
        {steps.map((step) => (
          <li key={step.name} className="flex items-start gap-3 rounded-lg bg-sunken p-3">
            {step.done ? (
              <Check className="mt-0.5 size-5 shrink-0 text-good" aria-label={m.overview_step_done()} />
            ) : (
              <Circle className="mt-0.5 size-5 shrink-0 text-soft" aria-label={m.overview_step_open()} />
            )}
            <div className="min-w-0 flex-1 gap-3 sm:flex sm:items-start">
              <div className="min-w-0 flex-1">
                <p className="font-medium">{step.title}</p>
                <p className="text-sm text-soft">{step.text}</p>
              </div>
              {!step.done && (
                <Link to={step.to} className={cn(buttonStyle({ size: 'small' }), 'mt-2 sm:mt-0')}>
                  {step.action}
                </Link>
              )}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}
