import { Page } from '../../layout/page';
import { m } from '../../paraglide/messages';
import { BalanceCard } from './balance-card';
import { ChargesCard } from './charges-card';
import { Quote } from './quote';
import { StatementCard } from './statement-card';
import { TopUp } from './top-up';

export function Component() {
  return (
    <Page title={m.shell_nav_credit()} description={m.credit_lead()}>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-2">
        <div className="grid gap-5">
          <BalanceCard />
          <Quote />
        </div>
        <TopUp />
      </div>
      <ChargesCard />
      <StatementCard />
    </Page>
  );
}
