/** An error that exists only in HTTP. An error that a service can report too is a ServiceError. */
export class HttpError extends Error {
  override readonly name = 'HttpError';

  constructor(
    readonly status: number,
    /** The `name` in the body. */
    readonly errorName: string,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** The client disconnected in the middle of its request, so no response can be sent. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

export const unknownRoute = (method: string, path: string): HttpError =>
  new HttpError(404, 'NotFoundError', 'NOT_FOUND', `There is no ${method} ${path.slice(0, 200)}.`);

export const otherMethod = (method: string, allowed: readonly string[]): HttpError =>
  new HttpError(
    405,
    'MethodNotAllowedError',
    'METHOD_NOT_ALLOWED',
    `${method} is not allowed here; ${allowed.join(', ')} ${allowed.length === 1 ? 'is' : 'are'}.`,
    { allow: allowed.join(', ') },
  );

export const payloadTooLarge = (limitBytes: number): HttpError =>
  new HttpError(413, 'PayloadTooLargeError', 'PAYLOAD_TOO_LARGE', `The body is larger than ${limitBytes} bytes.`);

export const unsupportedMedia = (message: string): HttpError =>
  new HttpError(415, 'UnsupportedMediaTypeError', 'UNSUPPORTED_MEDIA_TYPE', message);

export const tooManyRequests = (retryAfterSeconds: number): HttpError =>
  new HttpError(
    429,
    'TooManyRequests',
    'RATE_LIMITED',
    `Rate limit exceeded, retry in ${retryAfterSeconds} second${retryAfterSeconds === 1 ? '' : 's'}.`,
    { 'retry-after': String(retryAfterSeconds) },
  );

export const tooManyStreams = (most: number): HttpError =>
  new HttpError(
    429,
    'TooManyRequests',
    'TOO_MANY_STREAMS',
    `You have ${most} event streams open here, which is as many as a user may have. Close one of them first.`,
    { 'retry-after': '5' },
  );

export const anotherUser = (): HttpError =>
  new HttpError(403, 'ForbiddenError', 'ANOTHER_USER', 'The events of another user were asked for.');

export const upgradeRequired = (message: string): HttpError =>
  new HttpError(426, 'UpgradeRequiredError', 'UPGRADE_REQUIRED', message, {
    upgrade: 'websocket',
    connection: 'upgrade',
  });

export const rangeNotSatisfiable = (size: number): HttpError =>
  new HttpError(416, 'RangeNotSatisfiableError', 'RANGE_NOT_SATISFIABLE', `There are only ${size} bytes.`, {
    'content-range': `bytes */${size}`,
  });
