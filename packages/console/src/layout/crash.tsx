import { useRouteError } from 'react-router';
import { isNotFound } from '../api/errors';
import { Button } from '../components/ui/button';
import { m } from '../paraglide/messages';
import { NotFound } from './not-found';
import { Page } from './page';

/** Shown instead of a page that failed to draw. */
export function Crash() {
  const error = useRouteError();
  if (isNotFound(error)) return <NotFound />;
  return (
    <Page title={m.shell_crash_title()} description={m.shell_crash_text()}>
      <div>
        <Button look="primary" onClick={() => location.reload()}>
          {m.shell_crash_reload()}
        </Button>
      </div>
    </Page>
  );
}
