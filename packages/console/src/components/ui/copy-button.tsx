import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { m } from '../../paraglide/messages';
import { copyText } from '../copy-text';
import { Button } from './button';

interface CopyButtonProps {
  text: string;
  /** Shown beside the icon; without it the button is the icon alone. */
  label?: string;
}

export function CopyButton({ text, label }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => void copyText(text).then(setCopied);
  const name = copied ? m.shell_copied() : (label ?? m.shell_copy());
  return (
    <Button look="quiet" size={label === undefined ? 'icon-small' : 'small'} onClick={copy} aria-label={name}>
      {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
      {label !== undefined && name}
      <span role="status" className="sr-only">
        {copied ? m.shell_copied() : ''}
      </span>
    </Button>
  );
}
