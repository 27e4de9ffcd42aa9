import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAllowedAddress } from './allowed-address.ts'
import { insideOf } from './network.ts'

const nothing = insideOf([])
const strict = { allowed: nothing, loopback: false }

/** Every denied IPv4 network: the last address before it, its first and last, the first one after it. */
for (const [network, before, first, last, after] of [
  ['0.0.0.0/8', undefined, '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['10.0.0.0/8', '9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['100.64.0.0/10', '100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['127.0.0.0/8', '126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['168.63.129.16/32', '168.63.129.15', '168.63.129.16', '168.63.129.16', '168.63.129.17'],
  ['169.254.0.0/16', '169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['172.16.0.0/12', '172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['192.0.0.0/24', '191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
  ['192.0.2.0/24', '192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
  ['192.88.99.0/24', '192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
  ['192.168.0.0/16', '192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['198.18.0.0/15', '198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  ['198.51.100.0/24', '198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
  ['203.0.113.0/24', '203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ['224.0.0.0/4 and 240.0.0.0/4', '223.255.255.255', '224.0.0.0', '255.255.255.255', undefined],
] as const) {
  test(`${network} is denied from its first address to its last, plain and mapped`, () => {
    for (const spelled of [(address: string) => address, (address: string) => `::ffff:${address}`]) {
      for (const address of [first, last]) assert.equal(isAllowedAddress(spelled(address), strict), false)
      for (const address of [before, after]) {
        if (address) assert.equal(isAllowedAddress(spelled(address), strict), true, spelled(address))
      }
    }
  })
}

const f = 'ffff'
for (const [network, before, first, last, after] of [
  ['2001::/23', `2000:${f}:${f}:${f}:${f}:${f}:${f}:${f}`, '2001::', `2001:1ff:${f}::1`, '2001:200::'],
  ['2001:db8::/32', `2001:db7:${f}::1`, '2001:db8::', `2001:db8:${f}:${f}::1`, '2001:db9::'],
  ['2002::/16', `2001:${f}::1`, '2002::', `2002:${f}::1`, '2003::'],
  ['3fff::/20', `3ffe:${f}::1`, '3fff::', '3fff:fff::1', '3fff:1000::'],
  ['everything below 2000::/3', undefined, '::2', `1fff:${f}:${f}:${f}:${f}:${f}:${f}:${f}`, '2000::'],
  [
    'everything above 2000::/3',
    `3fff:${f}:${f}::1`,
    '4000::',
    `${f}:${f}:${f}:${f}:${f}:${f}:${f}:${f}`,
    undefined,
  ],
] as const) {
  test(`${network} is denied from its first address to its last`, () => {
    for (const address of [first, last]) assert.equal(isAllowedAddress(address, strict), false, address)
    for (const address of [before, after]) {
      if (address) assert.equal(isAllowedAddress(address, strict), true, address)
    }
  })
}

for (const address of [
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::127.0.0.1',
  '::8.8.8.8',
  '::ffff:0:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '64:ff9b::7f00:1',
  '64:ff9b:1::8.8.8.8',
  '64:ff9b:1:ffff::1',
  '100::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'FD12:3456:789A::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '2002:7f00:1::',
  // Not addresses, or not in the one spelling that a resolver answers with.
  '',
  'localhost',
  'example.com',
  '127.1',
  '0177.0.0.1',
  '2130706433',
  '0x7f000001',
  '8.8.8.8.',
  ' 8.8.8.8',
  '8.8.8.8%eth0',
  '[2606:4700::1111]',
  'fe80::1%eth0',
  '2606:4700::1111%1',
]) {
  test(`${JSON.stringify(address)} is denied`, () => {
    assert.equal(isAllowedAddress(address, strict), false)
  })
}

for (const address of ['8.8.8.8', '::ffff:8.8.8.8', '::FFFF:808:808', '2606:4700::1111', '2a00:1450::8A']) {
  test(`${address} is allowed`, () => {
    assert.equal(isAllowedAddress(address, strict), true)
  })
}

/** Metadata and link-local, in every form that could carry them. */
for (const address of [
  '169.254.0.0',
  '169.254.169.254',
  '169.254.255.255',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '::169.254.169.254',
  '::ffff:0:169.254.169.254',
  '64:ff9b::169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::169.254.169.254',
  '2002:a9fe:a9fe::1',
  '100.100.100.200',
  '::ffff:100.100.100.200',
  '64:ff9b::100.100.100.200',
  '2002:6464:64c8::',
  '168.63.129.16',
  '::ffff:168.63.129.16',
  '2002:a83f:8110::1',
  'fe80::',
  'fe80::1',
  'febf:ffff::1',
  'fd00:ec2::254',
  'fd00:0ec2:0:0:0:0:0:0254',
]) {
  test(`${address} stays denied when exceptions name it and everything else`, () => {
    const everything = insideOf(['0.0.0.0/0', '::/0', `${address}/${address.includes(':') ? 128 : 32}`])
    assert.equal(isAllowedAddress(address, { allowed: everything, loopback: true }), false)
  })
}

test('an exception opens its network to its edges, also for the mapped spelling, and nothing beside it', () => {
  const rule = { allowed: insideOf(['10.1.0.0/16', 'fd12::/16', '100.100.100.0/24']), loopback: false }
  for (const [address, expected] of [
    ['10.0.255.255', false],
    ['10.1.0.0', true],
    ['10.1.255.255', true],
    ['10.2.0.0', false],
    ['::ffff:10.1.2.3', true],
    ['::ffff:10.2.2.3', false],
    ['fd11:ffff::1', false],
    ['fd12::', true],
    ['fd13::', false],
    ['100.100.100.199', true],
    ['100.100.100.200', false],
    ['100.100.100.201', true],
    ['127.0.0.1', false],
    ['::1', false],
  ] as const) {
    assert.equal(isAllowedAddress(address, rule), expected, address)
  }
})

test('loopback is open in development, and nothing else is', () => {
  const rule = { allowed: nothing, loopback: true }
  for (const [address, expected] of [
    ['126.255.255.255', true],
    ['127.0.0.0', true],
    ['127.0.0.1', true],
    ['127.255.255.255', true],
    ['::ffff:127.0.0.1', true],
    ['::1', true],
    ['::', false],
    ['::2', false],
    ['::127.0.0.1', false],
    ['64:ff9b::127.0.0.1', false],
    ['2002:7f00:1::', false],
    ['0.0.0.0', false],
    ['10.0.0.1', false],
    ['192.168.0.1', false],
    ['fd00::1', false],
  ] as const) {
    assert.equal(isAllowedAddress(address, rule), expected, address)
  }
})

test('the operator may except this machine by name of its network, and then only that part', () => {
  const rule = { allowed: insideOf(['127.0.0.1/32']), loopback: false }
  assert.equal(isAllowedAddress('127.0.0.1', rule), true)
  assert.equal(isAllowedAddress('127.0.0.2', rule), false)
  assert.equal(isAllowedAddress('::1', rule), false)
})
