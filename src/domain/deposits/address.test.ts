import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressProblem } from './address.ts'

const nobody = () => false
const problemIn = (mode: 'live' | 'test', text: string, isTrustedHost: (host: string) => boolean = nobody) =>
  addressProblem(text, { mode, isTrustedHost })?.text

for (const address of [
  'https://shop.example',
  'https://shop.example/',
  'https://shop.example/callback?a=1&b=2#part',
  'https://shop.example:443/x',
  'https://shop.example:8443/x',
  'https://пример.рф/оплата',
  'https://shop.example/@user',
  `https://${'a.'.repeat(123)}example/`,
  'https://shop.example?to=me@shop.example',
  'https://shop.example#me@shop.example',
  'https://shop.example/a:b',
  'HTTPS://SHOP.EXAMPLE/x',
  `https://shop.example/${'x'.repeat(2_000 - 'https://shop.example/'.length)}`,
]) {
  test(`${address.slice(0, 60)} is fine for a live and for a test merchant`, () => {
    assert.deepEqual([problemIn('live', address), problemIn('test', address)], [undefined, undefined])
  })
}

const absolute = 'Enter a full http or https address.'
const hostTooLong = 'The host name can have at most 253 characters in its xn-- form.'
const noUser = 'The address must not contain a user name or password.'
for (const [address, expected] of [
  ['', absolute],
  ['/callback', absolute],
  ['shop.example/callback', absolute],
  ['//shop.example', absolute],
  ['https:shop.example', absolute],
  ['https:/shop.example', absolute],
  ['https://', absolute],
  ['https:///shop.example', absolute],
  ['https://?x', absolute],
  ['https://#x', absolute],
  ['ftp://shop.example', absolute],
  ['javascript://shop.example/%0aalert(1)', absolute],
  ['data:text/html,x', absolute],
  [' https://shop.example', absolute],
  ['https://shop.example ', absolute],
  ['https://shop.example/a b', absolute],
  ['https://shop.example/a\tb', absolute],
  ['https://shop.example\\@evil.example', absolute],
  ['https:\\\\shop.example', absolute],
  ['https://shop.example/\\evil.example', absolute],
  ['https://[::1', absolute],
  ['https://shop.example:99999', absolute],
  ['https://shop example', absolute],
  ['https://a%zz.example', absolute],
  ['https://user:secret@shop.example', noUser],
  ['https://user@shop.example', noUser],
  ['https://@shop.example', noUser],
  ['https://:@shop.example', noUser],
  ['https://shop.example@evil.example/x', noUser],
  [
    `https://shop.example/${'x'.repeat(2_001 - 'https://shop.example/'.length)}`,
    'The address can have at most 2000 characters.',
  ],
  [`https://${'a.'.repeat(124)}example/`, hostTooLong],
  [`https://${'字.'.repeat(40)}example/`, hostTooLong],
] as const) {
  test(`${JSON.stringify(address.slice(0, 60))} is refused with and without exceptions`, () => {
    assert.deepEqual([problemIn('live', address), problemIn('test', address)], [expected, expected])
    // Trust in a host does not make its address well formed.
    assert.equal(
      problemIn('live', address, () => true),
      expected,
    )
  })
}

for (const [address, expected] of [
  ['http://shop.example/x', 'A live merchant must use https.'],
  ['https://shop.example:8080/', 'A live merchant must use port 443 or 8443.'],
  ['https://shop.example:80/', 'A live merchant must use port 443 or 8443.'],
  ['https://203.0.113.7/', 'A live merchant must use a host name, not an IP address.'],
  ['https://[2001:db8::1]/', 'A live merchant must use a host name, not an IP address.'],
  ['https://2130706433/', 'A live merchant must use a host name, not an IP address.'],
  ['https://0x7f.1/', 'A live merchant must use a host name, not an IP address.'],
  ['https://127.1/', 'A live merchant must use a host name, not an IP address.'],
  ['http://localhost:3000/', 'A live merchant must use https.'],
] as const) {
  test(`${address} is refused to a live merchant, and fine in test mode`, () => {
    assert.deepEqual([problemIn('live', address), problemIn('test', address)], [expected, undefined])
  })
}

test('a host that the operator trusts may use http and any port, and only that host', () => {
  const trusted = (host: string) => host === '10.1.2.3' || host === '[fd00::1]'
  for (const [address, expected] of [
    ['http://10.1.2.3:3000/x', undefined],
    ['https://10.1.2.3/x', undefined],
    ['http://[fd00::1]:3000/', undefined],
    ['http://10.1.2.4:3000/x', 'A live merchant must use https.'],
    ['http://10.1.2.3.shop.example/', 'A live merchant must use https.'],
  ] as const) {
    assert.equal(problemIn('live', address, trusted), expected, address)
  }
})

test('no sentence repeats the address', () => {
  for (const address of [
    'https://u:secret@h.example',
    'ftp://secret',
    'http://secret',
    'https://secret:1/',
  ]) {
    assert.doesNotMatch(problemIn('live', address)!, /secret/)
  }
})
