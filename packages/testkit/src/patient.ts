import { promised } from './promised';

/** Options of connections that a test itself uses: it waits for a busy PostgreSQL where a service gives up and tries again. */
export const patient = { statementTimeoutMs: 300_000, connectionTimeoutMs: 60_000 };

/** A setting of gateways: requests have ten times as long before they are given up, unless times are strict. */
export const patientGateways = { REQUEST_TIMEOUT_MS: String(promised(15_000)) };
