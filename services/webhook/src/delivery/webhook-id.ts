/** Stable per event and integration, so that a receiver recognises a repeated delivery. */
export const webhookIdOf = (deliveryId: string): string => `msg_${deliveryId}`;
