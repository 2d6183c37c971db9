import { Toggle } from '@base-ui/react/toggle';
import { ToggleGroup as BaseToggleGroup } from '@base-ui/react/toggle-group';

interface ToggleGroupProps<Value extends string> {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  choices: readonly { value: Value; label: string }[];
}

/** A few choices side by side, of which one is always on. */
export function ToggleGroup<Value extends string>({ label, value, onChange, choices }: ToggleGroupProps<Value>) {
  return (
    <BaseToggleGroup
      aria-label={label}
      value={[value]}
      onValueChange={([chosen]) => chosen !== undefined && onChange(chosen)}
      className="inline-flex rounded-lg border bg-sunken p-0.5"
    >
      {choices.map((choice) => (
        <Toggle
          key={choice.value}
          value={choice.value}
          className="h-8 rounded-md px-3 text-sm font-medium text-soft hover:text-ink data-[pressed]:bg-card data-[pressed]:text-ink data-[pressed]:shadow-xs"
        >
          {choice.label}
        </Toggle>
      ))}
    </BaseToggleGroup>
  );
}
