import { useEffect, useRef } from 'react';
import { m } from '../paraglide/messages';
import type { Phone } from './engine/phone';

/** How loud the microphone is, as it moves. Drawn outside of React: sixty times a second. */
export function LevelBar({ phone, muted = false }: { phone: Phone; muted?: boolean }) {
  const bar = useRef<HTMLDivElement>(null);
  const meter = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let frame = 0;
    const draw = () => {
      const percent = muted ? 0 : Math.round(phone.level() * 100);
      bar.current?.style.setProperty('width', `${percent}%`);
      meter.current?.setAttribute('aria-valuenow', String(percent));
      frame = requestAnimationFrame(draw);
    };
    draw();
    return () => cancelAnimationFrame(frame);
  }, [phone, muted]);
  return (
    <div
      ref={meter}
      role="meter"
      aria-label={m.phone_level()}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={0}
      className="h-1.5 overflow-hidden rounded-full bg-sunken"
    >
      <div ref={bar} className="h-full w-0 rounded-full bg-good" />
    </div>
  );
}
