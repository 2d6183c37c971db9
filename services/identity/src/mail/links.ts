export interface Links {
  confirm(token: string): string;
  resetPassword(token: string): string;
  undoEmailChange(token: string): string;
}

const apiPrefix = '/api/v1';

/** Links to pages of the gateway, whether its public URL is given with or without the version prefix. */
export function createLinks(publicUrl: string): Links {
  const origin = publicUrl.replace(/\/+$/, '');
  const base = origin.endsWith(apiPrefix) ? origin : `${origin}${apiPrefix}`;
  return {
    confirm: (token) => `${base}/accounts/confirm?token=${encodeURIComponent(token)}`,
    undoEmailChange: (token) => `${base}/users/undo-email-change?token=${encodeURIComponent(token)}`,
    resetPassword: (token) => `${base}/users/reset-password?token=${encodeURIComponent(token)}`,
  };
}
