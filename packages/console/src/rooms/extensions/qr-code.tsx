import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';

interface QrCodeProps {
  text: string;
  alt: string;
  /** Beside the code. */
  children: ReactNode;
}

export function QrCode({ text, alt, children }: QrCodeProps) {
  const { data: image } = useQuery({
    queryKey: ['extensions', 'qr', text],
    queryFn: async () => {
      // A screen shows it whole, so that fewer and larger squares are worth more than redundancy.
      const { toDataURL } = await import('qrcode');
      return toDataURL(text, { margin: 2, width: 400, errorCorrectionLevel: 'L' });
    },
    staleTime: Infinity,
    // It may hold a password.
    gcTime: 0,
  });
  return (
    <figure className="mt-4 flex flex-wrap items-start gap-4">
      <div className="size-50 shrink-0 overflow-hidden rounded-lg border bg-white">
        {image !== undefined && <img src={image} alt={alt} width={200} height={200} />}
      </div>
      <figcaption className="grid min-w-40 flex-1 justify-items-start gap-3 text-sm text-soft">{children}</figcaption>
    </figure>
  );
}
