import type { HttpResponse } from '../http/response';
import { consoleHeaders } from '../http/headers';
import type { ConsoleFile, ConsoleFiles } from './console-files';
import { chooseEncoding } from './console-files';

export const CONSOLE_PATH = '/console';

/** The address of the file whose name below /console/ matches, or undefined. */
export function fileAddress({ files }: ConsoleFiles, pattern: RegExp): string | undefined {
  const name = [...files.keys()].find((each) => pattern.test(each));
  return name === undefined ? undefined : `${CONSOLE_PATH}/${name}`;
}

/** A file of the console, or its page for every other address below /console. Undefined: a file that does not exist. */
export function consoleResponse(
  { page, files }: ConsoleFiles,
  path: string,
  acceptEncoding: string | undefined,
): HttpResponse | undefined {
  const name = path.slice(CONSOLE_PATH.length + 1);
  const file = files.get(name);
  if (file !== undefined) {
    return send(file, acceptEncoding);
  }
  // A page of an older release asks for its own scripts: they are gone, and HTML in their place would not run.
  return name.startsWith('assets/') ? undefined : send(page, acceptEncoding);
}

function send(file: ConsoleFile, acceptEncoding: string | undefined): HttpResponse {
  const [coding, content] = chooseEncoding(file, acceptEncoding);
  return {
    status: 200,
    body: content,
    contentType: file.contentType,
    base: consoleHeaders,
    headers: {
      'cache-control': file.hashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'Accept-Encoding',
      ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
    },
  };
}
