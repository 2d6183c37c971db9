import { Link } from 'react-router';
import { buttonStyle } from '../components/ui/button';
import { m } from '../paraglide/messages';
import { Page } from './page';

/** For an unknown address, and for what does not belong to the account: both look the same. */
export function NotFound() {
  return (
    <Page title={m.shell_not_found_title()} description={m.shell_not_found_text()}>
      <div>
        <Link to="/" className={buttonStyle({ look: 'primary' })}>
          {m.shell_not_found_back()}
        </Link>
      </div>
    </Page>
  );
}
