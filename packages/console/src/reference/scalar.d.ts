declare module 'virtual:scalar-url' {
  const url: string;
  export default url;
}

/** What Scalar's script leaves behind, as far as the reference uses it. */
declare const Scalar: {
  createApiReference(
    target: Element,
    configuration: Record<string, unknown>,
  ): { updateConfiguration(configuration: Record<string, unknown>): void };
};
