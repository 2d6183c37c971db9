import { useQuery } from '@tanstack/react-query';
import { Card, CardHead } from '../../components/ui/card';
import { SettingsList } from '../../components/ui/settings-list';
import { m } from '../../paraglide/messages';
import type { Extension } from './queries';

/** What a softphone or desk phone asks for, to copy, and as a QR code. */
export function SipSettings({ extension }: { extension: Extension }) {
  const { ramal, domain, senha } = extension;
  const websocket = `${location.origin.replace(/^http/, 'ws')}/sip`;
  return (
    <Card>
      <CardHead title={m.extensions_settings()} description={m.extensions_settings_text()} />
      <SettingsList
        settings={[
          { name: m.extensions_user(), value: ramal },
          ...(senha === null ? [] : [{ name: m.extensions_password(), value: senha, secret: true }]),
          { name: m.extensions_domain(), value: domain },
          { name: m.extensions_websocket(), value: websocket },
        ]}
      />
      {senha === null ? (
        <p className="mt-3 text-sm text-soft">{m.extensions_password_hidden()}</p>
      ) : (
        <SettingsQr ramal={ramal} domain={domain} senha={senha} />
      )}
    </Card>
  );
}

function SettingsQr({ ramal, domain, senha }: { ramal: string; domain: string; senha: string }) {
  const { data: image } = useQuery({
    queryKey: ['extensions', 'qr', ramal, domain, senha],
    queryFn: async () => {
      const { toDataURL } = await import('qrcode');
      return toDataURL(`sip:${ramal}:${encodeURIComponent(senha)}@${domain}`, { margin: 2, width: 220 });
    },
    staleTime: Infinity,
  });
  return (
    <figure className="mt-5 flex flex-wrap items-center gap-4">
      {image !== undefined && (
        <img src={image} alt={m.extensions_qr()} width={160} height={160} className="rounded-lg border" />
      )}
      <figcaption className="min-w-40 flex-1 text-sm text-soft">{m.extensions_qr_text()}</figcaption>
    </figure>
  );
}
