import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Makes a certificate of localhost that nobody vouches for, and returns the paths of its files in the folder. */
export function makeCertificate(folder: string): { certificate: string; key: string } {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const files = ['-keyout', key, '-out', certificate];
  execFileSync('openssl', ['req', '-x509', '-subj', '/CN=localhost', '-days', '1', ...kind, ...files], {
    stdio: 'ignore',
  });
  return { certificate, key };
}
