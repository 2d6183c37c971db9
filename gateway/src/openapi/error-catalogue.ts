export interface ErrorEntry {
  status: number;
  /** The `name` in the body. */
  name: string;
  /** A message as clients get it. */
  message: string;
  /** When it is answered, and what to do. */
  description: string;
  /** Where the same code has another status elsewhere, and so another entry. */
  code?: string;
}

const entry = (status: number, name: string, message: string, description: string, code?: string): ErrorEntry => ({
  ...{ status, name, message, description, code },
});

/** Every error that the API answers with, by its code, whichever service raises it. A test compares it with what services raise. */
export const errorCatalogue: Readonly<Record<string, ErrorEntry>> = {
  BAD_REQUEST: entry(400, 'BadRequestError', 'The request is not valid HTTP.', 'What arrived is not HTTP.'),
  HOST_REQUIRED: entry(400, 'BadRequestError', 'The Host header is missing.', 'Every request needs a Host header.'),
  INVALID_PATH: entry(
    400,
    'BadRequestError',
    'The path is not correctly percent-encoded.',
    'Encode the parts of the path as UTF-8 with percent signs.',
  ),
  INVALID_JSON: entry(
    400,
    'BadRequestError',
    'The body is not valid JSON.',
    'The body is not JSON, or not a JSON object.',
  ),
  INVALID_PAGE: entry(
    400,
    'BadRequestError',
    'The "page" parameter must be a positive integer.',
    'Pages are counted from 1.',
  ),
  INVALID_FILTER: entry(
    400,
    'BadRequestError',
    'The filter has an unknown field "colour". There are id, started_at, ended_at.',
    'The filter, or a date beside it, cannot be read; the message names the part and what there is.',
  ),
  INVALID_IDEMPOTENCY_KEY: entry(
    400,
    'BadRequestError',
    'The Idempotency-Key must have 1 to 255 printable ASCII characters.',
    'Send another key, such as a uuid.',
  ),
  INVALID_IF_NONE_MATCH: entry(
    400,
    'BadRequestError',
    'The If-None-Match header can only be *.',
    'There are no entity tags; the header says whether something may only be created.',
  ),
  INVALID_EVENT_TYPE: entry(
    400,
    'BadRequestError',
    'Unknown event types: "call.paused". There are call.created, call.ringing, and call.*.',
    '`types` names an event that does not exist; the message lists those that do.',
  ),
  INVALID_CALL_ID: entry(
    400,
    'BadRequestError',
    'The "callId" parameter must be the id of a call.',
    'Send the id that POST /calls answered.',
  ),
  INVALID_PARAMETER: entry(
    400,
    'BadRequestError',
    'The "types" parameter must be given once.',
    'A parameter was given twice, or in brackets.',
  ),
  EXPORT_TOO_LARGE: entry(
    400,
    'BadRequestError',
    'More than 100000 calls match: export a shorter span of time.',
    'Choose a shorter span with startDate and endDate.',
  ),
  USERNAME_EMAIL_REQUIRED: entry(
    400,
    'BadRequestError',
    'email and password are required',
    'A login needs both e-mail and password.',
  ),
  TOKEN_USED: entry(
    400,
    'BadRequestError',
    'This confirmation link has been used already.',
    'The code of an e-mail works once. Ask for a new e-mail.',
  ),
  TOKEN_EXPIRED: entry(
    400,
    'BadRequestError',
    'This confirmation link has expired. Ask for a new one.',
    'The code of an e-mail is good for a limited time. Ask for a new e-mail.',
  ),
  INVALID_TOKEN: entry(401, 'Error', 'Invalid Access Token', 'The access token has expired. Log in again.'),
  UNKNOWN_LINK: entry(
    400,
    'BadRequestError',
    'This confirmation link is not valid.',
    'The code of an e-mail is unknown. Take the whole code from the link, or ask for a new e-mail.',
    'INVALID_TOKEN',
  ),
  AUTHORIZATION_REQUIRED: entry(
    401,
    'Error',
    'Authorization Required',
    'There is no access token in the request, or it is unknown or revoked. Log in again.',
  ),
  LOGIN_FAILED: entry(
    401,
    'Error',
    'login failed',
    'E-mail or password is wrong; the answer never tells which of the two.',
  ),
  LOGIN_FAILED_EMAIL_NOT_VERIFIED: entry(
    401,
    'Error',
    'login failed as the email has not been verified',
    'The password is right, but the e-mail address was not confirmed yet. Follow the link in the e-mail, or ask for another one.',
  ),
  INSUFFICIENT_CREDIT: entry(
    402,
    'PaymentRequiredError',
    'Not enough credit.',
    'The credit does not cover the first seconds of the call. Top up with POST /charges.',
  ),
  ACCESS_DENIED: entry(
    403,
    'ForbiddenError',
    'Access Denied',
    'The user may not do this; most often it takes the role ADMIN.',
  ),
  ACCOUNT_SUSPENDED: entry(
    403,
    'ForbiddenError',
    'This account is suspended: unpaid invoices.',
    'The operator has suspended the account; the message says why. It can neither log in, call nor register until it is resumed.',
  ),
  FOREIGN_ORIGIN: entry(
    403,
    'ForbiddenError',
    'A session works only from the pages of this gateway; other clients send an access token.',
    'A cookie was sent from a page of another site. Send an access token instead.',
  ),
  CONSOLE_HEADER_REQUIRED: entry(
    403,
    'ForbiddenError',
    'A changing request of a session needs the header X-Sabia-Console: 1.',
    'Only for cookies of the console. API clients send an access token.',
  ),
  ANOTHER_USER: entry(
    403,
    'ForbiddenError',
    'The events of another user were asked for.',
    'The session belongs to another user than the page was opened for. Load the page anew.',
  ),
  NOT_FOUND: entry(404, 'NotFoundError', 'There is no GET /api/v1/nothing.', 'There is no such route.'),
  MODEL_NOT_FOUND: entry(
    404,
    'NotFoundError',
    'Unknown "call" id "019ec2d4-5a10-7c3e-9d6f-2b8a4c1e7f05".',
    'There is nothing with this id in your account.',
  ),
  RECORDING_EXPIRED: entry(
    404,
    'NotFoundError',
    'The time for which recordings of this account are kept is over for this one.',
    'The call was recorded, and the recording is deleted by now. The operator says for how many days the recordings of an account are kept.',
  ),
  METHOD_NOT_ALLOWED: entry(
    405,
    'MethodNotAllowedError',
    'PUT is not allowed here; GET, HEAD, OPTIONS are.',
    'The path exists, the method does not. The header Allow names those that do.',
  ),
  REQUEST_TIMEOUT: entry(
    408,
    'RequestTimeoutError',
    'The request did not arrive in time.',
    'The request did not arrive completely in time. Send it again.',
  ),
  OPEN_CHARGE_EXISTS: entry(
    409,
    'ConflictError',
    'The account already has an open charge.',
    'An account has one open charge at most. Pay or cancel that one first.',
  ),
  CHARGE_NOT_CANCELLABLE: entry(
    409,
    'ConflictError',
    'Only an open charge can be cancelled.',
    'The charge is paid, refunded or cancelled already.',
  ),
  TAX_ID_LOCKED: entry(
    409,
    'ConflictError',
    'The tax id of an active financial account cannot be changed.',
    'Once the financial account is active, tax id, name and address are fixed. Ask the support.',
  ),
  LAST_ADMIN: entry(
    409,
    'ConflictError',
    'The last ADMIN of an account can be neither demoted nor deleted.',
    'The last ADMIN of an account can neither be deleted nor become a USER. Make another user ADMIN first.',
  ),
  NUMBER_TAKEN: entry(
    409,
    'ConflictError',
    'This number cannot be proven by a call. Ask the operator.',
    'The operator has given the number to an account. Who needs it asks the operator.',
  ),
  NUMBER_ALREADY_YOURS: entry(
    409,
    'ConflictError',
    'This number belongs to the account already.',
    'There is nothing left to prove: GET /numbers lists the number.',
  ),
  CALL_NOT_ANSWERED: entry(
    409,
    'ConflictError',
    'Only an answered call can be transferred.',
    'A call can be transferred between its answer and its end.',
  ),
  TOO_MANY_SECRETS: entry(
    409,
    'ConflictError',
    'Ten secrets of the integration are in use; the oldest ends at 2026-03-11T18:00:00.000Z.',
    'Former secrets still sign along. Wait until the oldest of them has ended.',
  ),
  IDEMPOTENCY_IN_PROGRESS: entry(
    409,
    'ConflictError',
    'A request with this Idempotency-Key is still in progress.',
    'The first request with this key is still under way. Ask again in a moment.',
  ),
  ALREADY_EXISTS: entry(
    412,
    'PreconditionFailedError',
    'There is already an integration "crm".',
    'With `If-None-Match: *` nothing that exists is changed. Update it, or choose another name.',
  ),
  PAYLOAD_TOO_LARGE: entry(
    413,
    'PayloadTooLargeError',
    'The body is larger than 1048576 bytes.',
    'A body has at most 1 MiB, also after it was unpacked.',
  ),
  UNSUPPORTED_MEDIA_TYPE: entry(
    415,
    'UnsupportedMediaTypeError',
    'The content encoding "zstd" is not supported.',
    'The body is in an encoding or a character set that is not supported. Send JSON in UTF-8.',
  ),
  RANGE_NOT_SATISFIABLE: entry(
    416,
    'RangeNotSatisfiableError',
    'There are only 81964 bytes.',
    'The range begins after the end of the recording.',
  ),
  EXPECTATION_FAILED: entry(
    417,
    'ExpectationFailedError',
    'The Expect header can only ask for 100-continue.',
    'Leave the Expect header out.',
  ),
  VALIDATION_ERROR: entry(
    422,
    'ValidationError',
    'The "call" instance is not valid. Details: "called" can\'t be blank.',
    'A field is missing, has the wrong type or format, is out of range or is taken already. `details` names every such field.',
  ),
  USER_NOT_REGISTERED: entry(
    422,
    'UnprocessableEntityError',
    'user not registered',
    'No softphone is registered as the extension. Register it, or open the web phone.',
  ),
  TOO_MANY_CALLS: entry(
    422,
    'UnprocessableEntityError',
    'The account may have at most 100 calls at a time.',
    'The account has as many live calls as it may have. Wait until one of them has ended.',
  ),
  TOO_MANY_EXTENSIONS: entry(
    422,
    'UnprocessableEntityError',
    'The account may have at most 100 extensions.',
    'The account has as many extensions as it may have. Delete one, or ask the operator for more.',
  ),
  TOO_MANY_PROOFS: entry(
    422,
    'UnprocessableEntityError',
    'A number is called at most 3 times in 24 hours.',
    'The number, or a number of the account, was called too often to be proven. Try again tomorrow.',
  ),
  TOO_MANY_USERS: entry(
    422,
    'UnprocessableEntityError',
    'The account may have at most 100 users.',
    'The account has as many users as it may have. Delete one, or ask the operator for more.',
  ),
  TOO_MANY_INTEGRATIONS: entry(
    422,
    'UnprocessableEntityError',
    'The account may have at most 100 integrations.',
    'The account has as many integrations as it may have. Delete one, or ask the operator for more.',
  ),
  NO_RATE: entry(
    422,
    'UnprocessableEntityError',
    'There is no rate for this destination.',
    'Nobody has set a price for calls to this destination, so none can be placed. Ask the operator.',
  ),
  IDEMPOTENCY_KEY_REUSED: entry(
    422,
    'UnprocessableEntityError',
    'This Idempotency-Key was used with another request.',
    'A key belongs to one request. Use a new one for another request.',
  ),
  FINANCIAL_ACCOUNT_REQUIRED: entry(
    422,
    'UnprocessableEntityError',
    'An active financial account is required to create a charge.',
    'The payment provider wants to know who pays. Set the tax id with POST /accounts/financial.',
  ),
  PAYMENT_REFUSED: entry(
    422,
    'UnprocessableEntityError',
    'The payment provider refused the charge: invalid customer.',
    'The payment provider did not accept the charge; the message has its reason.',
  ),
  NO_WEBHOOK: entry(
    422,
    'UnprocessableEntityError',
    'The integration has no webhook.',
    'Save the integration with `webhook` true and a `webhookUrl` first.',
  ),
  WEBHOOK_DISABLED: entry(
    422,
    'UnprocessableEntityError',
    'The webhook is disabled: Nothing could be delivered for five days.',
    'Repair the receiver and save the integration again with `webhook` true.',
  ),
  NOT_MATCHED: entry(
    422,
    'UnprocessableEntityError',
    'This event was never to be sent: The call\'s metadata has no "campaign".',
    'What was never meant for the receiver cannot be sent again.',
  ),
  UPGRADE_REQUIRED: entry(
    426,
    'UpgradeRequiredError',
    'This address is for WebSockets.',
    'Web phones connect to this address with a WebSocket.',
  ),
  RATE_LIMITED: entry(
    429,
    'TooManyRequests',
    'Rate limit exceeded, retry in 12 seconds.',
    'Too many requests in this minute. Wait for as many seconds as `RateLimit-Reset` and `Retry-After` say.',
  ),
  TOO_MANY_STREAMS: entry(
    429,
    'TooManyRequests',
    'You have 20 event streams open here, which is as many as a user may have. Close one of them first.',
    'Close a stream before you open another.',
  ),
  HEADERS_TOO_LARGE: entry(
    431,
    'RequestHeaderFieldsTooLargeError',
    'The request headers are too large.',
    'Headers and path together are limited to 16 KiB.',
  ),
  INTERNAL_ERROR: entry(
    500,
    'InternalServerError',
    'Something went wrong on our side. Please quote the request id when you report it.',
    'A fault of ours. Please report it with its request id.',
  ),
  NOT_IMPLEMENTED: entry(
    501,
    'NotImplementedError',
    'This operation is not available yet.',
    'The service behind this route is older than the route.',
  ),
  SERVICE_UNAVAILABLE: entry(
    503,
    'ServiceUnavailableError',
    'The service is temporarily unavailable.',
    'Something is away for a moment, or busy. Try again after as many seconds as `Retry-After` says.',
  ),
  GATEWAY_TIMEOUT: entry(
    504,
    'GatewayTimeoutError',
    'The request took too long and was given up.',
    'It may have happened all the same: look, or repeat the request with the same Idempotency-Key.',
  ),
};
