import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { TelephonyServiceService } from '@sabia/protos/sabia/telephony/v1/service';
import { createGrpcClient } from '@sabia/service-kit/grpc/client';
import { eventually } from '@sabia/testkit/eventually';
import { speakingFor } from '../stage';
import type { Stage, Telephony } from '../stage';

export interface ReplicaProcess {
  as(caller: Caller): Telephony;
  /** True from the moment it said so until it said the contrary. */
  readonly drives: boolean;
  pause(): void;
  resume(): void;
  /** As Kubernetes does: it may leave in good order. */
  stop(): Promise<void>;
  /** kill -9 */
  kill(): Promise<void>;
}

/** A replica that can be killed. */
export async function spawnReplica(stage: Stage, environment: NodeJS.ProcessEnv = {}): Promise<ReplicaProcess> {
  const child: ChildProcess = spawn(process.execPath, [path.join(__dirname, '../../dist/main.js')], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: stage.database.url,
      NATS_URL: 'nats://127.0.0.1:1',
      GRPC_HOST: '127.0.0.1',
      EXTENSIONS_ADDRESS: stage.neighbours.address,
      BILLING_ADDRESS: stage.neighbours.address,
      WEBHOOK_ADDRESS: stage.neighbours.address,
      RECORDINGS_FOLDER: stage.recordingsFolder,
      SWITCH_LEASE_SECONDS: '1',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout!.on('data', (bytes: Buffer) => (output += bytes.toString()));
  const port = await eventually(() => {
    const [, digits] = /"grpcPort":(\d+)/.exec(output) ?? [];
    return digits === undefined ? undefined : Number(digits);
  }).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  const client = createGrpcClient(TelephonyServiceService, {
    address: `127.0.0.1:${port}`,
    defaultTimeoutMs: 60_000,
  });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
    client.close();
  };
  return {
    as: (caller) => speakingFor(client, caller),
    get drives() {
      return (
        output.lastIndexOf('this replica drives') >
        Math.max(output.lastIndexOf('another replica drives'), output.lastIndexOf('this replica cannot reach'))
      );
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}
