import { randomBytes } from 'node:crypto';
import { createApiCaller } from './api-caller';
import type { DemoAccount, DemoExtension } from './stack-file';

const RAMAL = '1000';

interface Extension {
  ramal: string;
  senha: string | null;
}

/** An extension of the demo account for the first softphone; created again if it was deleted. */
export async function seedDemoExtension(apiUrl: string, { token, email }: DemoAccount): Promise<DemoExtension> {
  const call = createApiCaller(apiUrl);
  const filter = encodeURIComponent(JSON.stringify({ where: { ramal: RAMAL } }));
  const found = await call('GET', `/extensions?filter=${filter}`, { token });
  const [existing] = Array.isArray(found.body) ? (found.body as Extension[]) : [];
  if (existing?.senha) return { ramal: existing.ramal, senha: existing.senha };

  const senha = randomBytes(12).toString('base64url');
  const made = await call('POST', '/extensions', {
    token,
    body: { ramal: RAMAL, senha, first_name: 'Demo', last_name: 'Sabiá', email_address: email, gravar_audio: 1 },
  });
  if (made.status !== 200 && made.status !== 201) {
    throw new Error(`the demo extension was refused: ${made.status} ${made.body.error?.message ?? ''}`);
  }
  return { ramal: RAMAL, senha };
}
