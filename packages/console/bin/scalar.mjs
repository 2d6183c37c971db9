// Scalar, the renderer of the API reference, as one script for browsers.
import fastifyApiReference from '@scalar/fastify-api-reference';

/**
 * Scalar's own package brings the whole tool chain along with the script. The one for Fastify is small and carries the same script, as the
 * content of a route; so it is given a server that only takes this route.
 */
export function scalarScript() {
  let script;
  const reply = { header: () => reply, send: (content) => (script = content) };
  const server = {
    route({ url, handler }) {
      if (url.endsWith('.js')) handler(undefined, reply);
    },
  };
  fastifyApiReference(server, { configuration: { url: '/openapi.json' } }, () => undefined);
  if (typeof script !== 'string') throw new Error('@scalar/fastify-api-reference has no script any more');
  return script;
}
