import { chassisVariables, readEnvironment, toChassisConfig } from '@sabia/service-kit/config';
import type { ChassisConfig } from '@sabia/service-kit/config';

export interface Config {
  chassis: ChassisConfig;
}

export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  return { chassis: toChassisConfig(readEnvironment(chassisVariables, env)) };
}
