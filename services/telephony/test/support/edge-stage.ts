import type { Kamailio } from '@sabia/embedded/kamailio/start-kamailio';
import { makeCertificate } from '@sabia/testkit/certificate';
import { createTestDatabase, type TestDatabase } from '@sabia/testkit/database';
import { eventually } from '@sabia/testkit/eventually';
import { createRunHome, type RunHome } from '@sabia/testkit/run-homes';
import { startTestAsterisk, type TestAsterisk, type TestExtension } from '@sabia/testkit/softphone/test-asterisk';
import { startTestEdge } from '@sabia/testkit/softphone/test-edge';
import { openSwitchboard, type Switchboard } from './switchboard';

/** One Asterisk behind two SIP edges: that of `asterisk`, which has TLS and IPv6, and `other`. */
export class EdgeStage {
  private channels = 0;
  private ramal = 2000;

  private constructor(
    readonly run: RunHome,
    private readonly database: TestDatabase,
    readonly asterisk: TestAsterisk,
    readonly other: Kamailio,
    readonly switchboard: Switchboard,
  ) {}

  static async open(): Promise<EdgeStage> {
    const run = await createRunHome('edges');
    const database = await createTestDatabase('telephony');
    const asterisk = await startTestAsterisk(database, { tls: makeCertificate(run.path), sipHost6: '::1' });
    const { sharedPort } = asterisk.edge;
    const other = await startTestEdge(database, { home: run.path, name: 'other', sharedPort });
    const switchboard = await openSwitchboard({ ...asterisk, trunk: asterisk.testTrunk });
    return new EdgeStage(run, database, asterisk, other, switchboard);
  }

  async newExtension(): Promise<TestExtension> {
    const extension = { domain: 'acme.sabia.localhost', ramal: String((this.ramal += 1)), senha: 'segredo-1' };
    await this.asterisk.addExtension(extension);
    return extension;
  }

  /** Calls the extension; the id of the channel. */
  async call({ ramal, domain }: TestExtension): Promise<string> {
    const channelId = `edges-${(this.channels += 1)}`;
    await this.switchboard.ari.originate({ endpoint: `PJSIP/${ramal}@${domain}`, channelId, timeout: 20 });
    return channelId;
  }

  /** The channel that a phone has made by dialling last. */
  async dialled(): Promise<string> {
    return eventually(() => {
      const { events } = this.switchboard;
      const start = events.findLast((event) => event.type === 'StasisStart' && event.args[0] === 'from-extension');
      return start?.type === 'StasisStart' && start.channel.id;
    });
  }

  /** The edge that has the softphone of the extension. */
  async edgeOf({ ramal, domain }: TestExtension): Promise<string | undefined> {
    const { rows } = await this.asterisk.sql.query<{ edge: string }>(
      'SELECT edge FROM sip.contacts WHERE endpoint = $1',
      [`${ramal}@${domain}`],
    );
    return rows[0]?.edge;
  }

  async close(): Promise<void> {
    await this.switchboard.stop();
    await this.other.kill();
    await this.asterisk.stop();
    await this.database.drop();
    this.run.remove();
  }
}
