import { ConfigError, urlVariable } from '@sabia/service-kit/config';
import { z } from 'zod';
import type { S3Config } from './s3-client';

export const s3Variables = {
  RECORDINGS_S3_ENDPOINT: urlVariable('http', 'https').optional(),
  RECORDINGS_S3_REGION: z.string().default('us-east-1'),
  RECORDINGS_S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'expected the name of a bucket')
    .optional(),
  RECORDINGS_S3_PREFIX: z
    .string()
    .regex(/^([\w.-]+\/)*$/, 'expected folders of letters, digits, "_", "-" and ".", with a slash at the end')
    .default(''),
  RECORDINGS_S3_ACCESS_KEY_ID: z.string().optional(),
  RECORDINGS_S3_SECRET_ACCESS_KEY: z.string().optional(),
};

/** All variables or none: half a configuration would silently keep recordings in a folder that is not served. */
export function readS3(values: z.output<z.ZodObject<typeof s3Variables>>): S3Config | undefined {
  const required = {
    RECORDINGS_S3_ENDPOINT: values.RECORDINGS_S3_ENDPOINT,
    RECORDINGS_S3_BUCKET: values.RECORDINGS_S3_BUCKET,
    RECORDINGS_S3_ACCESS_KEY_ID: values.RECORDINGS_S3_ACCESS_KEY_ID,
    RECORDINGS_S3_SECRET_ACCESS_KEY: values.RECORDINGS_S3_SECRET_ACCESS_KEY,
  };
  const missing = Object.entries(required).filter(([, value]) => value === undefined);
  if (missing.length === Object.keys(required).length) {
    return undefined;
  }
  if (missing.length > 0) {
    throw new ConfigError(missing.map(([variable]) => ({ variable, reason: 'is required for recordings in S3' })));
  }
  return {
    endpoint: required.RECORDINGS_S3_ENDPOINT!,
    region: values.RECORDINGS_S3_REGION,
    bucket: required.RECORDINGS_S3_BUCKET!,
    prefix: values.RECORDINGS_S3_PREFIX,
    accessKeyId: required.RECORDINGS_S3_ACCESS_KEY_ID!,
    secretAccessKey: required.RECORDINGS_S3_SECRET_ACCESS_KEY!,
  };
}
