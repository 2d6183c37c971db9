import { readEnvironment } from '@sabia/service-kit/config';
import { z } from 'zod';

export interface MailboxConfig {
  folder: string;
  smtpPort: number;
  httpPort: number;
}

const port = z.coerce.number().int().min(0).max(65_535);

export function loadMailboxConfig(): MailboxConfig {
  const values = readEnvironment({
    MAILBOX_FOLDER: z.string().min(1),
    MAILBOX_SMTP_PORT: port,
    MAILBOX_HTTP_PORT: port,
  });
  return { folder: values.MAILBOX_FOLDER, smtpPort: values.MAILBOX_SMTP_PORT, httpPort: values.MAILBOX_HTTP_PORT };
}
