import { Card, CardHead } from '../../components/ui/card';
import { SettingsList } from '../../components/ui/settings-list';
import { m } from '../../paraglide/messages';
import { useSipServers } from './queries';
import type { Extension, SipServer } from './queries';

/** What a softphone or desk phone asks for, to copy. */
export function SipSettings({ extension }: { extension: Extension }) {
  const { data: servers = [] } = useSipServers();
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
          ...serverSettings(servers),
          { name: m.extensions_websocket(), value: websocket },
        ]}
      />
      {senha === null && <p className="mt-3 text-sm text-soft">{m.extensions_password_hidden()}</p>}
    </Card>
  );
}

/** The best server in the parts that phones ask for; any other in one line. */
function serverSettings(servers: readonly SipServer[]) {
  const [best] = servers;
  if (best === undefined) return [];
  const isSame = ({ host, port }: SipServer) => host === best.host && port === best.port;
  const transports = servers.filter(isSame).map(({ transport }) => transport.toUpperCase());
  return [
    { name: m.extensions_server(), value: best.host },
    { name: m.extensions_port(), value: String(best.port) },
    { name: m.extensions_transport(), value: transports.join(', ') },
    ...servers
      .filter((server) => !isSame(server))
      .map(({ host, port, transport }) => ({
        name: m.extensions_server_other({ transport: transport.toUpperCase() }),
        value: `${host}:${port}`,
      })),
  ];
}
