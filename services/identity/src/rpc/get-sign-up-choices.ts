import { GetSignUpChoicesResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { userQuantities } from '../domain/sign-up';
import type { Dependencies, Handler } from './dependencies';

export function getSignUpChoices({ signUpRules }: Dependencies): Handler<'getSignUpChoices'> {
  return async () =>
    GetSignUpChoicesResponse.fromPartial({
      domainSuffix: signUpRules.domainSuffix,
      crms: [...signUpRules.crmNames],
      userQuantities: [...userQuantities],
    });
}
