import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { failure, LOOPBACK } from '../../../test/support/egress.ts';
import { startSite } from '../../../test/support/internet.ts';
import { createEgress } from './egress.ts';
import type { Interfaces } from './local-network.ts';

const egress = createEgress({ allow: LOOPBACK });

describe('an address that is not public is refused before connecting', () => {
  const guarded = createEgress({
    resolver: async (name) => (name.startsWith('six.') ? ['2606:4700::1', 'fd00::1'] : ['127.0.0.1']),
  });

  test.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.0.0.1/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://127.0.0.1./',
    'http://127.0.0.1:22/',
    'http://0/',
    'http://0.0.0.0:8080/',
    'http://①②⑦.⓪.⓪.①/',
    'http://１２７.0.0.1/',
    'http://127。0。0。1/',
    'http://%31%32%37.0.0.1/',
    'http://10.0.0.5/admin',
    'http://192.168.1.1/',
    'http://172.16.0.1/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://0xa9fea9fe/',
    'http://2852039166/',
    'http://168.63.129.16/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::]/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[2002:7f00:1::]/',
    'http://[2001:0:1:2:3:4:5:6]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://[ff02::1]/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://anything.example/',
    'https://anything.example:8443/',
    'http://six.example/',
  ])('%s', async (url) => {
    expect(await failure(guarded.request(url))).toMatchObject({ code: 'E_SSRF_BLOCKED', isTransient: false });
    expect(await failure(guarded.check(url))).toMatchObject({ code: 'E_SSRF_BLOCKED' });
  });

  test('and a server that listens there receives nothing', async () => {
    const site = await startSite((_request, response) => response.end());
    expect(await failure(createEgress().request(site.url))).toMatchObject({ code: 'E_SSRF_BLOCKED' });
    expect(await failure(createEgress().request(`http://localhost:${site.port}`))).toMatchObject({
      code: 'E_SSRF_BLOCKED',
    });
    expect(site.connections).toBe(0);
  });
});

test.each([
  'ftp://example.com/',
  'file:///etc/passwd',
  'data:text/plain,x',
  'javascript:alert(1)',
  'gopher://127.0.0.1/',
  'http://',
  'http://user@example.com/',
  'http://user:password@example.com/',
  'http://example.com@127.0.0.1/',
  'http://1.2.3.4.5/',
  'http://[::1%25eth0]/',
  'not a url',
  '',
])('%s is not a valid address', async (url) => {
  expect(await failure(egress.request(url))).toMatchObject({ code: 'E_INVALID_URL', isTransient: false });
});

describe('names', () => {
  test('all addresses of a name are checked, not only the first', async () => {
    const guarded = createEgress({ resolver: async () => ['93.184.216.34', '10.0.0.1'] });
    expect(await failure(guarded.request('http://mixed.example/'))).toMatchObject({ code: 'E_SSRF_BLOCKED' });
  });

  test('the connection uses the checked address, even if the name resolves to another one later (DNS rebinding)', async () => {
    const good = await startSite((_request, response) => response.end('good'));
    const evil = await startSite((_request, response) => response.end('evil'), '127.0.0.2', good.port);
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.2']];
    let asked = 0;
    const guarded = createEgress({
      allow: ['127.0.0.1/32'],
      resolver: async () => answers[asked++] ?? [],
    });
    const url = `http://rebinding.example:${good.port}/`;
    expect((await guarded.fetchText(url)).text).toBe('good');
    expect(asked).toBe(1);
    expect(await failure(guarded.fetchText(url))).toMatchObject({ code: 'E_SSRF_BLOCKED' });
    expect([good.connections, evil.connections]).toEqual([1, 0]);
  });

  test('the next checked address is tried when one does not respond', async () => {
    const site = await startSite((_request, response) => response.end('second'), '127.0.0.3');
    const guarded = createEgress({ allow: LOOPBACK, resolver: async () => ['127.0.0.4', '127.0.0.3'] });
    expect((await guarded.fetchText(`http://two.example:${site.port}/`)).text).toBe('second');
  });

  test('an exception for a host applies only to its port', async () => {
    const site = await startSite((request, response) => response.end(request.headers.host));
    const other = await startSite((_request, response) => response.end());
    const guarded = createEgress({
      allow: [`wiki.example:${site.port}`],
      resolver: async () => ['127.0.0.1'],
    });
    expect((await guarded.fetchText(`http://wiki.example:${site.port}/`)).text).toBe(
      `wiki.example:${site.port}`,
    );
    await guarded.check(`http://wiki.example:${site.port}/`);
    for (const url of [`http://wiki.example:${other.port}/`, site.url]) {
      expect(await failure(guarded.request(url))).toMatchObject({ code: 'E_SSRF_BLOCKED' });
    }
    expect(other.connections).toBe(0);
  });

  test.each([
    ['ENOTFOUND', 'E_SSRF_BLOCKED', false],
    ['EAI_AGAIN', 'E_DNS_FAILED', true],
  ])('a lookup that fails with %s is %s', async (code, expected, isTransient) => {
    const resolver = () => Promise.reject(Object.assign(new Error('no'), { code }));
    expect(await failure(createEgress({ resolver }).request('http://gone.example/'))).toMatchObject({
      code: expected,
      isTransient,
    });
  });

  test('a name without an address counts as not found', async () => {
    expect(
      await failure(createEgress({ resolver: async () => [] }).check('http://no.example/')),
    ).toMatchObject({
      code: 'E_SSRF_BLOCKED',
    });
  });

  test('an unknown name and a name with a private address have the same error message', async () => {
    const resolver = async (name: string) => {
      if (name === 'internal.example') return ['10.0.0.1'];
      throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    };
    const guarded = createEgress({ resolver });
    const answerFor = async (name: string) => {
      const { code, message, isTransient } = await failure(guarded.request(`http://${name}/`));
      return { code, message: message.replace(name, 'NAME'), isTransient };
    };
    const answer = await answerFor('internal.example');
    expect(await answerFor('missing.example')).toEqual(answer);
    expect(answer.message).not.toMatch(/private|10\.0|NEXUS_/);
    // The log has the difference.
    expect((await failure(guarded.check('http://internal.example/'))).cause).toMatchObject({
      message: '10.0.0.1 is a private address',
    });
  });

  test('a lookup that never ends times out', async () => {
    const slow = createEgress({ resolver: () => new Promise(() => {}), limits: { connectMs: 20 } });
    for (const call of [slow.request('http://slow.example/'), slow.check('http://slow.example/')]) {
      expect(await failure(call)).toMatchObject({ code: 'E_TIMEOUT', isTransient: true });
    }
  });
});

describe('addresses of this machine and its network', () => {
  const interfaces = (() => ({
    lo: [{ address: '127.0.0.1', family: 'IPv4', cidr: '127.0.0.1/8' }],
    eth0: [
      { address: '93.184.216.34', family: 'IPv4', cidr: '93.184.216.34/24' },
      { address: '2606:2800:220:1::5', family: 'IPv6', cidr: '2606:2800:220:1::5/64' },
      { address: '2606:2800:220:2::5', family: 'IPv6', cidr: null },
    ],
    down: undefined,
  })) as unknown as Interfaces;
  const guarded = createEgress({ interfaces, resolver: async () => ['93.184.216.34'] });

  test.each([
    'http://93.184.216.34/',
    'http://[::ffff:93.184.216.34]/',
    'http://[64:ff9b::93.184.216.34]/',
    'http://own.example/',
    'http://[2606:2800:220:1::5]/',
    'http://[2606:2800:220:1:ffff::9]/',
    'http://[2606:2800:220:2::5]/',
  ])('%s is refused', async (url) => {
    expect(await failure(guarded.check(url))).toMatchObject({ code: 'E_SSRF_BLOCKED' });
  });

  test.each(['http://93.184.216.35/', 'http://[2606:2800:220:2::6]/', 'http://[2606:2800:221:1::5]/'])(
    '%s is outside, and is allowed',
    async (url) => {
      await guarded.check(url);
    },
  );

  test('are read for every request, and can be allowed', async () => {
    let own: ReturnType<Interfaces> = {};
    const changing = createEgress({ interfaces: () => own });
    await changing.check('http://93.184.216.34/');
    own = interfaces();
    expect(await failure(changing.check('http://93.184.216.34/'))).toMatchObject({ code: 'E_SSRF_BLOCKED' });
    await createEgress({ interfaces, allow: ['93.184.216.34/32'] }).check('http://93.184.216.34/');
  });

  test('include the real addresses of this machine', async () => {
    const mine = Object.values(networkInterfaces()).flatMap((infos) => infos ?? []);
    for (const { address, family } of mine) {
      const host = family === 'IPv6' ? `[${address.split('%')[0]}]` : address;
      expect(await failure(createEgress().check(`http://${host}/`))).toMatchObject({
        code: 'E_SSRF_BLOCKED',
      });
    }
  });
});
