import { queryOptions } from '@tanstack/react-query';
import { send } from '../../../api/client';
import { peaksOf } from './waveform';

/** Telephone sound has no more. */
const SAMPLE_RATE = 8_000;
const BARS = 160;

export const recordingUrl = (id: string, format?: 'wav' | 'mp3'): string =>
  `/api/v1/calls/${encodeURIComponent(id)}/recording${format === undefined ? '' : `?format=${format}`}`;

export interface Recording {
  audio: Blob;
  peaks: number[];
}

/** The whole recording with its waveform. Its key is none that events make stale: a recording never changes. */
export const recordingQuery = (id: string) =>
  queryOptions({
    queryKey: ['calls', 'recording', id],
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<Recording> => {
      const audio = await (await send(new Request(recordingUrl(id), { signal }))).blob();
      // Decoding takes the buffer away, so it gets a copy.
      const decoded = await new OfflineAudioContext(1, 1, SAMPLE_RATE).decodeAudioData(await audio.arrayBuffer());
      return { audio, peaks: peaksOf(decoded.getChannelData(0), BARS) };
    },
  });
