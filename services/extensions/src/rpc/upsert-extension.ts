import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { UpsertExtensionResponse } from '@sabia/protos/sabia/extensions/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import type { Credentials, StoredExtension } from '../domain/extension';
import { planChange } from '../domain/extension-change';
import type { PlannedChange } from '../domain/extension-change';
import { checkExtensionChange } from '../domain/extension-input';
import type { ExtensionInput } from '../domain/extension-input';
import { digestOf } from '../domain/senha';
import { Violations } from '@sabia/service-kit/validation/violations';
import { extensionUpdated } from '../events/published';
import { lockExtension, updateExtension } from '../storage/extensions';
import { removeLink } from '../storage/provisioning-links';
import { addExtension } from './add-extension';
import type { Dependencies, Handler } from './dependencies';
import { toInput, toMessageFor, toReader } from './messages';
import { addTakenRamal, namingTakenRamal } from './taken-ramal';

export function upsertExtension(dependencies: Dependencies): Handler<'upsertExtension'> {
  return async (request, context) => {
    const caller = requireCaller(context);
    const input = toInput(request);
    const extension = request.id
      ? await changeExtension(dependencies, caller, request.id, input)
      : await addExtension(dependencies, caller, input);
    return UpsertExtensionResponse.fromPartial({
      extension: toMessageFor(toReader(caller), extension, dependencies.vault),
    });
  };
}

async function changeExtension(
  { database, outbox, turns, dropFromCaches, vault, phoneCountry, now }: Dependencies,
  caller: Caller,
  id: number,
  input: ExtensionInput,
): Promise<StoredExtension> {
  const { accountId } = caller;

  const change = () =>
    database.transaction(async (tx) => {
      const current = await lockExtension(tx, accountId, id);
      if (current === undefined) {
        throw notFound('extension', id);
      }
      const violations = new Violations();
      const wanted = checkExtensionChange(violations, input, phoneCountry, current);
      await addTakenRamal(tx, violations, { accountId, ramal: wanted.ramal, exceptId: id });
      violations.throwIfAny('extension');

      const plan = planChange(current, wanted, toReader(caller));
      if (!plan.changed) {
        return current;
      }
      const credentials = credentialsFor(current, plan, wanted.senha);
      const extension = await updateExtension(tx, id, { ...plan.fields, ...credentials }, now());
      const previousRamal = plan.ramalChanged ? current.ramal : undefined;
      // Its owner or its senha may be another one now.
      await removeLink(tx, id);
      const credentialsChanged = plan.ramalChanged || plan.senhaChanged;
      await outbox.write(tx, [extensionUpdated(extension, { credentialsChanged, previousRamal })]);
      return extension;
    });

  /** The digest contains the number as well as the senha. */
  const credentialsFor = (current: StoredExtension, plan: PlannedChange, newSenha: string | undefined): Credentials => {
    if (!plan.ramalChanged && !plan.senhaChanged) {
      const { senhaKeyId, senhaSealed, ha1 } = current;
      return { senhaKeyId, senhaSealed, ha1 };
    }
    const senha = newSenha ?? vault.open(accountId, current);
    return {
      ...vault.seal(accountId, senha),
      ha1: digestOf({ ramal: plan.fields.ramal, domain: current.domain }, senha),
    };
  };

  const extension = await namingTakenRamal(turns.run(accountId, change));
  // Also when nothing was changed: the request may repeat one whose answer was lost, and its broadcast with it.
  await dropFromCaches(accountId);
  return extension;
}
