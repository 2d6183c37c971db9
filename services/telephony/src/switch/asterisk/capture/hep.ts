/** A packet of HEP version 3, by which switches send copies of SIP messages (res_hep of Asterisk, siptrace of Kamailio). */
export interface HepPacket {
  /** When the message passed, by the clock of the sender: milliseconds since 1970. */
  at: number;
  /** The SIP message. */
  payload: Buffer;
}

const MAGIC = 'HEP3';
const HEADER = 6;
const CHUNK_HEADER = 6;
const GENERIC_VENDOR = 0;
const SIP = 1;
const chunk = { seconds: 9, microseconds: 10, protocol: 11, payload: 15 };

/** Undefined: not HEP, not whole, or not SIP. Anybody may have sent the packet, so every length is checked. */
export function readHep(packet: Buffer): HepPacket | undefined {
  if (packet.length < HEADER || packet.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    return undefined;
  }
  if (packet.readUInt16BE(4) !== packet.length) {
    return undefined;
  }
  let seconds: number | undefined;
  let microseconds = 0;
  let isSip = false;
  let payload: Buffer | undefined;
  for (let offset = HEADER; offset < packet.length;) {
    if (offset + CHUNK_HEADER > packet.length) return undefined;
    const vendor = packet.readUInt16BE(offset);
    const type = packet.readUInt16BE(offset + 2);
    const length = packet.readUInt16BE(offset + 4);
    if (length < CHUNK_HEADER || offset + length > packet.length) return undefined;
    const value = packet.subarray(offset + CHUNK_HEADER, offset + length);
    offset += length;
    if (vendor !== GENERIC_VENDOR) continue;
    if (type === chunk.seconds && value.length === 4) seconds = value.readUInt32BE(0);
    else if (type === chunk.microseconds && value.length === 4) microseconds = value.readUInt32BE(0);
    else if (type === chunk.protocol) isSip = value.length === 1 && value[0] === SIP;
    else if (type === chunk.payload) payload = value;
  }
  if (!isSip || seconds === undefined || payload === undefined || microseconds >= 1_000_000) {
    return undefined;
  }
  // Asterisk knows of received messages no more than that: within a millisecond, the order of packets is the order of messages.
  return { at: seconds * 1_000 + Math.floor(microseconds / 1_000), payload };
}
