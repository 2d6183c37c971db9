import { useState } from 'react';
import { Card, CardHead } from '../../components/ui/card';
import { ToggleGroup } from '../../components/ui/toggle-group';
import { m } from '../../paraglide/messages';
import { LinphoneSetup } from './linphone-setup';
import { QrCode } from './qr-code';
import { useSipServers } from './queries';
import type { Extension, SipServer } from './queries';
import { waveAccount } from './wave-account';

const apps = [
  { value: 'linphone', label: 'Linphone' },
  { value: 'wave', label: 'Grandstream Wave' },
] as const;

/** Codes with which the app of a telephone sets itself up; for those who may see the password. */
export function PhoneSetup({ extension, senha }: { extension: Extension; senha: string }) {
  const [app, setApp] = useState<(typeof apps)[number]['value']>('linphone');
  const { data: servers = [] } = useSipServers();
  return (
    <Card>
      <CardHead title={m.extensions_setup()} description={m.extensions_setup_text()} />
      <ToggleGroup label={m.extensions_setup_app()} value={app} onChange={setApp} choices={apps} />
      {app === 'linphone' ? (
        <LinphoneSetup extensionId={extension.id} />
      ) : (
        // The code cannot name a transport; the app begins with UDP.
        <WaveSetup extension={extension} senha={senha} server={servers.find(({ transport }) => transport === 'udp')} />
      )}
    </Card>
  );
}

interface WaveSetupProps {
  extension: Extension;
  senha: string;
  server: SipServer | undefined;
}

function WaveSetup({ extension, senha, server }: WaveSetupProps) {
  const { ramal, domain, name } = extension;
  return (
    <QrCode
      text={waveAccount({ ramal, domain, name, senha, server })}
      alt={m.extensions_qr({ app: 'Grandstream Wave' })}
    >
      <p>{m.extensions_wave_text()}</p>
    </QrCode>
  );
}
