import type { Endpoint } from '../endpoints/endpoint';
import { createFormPage } from './form-page';
import { passwordForm } from './password-form';

/** The page behind the link in a password reset e-mail. */
export const createResetPasswordPage = (): Endpoint =>
  createFormPage('/api/v1/users/reset-password', (token) =>
    passwordForm({
      title: 'New password',
      heading: 'Choose a new password',
      label: 'At least eight characters',
      button: 'Change password',
      done: 'Your password is changed. You can log in with it now.',
      token,
    }),
  );
