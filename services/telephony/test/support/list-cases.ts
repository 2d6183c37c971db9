/** What a filter may name, a condition on it, and how many of the million match. */
export const wheres: [string, object, number][] = [
  ['id', { id: '018bcfe6-5260-7000-8000-000000000001' }, 1],
  ['started_at', { started_at: { between: ['2024-01-01', '2024-01-02'] } }, 2592],
  ['date', { date: '2024-01-01' }, 1296],
  ['ended_at', { ended_at: { gte: '2024-01-01', lt: '2024-01-02' } }, 1296],
  ['from', { from: '1001' }, 2000],
  ['extension', { extension: '1001' }, 2000],
  ['ramal', { ramal: 1001 }, 2000],
  ['to', { to: '5511900000007' }, 10],
  ['phone', { phone: '5511900000007' }, 10],
  ['called', { called: '5511900000007' }, 10],
  ['first_name', { first_name: 'Nome 7' }, 3334],
  ['last_name', { last_name: 'Sobrenome 77' }, 200],
  ['email', { email: 'u7@example.com' }, 1429],
  ['BINA', { BINA: '551140000007' }, 2500],
  ['bina', { bina: '551140000007' }, 2500],
  ['call_type', { call_type: 'internal' }, 0],
  ['hangup_cause', { hangup_cause: 'USER_BUSY' }, 903],
  ['duration', { duration: 599 }, 1666],
  ['minute_price', { minute_price: 0.6, duration: 599 }, 238],
  ['call_price', { call_price: 12.99 }, 769],
  ['metadata', { metadata: { leadId: 77_777 } }, 1],
  ['a path into metadata', { 'metadata.leadId': 77_777 }, 1],
  ['status', { status: 'ringing' }, 0],
];

const day = `BETWEEN '2024-01-01T03:00:00Z' AND '2024-01-02T02:59:59.999999Z'`;

/** Ways of asking, what that means in SQL, and the orders of both. */
export const byHand: [string, object, string, unknown, string][] = [
  ['many of one field', { duration: { gt: 300 } }, 'duration > 300', undefined, 'id DESC'],
  ['some of one field', { duration: { between: [298, 301] } }, 'duration BETWEEN 298 AND 301', undefined, 'id DESC'],
  ['many that ended', { ended_at: '2024-01-01' }, `ended_at ${day}`, undefined, 'id DESC'],
  [
    'few that ended',
    { ended_at: { lt: '2023-11-14T23:00:00Z' } },
    `ended_at < '2023-11-14T23:00:00Z'`,
    undefined,
    'id DESC',
  ],
  ['answered', { answered_at: '2024-01-01' }, `answered_at ${day}`, undefined, 'id DESC'],
  ['all but one day', { ended_at: { neq: '2024-01-01' } }, `NOT ended_at ${day}`, undefined, 'id DESC'],
  [
    'two values',
    { from: '1001', email: 'u1@example.com' },
    `from_number = '1001' AND email = 'u1@example.com'`,
    undefined,
    'id DESC',
  ],
  ['a pattern', { first_name: { like: 'Nome 29_' } }, `first_name LIKE 'Nome 29_'`, undefined, 'id DESC'],
  ['another order', { from: '1001' }, `from_number = '1001'`, 'duration ASC', 'duration ASC, id ASC'],
  [
    'two orders',
    { to: '5511900000007' },
    `to_number = '5511900000007'`,
    ['email DESC', 'date ASC'],
    'email DESC, started_at ASC, id ASC',
  ],
  ['none', { from: '1001', to: '1' }, 'false', undefined, 'id DESC'],
  [
    'most, in another order',
    { from: { neq: '1001' } },
    `from_number <> '1001'`,
    'duration ASC',
    'duration ASC, id ASC',
  ],
];
