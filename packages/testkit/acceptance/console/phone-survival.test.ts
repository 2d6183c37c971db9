import { closeBrowser, closeConsoles, openConsole } from '../../src/console/open-console';
import { listenIn, phoneOf } from '../../src/console/console-phone';
import { startOwnStack, type OwnStack } from '../../src/own-stack';
import { openNetwork, type TestNetwork } from '../../src/web-phone/network';

let stack: OwnStack;
let network: TestNetwork;

beforeAll(async () => {
  stack = await startOwnStack({ asterisk: true, gateways: 2 });
  network = await openNetwork(stack.gatewayUrls[0]!);
});

afterAll(async () => {
  await closeBrowser();
  network?.close();
  await stack?.end();
});

test('a call goes on when its WebSocket is cut, its gateway is killed, and its network changes', async () => {
  const window = await openConsole(
    { gatewayUrl: network.url, demo: stack.demo },
    { tolerates: [/WebSocket connection|ERR_|net::|50[234]/] },
  );
  await listenIn(window);
  await window.goTo('/');
  const phone = phoneOf(window.page);
  const isBack = () =>
    phone.dock
      .getByText(/Reconectando em/)
      .first()
      .waitFor({ state: 'detached' });
  await phone.says('Pronto para ligar');
  await phone.dial(stack.testNumbers.answer);
  await phone.says('Em chamada');
  await phone.hears();

  network.cutWebSockets();
  await phone.hasSaid('A conexão com o servidor caiu. Estamos conectando de novo; uma chamada em andamento continua.');
  await isBack();
  await phone.hears();

  network.leadTo(stack.gatewayUrls[1]!);
  await phone.forget();
  await stack.processes.get('gateway')!.kill();
  await phone.hasSaid('Reconectando em');
  await isBack();
  await phone.hears();

  network.changeNetwork();
  await phone.hasSaid('Reconectando o áudio…');
  await phone.says('Em chamada');
  await phone.hears();

  // The switch still reaches the phone, and the phone the switch.
  await phone.press('Espera');
  await phone.says('Em espera');
  await phone.press('Retomar');
  await phone.hears();
  await phone.press('Desligar');
  await phone.says('Chamada encerrada.');
  await closeConsoles();
});
