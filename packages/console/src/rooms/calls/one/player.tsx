import { Pause, Play } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { Button } from '../../../components/ui/button';
import { toast } from '../../../components/ui/toast';
import { formatDuration } from '../../../i18n/format';
import { m } from '../../../paraglide/messages';
import { barsOf } from './waveform';

const speeds = [1, 1.5, 2];

interface PlayerProps {
  source: string;
  /** Until the audio itself tells. */
  seconds: number;
  peaks?: readonly number[];
}

export function Player({ source, seconds, peaks = [] }: PlayerProps) {
  const audio = useRef<HTMLAudioElement>(null);
  const [playing, setPlaying] = useState(false);
  const [position, setPosition] = useState(0);
  const [total, setTotal] = useState(seconds);
  const [speed, setSpeed] = useState(1);

  // The browser tells the position a few times a second; in between the picture would jump.
  useEffect(() => {
    if (!playing) return;
    let frame = requestAnimationFrame(function follow() {
      setPosition(audio.current?.currentTime ?? 0);
      frame = requestAnimationFrame(follow);
    });
    return () => cancelAnimationFrame(frame);
  }, [playing]);

  const seek = (to: number) => {
    if (audio.current !== null) audio.current.currentTime = to;
    setPosition(to);
  };
  const toggle = () => {
    if (playing) audio.current?.pause();
    else audio.current?.play().catch(() => toast(m.calls_recording_failed(), 'bad'));
  };
  const nextSpeed = () => {
    const next = speeds[(speeds.indexOf(speed) + 1) % speeds.length]!;
    if (audio.current !== null) audio.current.playbackRate = next;
    setSpeed(next);
  };
  const times = { position: formatDuration(position), total: formatDuration(total) };
  return (
    <div className="flex items-center gap-3">
      <audio
        ref={audio}
        src={source}
        preload="metadata"
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => setPlaying(false)}
        onLoadedMetadata={({ currentTarget: { duration } }) => Number.isFinite(duration) && setTotal(duration)}
      />
      <Button
        look="primary"
        size="icon"
        className="rounded-full"
        onClick={toggle}
        aria-label={playing ? m.calls_recording_pause() : m.calls_recording_play()}
      >
        {playing ? <Pause aria-hidden /> : <Play aria-hidden />}
      </Button>
      <div className="relative h-14 min-w-0 flex-1 rounded-lg has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent">
        <Wave peaks={peaks} share={total === 0 ? 0 : position / total} />
        <input
          type="range"
          min={0}
          max={total}
          step={0.1}
          value={Math.min(position, total)}
          onChange={({ target }) => seek(target.valueAsNumber)}
          aria-label={m.calls_recording_seek()}
          aria-valuetext={m.calls_recording_position(times)}
          className="absolute inset-0 size-full cursor-pointer opacity-0"
        />
      </div>
      <div className="flex flex-col items-center sm:flex-row sm:gap-2">
        <span className="text-sm whitespace-nowrap text-soft tabular-nums">
          {times.position} / {times.total}
        </span>
        <Button look="quiet" size="small" onClick={nextSpeed} aria-label={`${m.calls_recording_speed()}: ${speed}×`}>
          {speed}×
        </Button>
      </div>
    </div>
  );
}

/** The part that was heard has the accent's colour. */
function Wave({ peaks, share }: { peaks: readonly number[]; share: number }) {
  const clip = useId();
  if (peaks.length === 0) {
    return (
      <div className="absolute inset-x-0 top-1/2 h-1 -translate-y-1/2 overflow-hidden rounded-full bg-line">
        <div className="h-full bg-accent" style={{ width: `${share * 100}%` }} />
      </div>
    );
  }
  const bars = barsOf(peaks);
  return (
    <svg
      viewBox={`0 0 ${peaks.length} 2`}
      preserveAspectRatio="none"
      className="absolute inset-0 size-full"
      aria-hidden
    >
      <clipPath id={clip}>
        <rect x={0} y={0} width={share * peaks.length} height={2} />
      </clipPath>
      <path d={bars} className="fill-edge/60" />
      <path d={bars} clipPath={`url(#${clip})`} className="fill-accent" />
    </svg>
  );
}
