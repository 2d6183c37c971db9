export interface Links {
  confirm(token: string): string;
  resetPassword(token: string): string;
  undoEmailChange(token: string): string;
  /** The page of the console about webhooks. */
  webhooks: string;
}

const apiPrefix = '/api/v1';

/** Links to pages of the gateway, whether its public URL is given with or without the version prefix. */
export function createLinks(publicUrl: string): Links {
  const given = publicUrl.replace(/\/+$/, '');
  const origin = given.endsWith(apiPrefix) ? given.slice(0, -apiPrefix.length) : given;
  const link = (path: string) => (token: string) => `${origin}${apiPrefix}${path}?token=${encodeURIComponent(token)}`;
  return {
    confirm: link('/accounts/confirm'),
    undoEmailChange: link('/users/undo-email-change'),
    resetPassword: link('/users/reset-password'),
    webhooks: `${origin}/console/webhooks`,
  };
}
