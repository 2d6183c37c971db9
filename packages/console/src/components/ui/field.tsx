import { useEffect, useId } from 'react';
import type { ComponentProps, ReactNode } from 'react';
import { cn } from '../class-names';

export const inputStyle =
  'h-10 w-full rounded-lg border border-edge bg-card px-3 text-ink placeholder:text-soft focus-visible:outline-offset-0 aria-invalid:border-bad disabled:opacity-60';

interface FieldFrame {
  label: ReactNode;
  hint?: ReactNode;
  error?: string;
}

interface Labelled {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: boolean;
}

/** A label, a control, its hint and its error, tied together for screen readers. */
export function Field({ label, hint, error, children }: FieldFrame & { children: (labelled: Labelled) => ReactNode }) {
  const id = useId();
  useEffect(() => {
    if (error !== undefined) focusIfFirst(id);
  }, [error, id]);
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`]
    .filter(Boolean)
    .join(' ');
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-sm text-soft">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="text-sm text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

/** The first wrong field of a form gets the focus, so that nobody has to search for it. */
function focusIfFirst(id: string): void {
  const field = document.getElementById(id);
  if (field !== null && field === field.closest('form')?.querySelector('[aria-invalid="true"]')) field.focus();
}

export function TextField({ label, hint, error, className, ...props }: FieldFrame & ComponentProps<'input'>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(labelled) => <input className={cn(inputStyle, className)} {...labelled} {...props} />}
    </Field>
  );
}

export function TextAreaField({ label, hint, error, className, ...props }: FieldFrame & ComponentProps<'textarea'>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(labelled) => (
        <textarea className={cn(inputStyle, 'h-auto min-h-24 py-2', className)} {...labelled} {...props} />
      )}
    </Field>
  );
}

interface Choice {
  value: string;
  label: string;
}

export function SelectField({
  label,
  hint,
  error,
  choices,
  className,
  ...props
}: FieldFrame & ComponentProps<'select'> & { choices: readonly Choice[] }) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(labelled) => (
        <select className={cn(inputStyle, className)} {...labelled} {...props}>
          {choices.map(({ value, label: text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function CheckField({ label, className, ...props }: { label: ReactNode } & ComponentProps<'input'>) {
  return (
    <label className="flex items-center gap-2.5 text-sm font-medium">
      <input type="checkbox" className={cn('size-4.5 accent-accent', className)} {...props} />
      {label}
    </label>
  );
}
