import { watchMedia } from './media-watch';

function open() {
  jest.useFakeTimers();
  const connection = Object.assign(new EventTarget(), { iceConnectionState: 'connected' });
  const asked: boolean[] = [];
  const told: string[] = [];
  let canAsk = true;
  const watch = watchMedia({
    connection: connection as unknown as RTCPeerConnection,
    renegotiate: (iceRestart) => (canAsk ? asked.push(iceRestart) > 0 : false),
    onMedia: (media) => told.push(media),
    onLost: () => told.push('lost'),
  });
  return {
    watch,
    asked,
    told,
    become(state: string) {
      connection.iceConnectionState = state;
      connection.dispatchEvent(new Event('iceconnectionstatechange'));
    },
    setReach: (reachable: boolean) => (canAsk = reachable),
  };
}

afterEach(() => jest.useRealTimers());

test('a short gap is waited out', () => {
  const { become, asked, told } = open();
  become('disconnected');
  jest.advanceTimersByTime(1_000);
  become('connected');
  jest.advanceTimersByTime(60_000);
  expect(asked).toEqual([]);
  expect(told).toEqual(['flowing']);
});

test('a lost way is replaced by another one', () => {
  const { become, asked, told } = open();
  become('disconnected');
  jest.advanceTimersByTime(1_600);
  expect(asked).toEqual([true]);
  become('checking');
  become('connected');
  jest.advanceTimersByTime(60_000);
  expect(asked).toEqual([true]);
  expect(told).toEqual(['reconnecting', 'flowing']);
});

test('without a connection to the switch nothing is asked until it is back; after too long the leg is given up', () => {
  const { become, asked, told, setReach, watch } = open();
  setReach(false);
  become('failed');
  jest.advanceTimersByTime(5_000);
  expect(asked).toEqual([]);
  setReach(true);
  watch.reconnect();
  expect(asked).toEqual([true]);
  jest.advanceTimersByTime(20_000);
  expect(told.at(-1)).toBe('lost');
  watch.close();
});

test('a new connection to the switch is announced to it, even if the audio never stopped', () => {
  const { asked, told, watch, setReach } = open();
  setReach(false);
  watch.reconnect();
  setReach(true);
  jest.advanceTimersByTime(600);
  expect(asked).toEqual([false]);
  expect(told).toEqual([]);
});
