import { cva } from 'class-variance-authority';
import type { VariantProps } from 'class-variance-authority';
import type { ComponentProps } from 'react';
import { cn } from '../class-names';

const badgeStyle = cva('inline-flex items-center gap-1 rounded-full px-2.5 py-0.5 text-xs font-medium [&_svg]:size-3', {
  variants: {
    tone: {
      neutral: 'bg-sunken text-soft',
      good: 'bg-good-wash text-good',
      bad: 'bg-bad-wash text-bad',
      warn: 'bg-warn-wash text-warn',
      info: 'bg-info-wash text-info',
      accent: 'bg-accent-wash text-accent',
    },
  },
  defaultVariants: { tone: 'neutral' },
});

export type Tone = NonNullable<VariantProps<typeof badgeStyle>['tone']>;

export function Badge({ tone, className, ...props }: ComponentProps<'span'> & { tone?: Tone }) {
  return <span className={cn(badgeStyle({ tone }), className)} {...props} />;
}
