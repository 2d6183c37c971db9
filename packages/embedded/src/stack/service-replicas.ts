import { replicaName } from '../discovery/discovery';
import type { ServiceName } from '../service-names';
import type { Blueprint, ServicePlan } from './blueprint';
import { switchEnvironment, type CallSwitch } from './call-switch';
import type { NodeProcesses } from './node-processes';

/** The replicas of all services, and which of them clients can find. */
export class ServiceReplicas {
  private readonly plans = new Map<string, ServicePlan>();

  constructor(private readonly node: NodeProcesses) {}

  /** The replicas of the start, in the order in which they are shown. */
  expect(plans: readonly ServicePlan[]): void {
    for (const plan of plans) this.plans.set(plan.name, plan);
  }

  get all(): ServicePlan[] {
    return [...this.plans.values()];
  }

  /** The switch of a service that does not wait for it is undefined. */
  async start(plan: ServicePlan, callSwitch: CallSwitch | undefined): Promise<void> {
    const further = callSwitch ? switchEnvironment(plan.service, callSwitch) : {};
    this.plans.set(plan.name, plan);
    await this.node.startService({ ...plan, environment: { ...plan.environment, ...further } });
  }

  /** Adds a replica; resolves when it is ready. */
  async add(blueprint: Blueprint, service: ServiceName, callSwitch: CallSwitch): Promise<ServicePlan> {
    let number = 1;
    while (this.plans.has(replicaName(service, number))) number += 1;
    const plan = await blueprint.planService(service, number);
    try {
      await this.start(plan, callSwitch);
    } catch (error) {
      await this.remove(plan.name);
      throw error;
    }
    return plan;
  }

  /** Removes a replica, which finishes its requests first. */
  async remove(name: string): Promise<void> {
    await this.node.remove(name);
    this.plans.delete(name);
  }

  readyHosts(wanted: ServiceName): string[] {
    return this.all
      .filter(({ name, service }) => service === wanted && this.node.byName.get(name)?.isReady)
      .map(({ host }) => host);
  }
}
