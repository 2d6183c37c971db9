import { loadMailboxConfig } from './config';
import { createSmtpServer } from './smtp';
import { openMailStore } from './store';
import { createWebServer } from './web';

const { folder, smtpPort, httpPort } = loadMailboxConfig();
const store = openMailStore({ folder });
const smtp = createSmtpServer(store);
const web = createWebServer(store);

for (const server of [smtp, web]) {
  server.on('error', (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    // A broken connection of one sender is ignored; a server that cannot listen ends the process.
    if ((error as NodeJS.ErrnoException).syscall === 'listen') process.exit(1);
  });
}
smtp.listen(smtpPort, '127.0.0.1');
web.listen(httpPort, '127.0.0.1');

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    web.close();
    web.closeAllConnections();
    smtp.close(() => process.exit(0));
  });
}
