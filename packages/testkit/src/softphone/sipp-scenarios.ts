/** The scenario of a sipp carrier, in XML. */
export type Scenario = string;

const REALM = 'carrier.example';

const headers = (tag: string): string =>
  `[last_Via:]
[last_From:]
[last_To:]${tag}
[last_Call-ID:]
[last_CSeq:]`;

const ANSWER_TAG = ';tag=[pid]carrier[call_number]';

const send = (start: string, { further = '', body = '', tag = ANSWER_TAG, retrans = false } = {}): string =>
  `<send${retrans ? ' retrans="500"' : ''}><![CDATA[
SIP/2.0 ${start}
${headers(tag)}
Contact: <sip:[local_ip]:[local_port];transport=[transport]>
${further}Content-Length: ${body === '' ? '0' : '[len]'}
${body === '' ? '' : `Content-Type: application/sdp\n\n${body}`}
]]></send>`;

const SDP = `v=0
o=carrier 1 1 IN IP[local_ip_type] [local_ip]
s=-
c=IN IP[media_ip_type] [media_ip]
t=0 0
m=audio [media_port] RTP/AVP 8
a=rtpmap:8 PCMA/8000
a=sendrecv
`;

const scenario = (...steps: string[]): Scenario =>
  `<?xml version="1.0" encoding="UTF-8" ?>\n<scenario name="carrier">\n${steps.join('\n')}\n</scenario>\n`;

const NONCE = '47ebe028cda119c35d4877b383027d28';
const challenge = (header: string): string => `${header}: Digest realm="${REALM}", nonce="${NONCE}", algorithm=MD5\n`;
const acknowledged = '<recv request="ACK"></recv>';

/** Continues after a request with the right answer to the challenge; otherwise ends with 403. */
const challenged = (method: string, { username, password }: Credentials): string[] => [
  `<recv request="${method}"></recv>`,
  send('401 Unauthorized', { further: challenge('WWW-Authenticate') }),
  ...(method === 'INVITE' ? [acknowledged] : []),
  `<recv request="${method}">
  <action>
    <verifyauth assign_to="known" username="${username}" password="${password}" />
  </action>
</recv>`,
  '<nop hide="true" test="known" next="known"></nop>',
  send('403 Forbidden'),
  ...(method === 'INVITE' ? [acknowledged] : []),
  '<nop hide="true" next="end"></nop>',
  '<label id="known"/>',
];

const talk = [
  send('180 Ringing'),
  send('200 OK', { body: SDP, retrans: true }),
  acknowledged,
  '<recv request="BYE"></recv>',
  send('200 OK', { tag: '' }),
];

const end = ['<label id="end"/>', '<timewait milliseconds="100"/>'];

export interface Credentials {
  username: string;
  password: string;
}

/** Refuses every call with this status line, such as "503 Service Unavailable". */
export const refuses = (statusLine: string): Scenario =>
  scenario('<recv request="INVITE"></recv>', send(statusLine), acknowledged);

/** Challenges every call; a caller who knows the password hears an echo until hanging up. */
export const answersWhoKnows = (credentials: Credentials): Scenario =>
  scenario(...challenged('INVITE', credentials), ...talk, ...end);

/** Challenges as a proxy does. sipp cannot check the answer, so every caller who answers hears an echo until hanging up. */
export const answersAfterChallenge: Scenario = scenario(
  '<recv request="INVITE"></recv>',
  send('407 Proxy Authentication Required', { further: challenge('Proxy-Authenticate') }),
  acknowledged,
  '<recv request="INVITE"></recv>',
  ...talk,
  ...end,
);

/** Answers every call and hangs up after a time. */
export const hangsUpAfter = (milliseconds: number): Scenario =>
  scenario(
    `<recv request="INVITE" rrs="true">
  <action>
    <ereg regexp=".*" search_in="hdr" header="From:" assign_to="caller" />
    <ereg regexp=".*" search_in="hdr" header="To:" assign_to="callee" />
  </action>
</recv>`,
    send('200 OK', { body: SDP, retrans: true }),
    acknowledged,
    `<pause milliseconds="${milliseconds}"/>`,
    `<send retrans="500"><![CDATA[
BYE [next_url] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
From:[$callee]${ANSWER_TAG}
To:[$caller]
Call-ID: [call_id]
CSeq: 1 BYE
Max-Forwards: 70
Content-Length: 0

]]></send>`,
    '<recv response="200"></recv>',
  );

/** Sends 100 Trying and nothing more. */
export const triesForEver: Scenario = scenario(
  '<recv request="INVITE"></recv>',
  send('100 Trying', { tag: '' }),
  '<recv request="CANCEL"></recv>',
  send('200 OK'),
);

/** Sends early media for a time, without ringing, and then answers. */
export const answersAfterEarlyAudio = (milliseconds: number): Scenario =>
  scenario(
    '<recv request="INVITE"></recv>',
    send('183 Session Progress', { body: SDP }),
    `<pause milliseconds="${milliseconds}"/>`,
    ...talk,
    ...end,
  );

/** A registrar: challenges, then accepts the registration. */
export const registers = (credentials: Credentials): Scenario =>
  scenario(
    ...challenged('REGISTER', credentials),
    send('200 OK', { further: '[last_Contact:]\nExpires: 300\n' }),
    ...end,
  );
