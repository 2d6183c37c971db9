import { Page } from '../../layout/page';
import { m } from '../../paraglide/messages';

export function Component() {
  return <Page title={m.shell_nav_people()}>{null}</Page>;
}
