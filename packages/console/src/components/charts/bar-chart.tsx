import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { getLocale } from '../../paraglide/runtime';

export interface Series {
  label: string;
  /** The name of a colour of the brand, without its dashes. */
  colour: string;
  values: readonly number[];
}

interface BarChartProps {
  /** Beginnings of the bars, in seconds since 1970. */
  times: readonly number[];
  /** Each is drawn over the one before it, so the largest comes first. */
  series: readonly Series[];
  timeZone: string;
  height?: number;
  /** Says in words what the chart shows; a table beside it has the figures. */
  label: string;
}

const bars = uPlot.paths.bars!({ size: [0.7, 48], radius: 0.15 });

export function BarChart({ times, series, timeZone, height = 220, label }: BarChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = frame.current!;
    const draw = () => new uPlot(options(element, series, timeZone, height), data(times, series), element);
    let plot = draw();
    const redraw = () => {
      plot.destroy();
      plot = draw();
    };
    const size = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    size.observe(element);
    // The canvas has no style sheet: when the theme changes, it is drawn again in the new colours.
    const theme = new MutationObserver(redraw);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      size.disconnect();
      theme.disconnect();
      plot.destroy();
    };
  }, [times, series, timeZone, height]);
  return <div ref={frame} role="img" aria-label={label} className="w-full min-w-0" />;
}

function data(times: readonly number[], series: readonly Series[]): uPlot.AlignedData {
  return [[...times], ...series.map(({ values }) => [...values])];
}

function options(element: HTMLElement, series: readonly Series[], timeZone: string, height: number): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const axis = {
    stroke: colour('soft'),
    font: '12px system-ui, sans-serif',
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1e3), timeZone),
    scales: { y: { range: (_plot, _lowest, highest) => [0, Math.max(4, highest * 1.1)] } },
    series: [
      {},
      ...series.map((each) => ({
        label: each.label,
        fill: colour(each.colour),
        width: 0,
        paths: bars,
        points: { show: false },
      })),
    ],
    axes: [
      {
        ...axis,
        size: 30,
        gap: 10,
        grid: { show: false },
        values: (_plot, ticks) => ticks.map((tick) => formatTick(tick, ticks, timeZone)),
      },
      { ...axis, size: 44, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000] },
    ],
  };
}

const DAY_SECONDS = 86_400;

function formatTick(tick: number, ticks: number[], timeZone: string): string {
  const step = (ticks[1] ?? tick) - (ticks[0] ?? tick);
  const format: Intl.DateTimeFormatOptions =
    step >= DAY_SECONDS ? { day: '2-digit', month: '2-digit' } : { hour: '2-digit', minute: '2-digit' };
  return new Intl.DateTimeFormat(getLocale(), { ...format, timeZone }).format(new Date(tick * 1000));
}
