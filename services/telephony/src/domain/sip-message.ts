/** What is kept of a SIP message: neither its body nor credentials, addresses or names. */
export interface SipMessage {
  /** Milliseconds since 1970. */
  at: number;
  /** Of a request. */
  method?: string;
  /** Of a response. */
  status?: number;
  reason?: string;
  /** Number and method, such as "2 INVITE"; a response has that of its request. */
  cseq: string;
  /** Of From, which is the same in a request and its responses: it tells the two sides of a dialogue apart. */
  tag: string;
}

/** Some messages of one leg of a call, in the order in which they passed. */
export interface LegMessages {
  /** See the table call_signalling. */
  leg: string;
  messages: SipMessage[];
}
