// Runs in the browser; bundled by esbuild. The test calls the functions of globalThis.phone.
import JsSIP from 'jssip';

const log = [];
let agent;
let session;
let connection;

function follow(newSession) {
  session = newSession;
  for (const name of ['progress', 'accepted', 'confirmed', 'ended', 'failed']) {
    session.on(name, (event) => log.push({ type: name, cause: event?.cause, code: event?.message?.status_code }));
  }
  session.on('confirmed', () => {
    connection = session.connection;
    // Without a listener incoming audio is not decoded.
    const audio = globalThis.document.createElement('audio');
    audio.autoplay = true;
    audio.srcObject = new globalThis.MediaStream(connection.getReceivers().map(({ track }) => track));
    globalThis.document.body.append(audio);
  });
}

globalThis.phone = {
  log,

  start({ url, otherUrls = [], domain, ramal, senha, answers }) {
    agent = new JsSIP.UA({
      sockets: [url, ...otherUrls].map((each, nth) => ({
        socket: new JsSIP.WebSocketInterface(each),
        weight: 9 - nth,
      })),
      // Seconds, whole ones.
      connection_recovery_min_interval: 1,
      connection_recovery_max_interval: 1,
      uri: `sip:${ramal}@${domain}`,
      password: senha,
      register_expires: 300,
    });
    for (const name of ['connected', 'disconnected', 'registered', 'unregistered', 'registrationFailed']) {
      agent.on(name, (event) => log.push({ type: name, cause: event?.cause, code: event?.response?.status_code }));
    }
    agent.on('newRTCSession', ({ session: newSession, originator }) => {
      follow(newSession);
      log.push({ type: 'session', originator });
      if (originator === 'remote' && answers === 'auto') globalThis.phone.answer();
    });
    agent.start();
  },

  forget() {
    log.length = 0;
    connection = undefined;
  },

  dial(number) {
    agent.call(`sip:${number}@${agent.configuration.uri.host}`, { mediaConstraints: { audio: true, video: false } });
  },

  answer() {
    session.answer({ mediaConstraints: { audio: true, video: false } });
  },

  hangup() {
    session.terminate();
  },

  async rtp() {
    const count = { sent: 0, received: 0, energy: 0, codec: undefined };
    const reports = connection ? [...(await connection.getStats()).values()] : [];
    for (const report of reports) {
      if (report.type === 'transport') {
        const pair = reports.find(({ id }) => id === report.selectedCandidatePairId);
        const far = reports.find(({ id }) => id === pair?.remoteCandidateId);
        count.transport = `${far?.address}: ICE ${report.iceState}, DTLS ${report.dtlsState}`;
      }
      if (report.type === 'outbound-rtp') count.sent = report.packetsSent;
      if (report.type === 'inbound-rtp') {
        count.received = report.packetsReceived;
        count.energy = report.totalAudioEnergy ?? 0;
        count.codec = reports.find(({ id }) => id === report.codecId)?.mimeType;
      }
    }
    return count;
  },

  stop() {
    agent?.stop();
  },
};
