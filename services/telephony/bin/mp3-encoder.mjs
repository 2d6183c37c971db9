// A worker thread of telephony's: 16-bit samples come in, MP3 goes out. Encoding an hour of talking takes most of a minute of processor time,
// which the thread that drives calls does not have.
import { parentPort, workerData } from 'node:worker_threads';
import { createMp3Encoder } from 'wasm-media-encoders';

const encoder = await createMp3Encoder();
encoder.configure(workerData);

parentPort.on('message', (samples) => {
  const encoded = samples === null ? encoder.finalize() : encoder.encode(channelsOf(samples));
  parentPort.postMessage(Buffer.from(encoded));
});

function channelsOf(bytes) {
  const { channels } = workerData;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = Math.floor(bytes.byteLength / 2 / channels);
  return Array.from({ length: channels }, (_, channel) =>
    Float32Array.from({ length }, (_sample, at) => view.getInt16((at * channels + channel) * 2, true) / 32_768),
  );
}
