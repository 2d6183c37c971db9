import type { Violations } from '@sabia/service-kit/validation/violations';
import { blank } from '@sabia/service-kit/validation/violations';
import { defaultEventTypes, eventTypes, isEventType } from './event-type';
import type { EventType } from './event-type';
import type { JsonObject } from './json-object';
import { isPublicHost } from './public-address';
import { checkHeaders } from './webhook-headers';

export interface WebhookSettings {
  url: string;
  version: string;
  types: EventType[];
  headers: Record<string, string>;
  /** Fields without a value are sent as null. Absent in settings stored by older releases. */
  nulls?: boolean;
}

export interface SettingsRules {
  /** The embedded stack sends to loopback too. */
  allowPrivate: boolean;
}

const versions = ['1.8', 'v1.8', '1.4', 'v1.4'];
const [defaultVersion = ''] = versions;
const maximumUrlLength = 2048;

/** The settings of a webhook, read from the metadata of its integration. */
export function checkSettings(violations: Violations, metadata: JsonObject, rules: SettingsRules): WebhookSettings {
  return {
    url: checkUrl(violations, metadata.webhookUrl, rules),
    version: checkVersion(violations, metadata.webhookVersion),
    types: checkTypes(violations, metadata.webhookTypes),
    headers: checkHeaders(violations, metadata.webhookHeaders),
    nulls: checkNulls(violations, metadata.webhookNulls),
  };
}

function checkUrl(violations: Violations, value: unknown, { allowPrivate }: SettingsRules): string {
  const field = 'metadata.webhookUrl';
  if (value === undefined || value === null || value === '') {
    violations.add(field, ...blank);
    return '';
  }
  const text = typeof value === 'string' ? value.trim() : '';
  if (text.length > maximumUrlLength) {
    violations.add(field, 'length', `must be at most ${maximumUrlLength} characters long`);
    return '';
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    violations.add(field, 'format', 'must be an http or https URL');
    return '';
  }
  if (url.username !== '' || url.password !== '') {
    violations.add(field, 'format', 'must not contain a user or a password; use webhookHeaders');
    return '';
  }
  if (!allowPrivate && !isPublicHost(url.hostname)) {
    violations.add(field, 'exclusion', 'must have a public host');
    return '';
  }
  url.hash = '';
  return url.href;
}

function checkVersion(violations: Violations, value: unknown): string {
  if (value === undefined || value === null || value === '') {
    return defaultVersion;
  }
  const version = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  if (!versions.includes(version)) {
    violations.add('metadata.webhookVersion', 'inclusion', `must be one of ${versions.join(', ')}`);
  }
  return version;
}

function checkTypes(violations: Violations, value: unknown): EventType[] {
  const field = 'metadata.webhookTypes';
  const given: unknown = typeof value === 'string' && value !== '' ? [value] : value;
  if (given === undefined || given === null || given === '' || (Array.isArray(given) && given.length === 0)) {
    return [...defaultEventTypes];
  }
  if (!Array.isArray(given)) {
    violations.add(field, 'type', 'must be an array');
    return [];
  }
  if (!given.every(isEventType)) {
    violations.add(field, 'inclusion', `must be some of ${eventTypes.join(', ')}`);
    return [];
  }
  return eventTypes.filter((type) => given.includes(type));
}

function checkNulls(violations: Violations, value: unknown): boolean {
  if (value === undefined || value === null || value === '') {
    return false;
  }
  const wish = [true, 'true', false, 'false'].indexOf(value as boolean);
  if (wish === -1) {
    violations.add('metadata.webhookNulls', 'inclusion', 'must be true or false');
  }
  return wish === 0 || wish === 1;
}
