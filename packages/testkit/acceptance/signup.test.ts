import { createMailbox } from '../src/mailbox';
import { blank, invalid, refusalOf, taken } from '../src/refusals';
import { signUpBody, signUpUser, type SignUpBody } from '../src/sign-up';
import { createStackClient } from '../src/stack-client';
import { testStack } from '../src/test-stack';

const crmNames =
  'ActiveCampaign, Agendor, AppFacilita, ExactSalesSpotter, Groner, HubSpot, Kommo, MoskitCRM, NectarCRM, Pipedrive, Piperun, ' +
  'Ploomes, RDCRM, Salesflow, Salesforce, SharpSpring, Zendesk, ZohoCRM, Outros';
const userQuantities = '1-5, 6-10, 11-20, 21-50, 50+';
const badDomain = [
  'format',
  'must be one name of letters, digits and hyphens followed by ".sabia.localhost"',
] satisfies [string, string];
const badEmail = ['format', 'is not a valid e-mail address'] satisfies [string, string];
const badPhone = ['format', 'is not a valid phone number'] satisfies [string, string];
const notText = ['type', 'must be a string'] satisfies [string, string];

const signUp = (body: unknown, headers: Record<string, string> = {}) =>
  createStackClient(testStack()).post('/accounts/signup', body, { headers });

describe('POST /accounts/signup', () => {
  let existing: SignUpBody;

  beforeAll(async () => {
    existing = await signUpUser(testStack());
  });

  it('answers status and message, and sends one mail, readable with and without HTML', async () => {
    const body = signUpBody();
    const answer = await signUp(body);
    expect(answer.status).toBe(201);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.body).toEqual({
      status: 201,
      message: 'Account created. Follow the link in the e-mail that was sent to you to activate it.',
    });
    const mail = await createMailbox(testStack().mailboxUrl).waitForMail(body.email);
    expect(mail.subject).toBe('Confirme seu e-mail para ativar sua conta no Sabiá');
    const [link] = mail.text.match(/http:\/\/\S+\/api\/v1\/accounts\/confirm\?token=[\w-]{43}/) ?? [];
    expect(link).toBeDefined();
    expect(mail.html).toContain(`href="${link}"`);
    expect(mail.text).toContain(body.domain);
    expect(mail.html).toContain(body.domain);
  });

  it('accepts loosely typed bodies: numbers for strings, other letter case, blanks around, extra fields, any token', async () => {
    const body = signUpBody();
    const answer = await signUp(
      {
        ...body,
        organization_name: `  ${body.organization_name} `,
        domain: ` ${body.domain.toUpperCase()}`,
        email: `${body.email.toUpperCase()} `,
        phone: 5511987654321,
        crm: 'hubspot',
        id: 17,
        role: 'USER',
        utm: { source: 'x' },
      },
      { authorization: 'a'.repeat(64) },
    );
    expect(answer.status).toBe(201);
    // The sign-up keeps the domain until it is confirmed or a week has passed; the same person may repeat it.
    expect(refusalOf(await signUp({ ...signUpBody(), domain: body.domain }))).toEqual(
      invalid('account', { domain: taken }),
    );
    expect((await signUp(body)).status).toBe(201);
  });

  it.each([
    ['organization_name', undefined, blank],
    ['organization_name', '   ', blank],
    ['organization_name', 'x'.repeat(201), ['length', 'must be at most 200 characters long']],
    ['organization_name', 'two\nlines', ['format', 'must not contain control characters']],
    ['organization_name', ['x'], notText],
    ['domain', undefined, blank],
    ['domain', null, blank],
    ['domain', 'example.com', badDomain],
    ['domain', '.sabia.localhost', badDomain],
    ['domain', 'a.b.sabia.localhost', badDomain],
    ['domain', '-a.sabia.localhost', badDomain],
    ['domain', 'a_b.sabia.localhost', badDomain],
    ['domain', `${'x'.repeat(64)}.sabia.localhost`, badDomain],
    ['domain', 'sabiá.sabia.localhost', badDomain],
    ['email', undefined, blank],
    ['email', 'nobody', badEmail],
    ['email', 'a@b', badEmail],
    ['email', 'a b@example.com', badEmail],
    ['email', 'a@example.com, b@example.com', badEmail],
    ['email', true, notText],
    ['password', undefined, blank],
    ['password', '', blank],
    ['password', '1234567', ['length', 'must be at least 8 characters long']],
    ['password', 'x'.repeat(257), ['length', 'must be at most 256 characters long']],
    ['password', {}, notText],
    ['phone', undefined, blank],
    ['phone', '123', badPhone],
    ['phone', 'telephone', badPhone],
    ['phone', '+55 11 1234', badPhone],
    ['crm', undefined, blank],
    ['crm', 'Excel', ['inclusion', `must be one of ${crmNames}`]],
    ['user_quantity', undefined, blank],
    ['user_quantity', '3', ['inclusion', `must be one of ${userQuantities}`]],
    ['user_quantity', 5, ['type', 'must be a string']],
  ] as [string, unknown, [string, string]][])('refuses %s %j', async (field, value, problem) => {
    expect(refusalOf(await signUp({ ...signUpBody(), [field]: value }))).toEqual(
      invalid('account', { [field]: problem }),
    );
  });

  it('names everything that is wrong in one answer', async () => {
    expect(refusalOf(await signUp({}))).toEqual(
      invalid('account', {
        organization_name: blank,
        domain: blank,
        email: blank,
        password: blank,
        phone: blank,
        crm: blank,
        user_quantity: blank,
      }),
    );
  });

  it('refuses an e-mail and a domain that are taken', async () => {
    expect(refusalOf(await signUp(signUpBody({ email: existing.email })))).toEqual(
      invalid('account', { email: taken }),
    );
    expect(refusalOf(await signUp(signUpBody({ domain: existing.domain })))).toEqual(
      invalid('account', { domain: taken }),
    );
  });

  // The e-mail is taken, so that nothing is created and the answer names the other errors.
  it.each([
    ...crmNames.split(', ').map((crm) => ({ crm })),
    ...userQuantities.split(', ').map((user_quantity) => ({ user_quantity })),
    { phone: '(11) 98765-4321' },
    { phone: '011 3456-7890' },
    { phone: '5511987654321' },
    { phone: '+1 212 736 5000' },
    { password: '12345678' },
    { password: 'ç'.repeat(256) },
    { domain: `${'x'.repeat(63)}.sabia.localhost` },
  ])('accepts %j', async (values) => {
    const answer = await signUp({ ...signUpBody({ email: existing.email }), ...values });
    expect(refusalOf(answer)).toEqual(invalid('account', { email: taken }));
  });
});
