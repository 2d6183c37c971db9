import type { Endpoint } from '../endpoints/endpoint';
import { createFormPage } from './form-page';
import { passwordForm } from './password-form';

/** The page behind the link in the e-mail that announces a change of the user's address to the old address. */
export const createUndoEmailChangePage = (): Endpoint =>
  createFormPage('/api/v1/users/undo-email-change', (token) =>
    passwordForm({
      title: 'Undo the change',
      heading: 'Keep your e-mail address',
      introduction:
        '<p>Whoever changed it may know your password, so please choose a new one. All devices are logged out, and the address that this e-mail came to is the one of your user again.</p>',
      label: 'A new password of at least eight characters',
      button: 'Undo the change',
      done: 'The change is undone. You can log in with your e-mail address and your new password.',
      token,
    }),
  );
