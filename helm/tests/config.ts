/** The Helm that npm run chart:check has obtained. */
export function helmProgram(env: NodeJS.ProcessEnv = process.env): string {
  const { SABIA_HELM: program } = env;
  if (!program) throw new Error('these tests need Helm: npm run chart:check obtains it and runs them');
  return program;
}

export const searchPath = (env: NodeJS.ProcessEnv = process.env): string => env.PATH ?? '';
