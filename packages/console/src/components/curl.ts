interface CurlRequest {
  method: string;
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Headers whose value the shell fills in, such as `Authorization: $TOKEN`. */
  shellHeaders?: Readonly<Record<string, string>>;
}

/** A command for a POSIX shell that sends this request, whatever characters are in it. */
export function curlOf({ method, url, headers = {}, shellHeaders = {}, body }: CurlRequest): string {
  const parts = [
    method === 'GET' ? `curl ${quote(url)}` : `curl -X ${method} ${quote(url)}`,
    ...Object.entries(shellHeaders).map(([name, variable]) => `-H "${name}: ${variable}"`),
    // A header without a value ends with a semicolon, since curl takes "name:" for the removal of the header.
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`),
    // --data-raw, because --data would read a file if the body began with @.
    ...(body === undefined ? [] : [`--data-raw ${quote(body)}`]),
  ];
  return parts.join(' \\\n  ');
}

/** In single quotes a shell changes nothing; a quote itself is written outside of them. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
