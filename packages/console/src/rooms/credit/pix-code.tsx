import { useQuery } from '@tanstack/react-query';
import { CopyButton } from '../../components/ui/copy-button';
import { m } from '../../paraglide/messages';

/** The PIX code to scan or to copy into a bank's application. */
export function PixCode({ code }: { code: string }) {
  const { data: image } = useQuery({
    queryKey: ['credit', 'qr', code],
    queryFn: async () => (await import('qrcode')).toDataURL(code, { margin: 2, width: 260 }),
    staleTime: Infinity,
  });
  return (
    <div className="mb-5 grid justify-items-start gap-3">
      {image !== undefined && (
        <img src={image} alt={m.credit_pix_qr()} width={220} height={220} className="rounded-lg border bg-white" />
      )}
      <p className="max-w-full rounded-lg bg-sunken p-3 font-mono text-xs break-all">{code}</p>
      <CopyButton text={code} label={m.credit_pix_copy()} />
    </div>
  );
}
