/** Stable per event and integration: a receiver knows a repeated delivery by it. */
export const webhookIdOf = (deliveryId: string): string => `msg_${deliveryId}`;
