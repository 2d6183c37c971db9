/** Numbers of the built-in test carrier, by what it does with a call; see deploy/asterisk/etc/extensions_test_carrier.conf. */
export const testNumbers = {
  answer: '551155500101',
  ring: '551155500102',
  busy: '551155500103',
  noAnswer: '551155500104',
  unallocated: '551155500105',
  reject: '551155500106',
  congestion: '551155500107',
  echo: '551155500108',
  /** Hangs up after five seconds; the last two digits are the seconds. */
  hangup: '551155500205',
} as const;
