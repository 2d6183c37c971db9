import { constraintOf, pairsOf, settingsOf } from './integration-settings';

test('a constraint reads back from the rows of its editor', () => {
  const constraint = { campaign: 'march', metadata: { team: 'norte' }, attempt: 2 };
  const pairs = pairsOf(constraint);
  expect(pairs).toEqual([
    { key: 'campaign', value: 'march' },
    { key: 'team', value: 'norte' },
    { key: 'attempt', value: '2' },
  ]);
  expect(constraintOf([...pairs, { key: ' ', value: 'left out' }])).toEqual({
    campaign: 'march',
    team: 'norte',
    attempt: '2',
  });
});

test('an integration that names no types has those of the API', () => {
  const integration = { id: 1, gateway: 'crm', webhook: true, webhookConstraint: null, metadata: { webhookUrl: 7 } };
  expect(settingsOf(integration as never)).toMatchObject({
    webhookUrl: '',
    webhookTypes: ['channel-answer', 'channel-hangup'],
    constraint: {},
  });
});
