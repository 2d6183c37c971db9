import { X509Certificate, createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { z } from 'zod';
import { ConfigError } from '@sabia/service-kit/config';

export interface TlsFiles {
  /** PEM: the certificate, then its intermediate certificates. */
  cert: string;
  /** PEM. */
  key: string;
}

const pemFile = (partner: string, env: NodeJS.ProcessEnv, expected: string, parse: (pem: string) => unknown) =>
  z
    .string()
    .transform((path, context) => {
      if ((env[partner] ?? '') === '') {
        context.addIssue(`${partner} has to be set with it`);
      }
      let pem = '';
      try {
        pem = readFileSync(path, 'utf8');
      } catch (error) {
        context.addIssue(`the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
        return pem;
      }
      try {
        parse(pem);
      } catch {
        context.addIssue(`expected a file with ${expected}`);
      }
      return pem;
    })
    .optional();

export const tlsVariables = (env: NodeJS.ProcessEnv) => ({
  TLS_CERT_FILE: pemFile('TLS_KEY_FILE', env, 'a certificate in PEM', (pem) => new X509Certificate(pem)),
  TLS_KEY_FILE: pemFile('TLS_CERT_FILE', env, 'a private key in PEM, without a passphrase', createPrivateKey),
});

export function toTlsFiles(cert: string | undefined, key: string | undefined): TlsFiles | undefined {
  if (cert === undefined || key === undefined) {
    return undefined;
  }
  try {
    createSecureContext({ cert, key });
  } catch {
    throw new ConfigError([{ variable: 'TLS_KEY_FILE', reason: 'is not the key of the certificate in TLS_CERT_FILE' }]);
  }
  return { cert, key };
}
