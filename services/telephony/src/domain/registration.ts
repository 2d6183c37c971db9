/** A registered softphone, as the switch sees it. */
export interface Registration {
  userAgent: string | undefined;
  /** Where it sends from. Undefined for a web phone: the switch sees the gateway's address. */
  address: string | undefined;
  transport: 'udp' | 'tcp' | 'tls' | 'ws';
  expiresAt: Date;
}
