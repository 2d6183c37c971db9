import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { freePort } from '@sabia/embedded/process/ports';
import { BillingServiceService } from '@sabia/protos/sabia/billing/v1/service';
import { createGrpcClient } from '@sabia/service-kit/grpc/client';

/** Billing as it runs in earnest, in a process that can be killed at any moment and comes back at the same address. */
export class ReplicaProcess {
  private child: ChildProcess | undefined;
  private listening = false;
  /** All that its processes have written. */
  output = '';

  private constructor(
    private readonly environment: NodeJS.ProcessEnv,
    readonly client: ReturnType<typeof connect>,
  ) {}

  static async start(environment: NodeJS.ProcessEnv): Promise<ReplicaProcess> {
    const port = await freePort();
    const own = { ...environment, GRPC_HOST: '127.0.0.1', GRPC_PORT: String(port) };
    const replica = new ReplicaProcess(own, connect(port));
    replica.spawn();
    return replica;
  }

  get ready(): boolean {
    return this.listening;
  }

  /** Nothing is finished, nothing is said goodbye to; a new process follows at once. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
    this.spawn();
  }

  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.client.close();
    await this.end(signal);
  }

  private spawn(): void {
    const child = spawn(process.execPath, [path.join(__dirname, '../dist/main.js')], {
      env: this.environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.child = child;
    let output = '';
    child.stdout.on('data', (bytes: Buffer) => {
      this.output += bytes.toString();
      output += bytes.toString();
      this.listening ||= this.child === child && output.includes('"grpcPort"');
    });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    this.listening = false;
    if (this.child?.exitCode === null && this.child.signalCode === null) {
      const exited = once(this.child, 'exit');
      this.child.kill(signal);
      await exited;
    }
  }
}

const connect = (port: number) =>
  createGrpcClient(BillingServiceService, { address: `127.0.0.1:${port}`, defaultTimeoutMs: 20_000 });
