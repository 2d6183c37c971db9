import { createAdmin, createUser } from '../src/people';
import { testStack } from '../src/test-stack';

it('a stolen token cannot outlive a change of the password by minting others', async () => {
  const admin = await createAdmin(testStack());
  let minted = 0;
  for (let round = 0; round < 15; round += 1) {
    const someone = await createUser(admin);
    const stolen = (await someone.api().post<{ id: string }>('/users/accessTokens', {})).body.id;
    let over = false;
    const tokens: string[] = [];
    const thieves = Array.from({ length: 6 }, async () => {
      while (!over) {
        const answer = await someone.api().withToken(stolen).post<{ id: string }>('/users/accessTokens', {});
        if (answer.status === 200) tokens.push(answer.body.id);
        else if (answer.status !== 401) throw new Error(answer.text);
        else break;
      }
    });
    const change = { password: 'a new password', currentPassword: someone.password };
    expect((await someone.api().patch('/users', change)).status).toBe(200);
    over = true;
    await Promise.all(thieves);
    minted += tokens.length;
    const alive = await Promise.all(tokens.map(async (t) => (await someone.api().withToken(t).head('/users/accessTokens')).status));
    expect(alive.filter((s) => s === 200)).toEqual([]);
  }
  console.log(minted);
}, 120_000);
