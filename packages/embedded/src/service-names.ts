export const serviceNames = ['identity', 'extensions', 'telephony', 'billing', 'webhook'] as const;
export type ServiceName = (typeof serviceNames)[number];
