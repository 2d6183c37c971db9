import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { buttonStyle } from '../../../components/ui/button';
import { Card, CardHead } from '../../../components/ui/card';
import { ErrorView, Loading } from '../../../components/ui/state-views';
import { m } from '../../../paraglide/messages';
import type { Call } from '../call-queries';
import { isLive } from '../call-words';
import { Player } from './player';
import { recordingQuery, recordingUrl } from './recording-query';

/** Longer recordings are played from the server as they are heard, without a waveform. */
const LONGEST_WAVEFORM_SECONDS = 30 * 60;

export function RecordingCard({ call }: { call: Call }) {
  return (
    <Card>
      <CardHead title={m.calls_recording()} actions={call.record_url !== null && <Downloads id={call.id} />} />
      {call.record_url === null ? (
        <p className="text-sm text-soft">{whyNone(call)}</p>
      ) : call.duration > LONGEST_WAVEFORM_SECONDS ? (
        <>
          <Player source={recordingUrl(call.id)} seconds={call.duration} />
          <p className="mt-2 text-sm text-soft">{m.calls_recording_long()}</p>
        </>
      ) : (
        <WholeRecording call={call} />
      )}
    </Card>
  );
}

function whyNone(call: Call): string {
  if (isLive(call)) return m.calls_recording_live();
  return call.answered_at === null ? m.calls_recording_unanswered() : m.calls_recording_none();
}

function Downloads({ id }: { id: string }) {
  return (['wav', 'mp3'] as const).map((format) => (
    <a
      key={format}
      href={recordingUrl(id, format)}
      download={`${id}.${format}`}
      className={buttonStyle({ look: 'quiet', size: 'small' })}
      aria-label={m.calls_recording_download({ format: format.toUpperCase() })}
    >
      <Download aria-hidden />
      {format.toUpperCase()}
    </a>
  ));
}

function WholeRecording({ call }: { call: Call }) {
  const { data, error, refetch } = useQuery(recordingQuery(call.id));
  const source = useObjectUrl(data?.audio);
  if (error !== null) return <ErrorView error={error} onRetry={() => void refetch()} />;
  if (source === undefined) return <Loading />;
  return <Player source={source} seconds={call.duration} peaks={data?.peaks} />;
}

function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (blob === undefined) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => {
      URL.revokeObjectURL(made);
      setUrl(undefined);
    };
  }, [blob]);
  return url;
}
