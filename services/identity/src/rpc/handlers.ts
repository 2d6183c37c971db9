import type { IdentityServiceService } from '@sabia/protos/sabia/identity/v1/service';
import type { Handlers } from '@sabia/service-kit/grpc/handler';
import { authenticate } from './authenticate';
import { authenticateOperator } from './authenticate-operator';
import { beginOperatorAct } from './begin-operator-act';
import { changePassword } from './change-password';
import { confirmEmail } from './confirm-email';
import { createAccessToken } from './create-access-token';
import { createOperator } from './create-operator';
import { createSession } from './create-session';
import { createUser } from './create-user';
import { deleteUser } from './delete-user';
import type { Dependencies } from './dependencies';
import { endOperatorAct } from './end-operator-act';
import { getAccount } from './get-account';
import { getConfirmation } from './get-confirmation';
import { getMe } from './get-me';
import { getOperatedAccount } from './get-operated-account';
import { getPasswordLink } from './get-password-link';
import { getSession } from './get-session';
import { getSignUpChoices } from './get-sign-up-choices';
import { getUser } from './get-user';
import { limitAccount } from './limit-account';
import { listAccessTokens } from './list-access-tokens';
import { listAccounts } from './list-accounts';
import { listDeadLetters } from './list-dead-letters';
import { listOperatorActs } from './list-operator-acts';
import { listOperators } from './list-operators';
import { listUsers } from './list-users';
import { login } from './login';
import { logout } from './logout';
import { replayDeadLetter } from './replay-dead-letter';
import { requestPasswordReset } from './request-password-reset';
import { resendConfirmation } from './resend-confirmation';
import { resetPassword } from './reset-password';
import { resumeAccount } from './resume-account';
import { revokeAccessToken } from './revoke-access-token';
import { revokeOperator } from './revoke-operator';
import { signUp } from './sign-up';
import { suspendAccount } from './suspend-account';
import { undoEmailChange } from './undo-email-change';
import { updateAccount } from './update-account';
import { updateUser } from './update-user';

/** The implemented rpcs, one file each. An rpc that is missing here answers UNIMPLEMENTED. */
export function createHandlers(dependencies: Dependencies): Handlers<IdentityServiceService> {
  return {
    authenticate: authenticate(dependencies),
    authenticateOperator: authenticateOperator(dependencies),
    beginOperatorAct: beginOperatorAct(dependencies),
    changePassword: changePassword(dependencies),
    confirmEmail: confirmEmail(dependencies),
    createAccessToken: createAccessToken(dependencies),
    createOperator: createOperator(dependencies),
    createSession: createSession(dependencies),
    createUser: createUser(dependencies),
    deleteUser: deleteUser(dependencies),
    endOperatorAct: endOperatorAct(dependencies),
    getAccount: getAccount(dependencies),
    getConfirmation: getConfirmation(dependencies),
    getMe: getMe(dependencies),
    getOperatedAccount: getOperatedAccount(dependencies),
    getPasswordLink: getPasswordLink(dependencies),
    getSession: getSession(dependencies),
    getSignUpChoices: getSignUpChoices(dependencies),
    getUser: getUser(dependencies),
    limitAccount: limitAccount(dependencies),
    listAccessTokens: listAccessTokens(dependencies),
    listAccounts: listAccounts(dependencies),
    listDeadLetters: listDeadLetters(dependencies),
    listOperatorActs: listOperatorActs(dependencies),
    listOperators: listOperators(dependencies),
    listUsers: listUsers(dependencies),
    login: login(dependencies),
    logout: logout(dependencies),
    replayDeadLetter: replayDeadLetter(dependencies),
    requestPasswordReset: requestPasswordReset(dependencies),
    resendConfirmation: resendConfirmation(dependencies),
    resetPassword: resetPassword(dependencies),
    resumeAccount: resumeAccount(dependencies),
    revokeAccessToken: revokeAccessToken(dependencies),
    revokeOperator: revokeOperator(dependencies),
    signUp: signUp(dependencies),
    suspendAccount: suspendAccount(dependencies),
    undoEmailChange: undoEmailChange(dependencies),
    updateAccount: updateAccount(dependencies),
    updateUser: updateUser(dependencies),
  };
}
