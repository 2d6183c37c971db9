import { Button as BaseButton } from '@base-ui/react/button';
import { cva } from 'class-variance-authority';
import type { VariantProps } from 'class-variance-authority';
import type { ComponentProps } from 'react';
import { cn } from '../class-names';

export const buttonStyle = cva(
  'inline-flex items-center justify-center gap-2 rounded-lg font-medium whitespace-nowrap transition-colors disabled:opacity-50 disabled:pointer-events-none [&_svg]:size-4 [&_svg]:shrink-0',
  {
    variants: {
      look: {
        primary: 'bg-accent text-on-accent hover:bg-accent-strong',
        plain: 'border bg-card text-ink hover:bg-sunken',
        quiet: 'text-ink hover:bg-sunken',
        danger: 'border border-bad text-bad hover:bg-bad-wash',
        good: 'bg-good text-paper hover:opacity-90',
        link: 'text-accent underline underline-offset-4 hover:text-accent-strong px-0! h-auto!',
      },
      size: { normal: 'h-10 px-4', small: 'h-8 px-3 text-sm', icon: 'size-10', 'icon-small': 'size-8' },
    },
    defaultVariants: { look: 'plain', size: 'normal' },
  },
);

type ButtonProps = ComponentProps<typeof BaseButton> & VariantProps<typeof buttonStyle>;

export function Button({ look, size, className, ...props }: ButtonProps) {
  return <BaseButton className={cn(buttonStyle({ look, size }), className)} {...props} />;
}
