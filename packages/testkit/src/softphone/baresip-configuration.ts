import { randomInt } from 'node:crypto';
import type { ControlAddress } from './control-connection';
import type { Baresip } from './programs';

/** Each softphone has its own loopback address: a free port could be taken by another softphone, which would then take our commands. */
export function ownLoopback(): string {
  return process.platform === 'linux' ? `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}` : '127.0.0.1';
}

export interface BaresipOptions {
  address?: string;
  /** Default: any free port. */
  port?: number;
  /** Where it records what it hears. */
  folder: string;
  control: ControlAddress;
}

export function baresipConfiguration(program: Baresip, options: BaresipOptions): string {
  const { address = '127.0.0.1', port = 0, folder, control } = options;
  const applications = ['account', 'menu', 'ctrl_tcp'];
  const lines = [
    `sip_listen ${address}:${port}`,
    `net_interface ${address}`,
    // The certificates of tests are nobody's.
    'sip_verify_server no',
    'call_max_calls 10',
    'call_hold_other_calls no',
    'audio_player aubridge,nil',
    'audio_alert aubridge,alert',
    // The tone is made at this rate only; codecs get theirs by resampling.
    'audio_source ausine,440',
    'ausrc_srate 48000',
    'rtp_stats yes',
    // Otherwise baresip falls silent for good when the stream changes its source (SSRC) at the wrong moment; newer versions
    // use the second name.
    'jitter_buffer_type off',
    'audio_jitter_buffer_type off',
    'jitter_buffer_delay 0-0',
    `snd_path ${folder}`,
    `ctrl_tcp_listen ${control.host}:${control.port}`,
    ...(program.modulePath ? [`module_path ${program.modulePath}`] : []),
    ...program.modules.map((name) => `${applications.includes(name) ? 'module_app' : 'module'} ${name}.so`),
  ];
  return `${lines.join('\n')}\n`;
}
