import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isInside, networkOf, parseNetwork, siteOf } from './network.ts'

const byte = fc.integer({ min: 0, max: 255 })
const ipv4 = fc.tuple(byte, byte, byte, byte)
const group = fc.integer({ min: 0, max: 0xffff })
const halfAddress = fc.tuple(group, group, group, group)
/** The first group of addresses that are given out: 2000::/3. */
const givenOut = fc.tuple(fc.integer({ min: 0x2000, max: 0x3fff }), group, group, group)

const hex = (groups: readonly number[], pad = 0) =>
  groups.map((group) => group.toString(16).padStart(pad, '0')).join(':')

/** Every way to write one IPv6 address. */
function spellings(groups: readonly number[]): string[] {
  const plain = hex(groups)
  const shortened: string[] = []
  for (let from = 0; from < 8; from++) {
    for (let to = from + 1; to <= 8; to++) {
      if (groups.slice(from, to).every((group) => group === 0))
        shortened.push(`${hex(groups.slice(0, from))}::${hex(groups.slice(to))}`)
    }
  }
  const [a, b] = groups.slice(6) as [number, number]
  const dotted = `${hex(groups.slice(0, 6))}:${[a >> 8, a & 255, b >> 8, b & 255].join('.')}`
  const all = [plain, hex(groups, 4), dotted, ...shortened]
  return [
    ...all,
    ...all.map((address) => address.toUpperCase()),
    ...all.map((address) => `${address}%eth0`),
    ...all.flatMap((address) => [`[${address}]`, `[${address}]:443`]),
  ]
}

test('an IPv4 address is a network of its own, also when it is written as IPv6 or with a port', () => {
  fc.assert(
    fc.property(ipv4, (bytes) => {
      const address = bytes.join('.')
      const [a, b, c, d] = bytes
      const mapped = spellings([0, 0, 0, 0, 0, 0xffff, (a << 8) | b, (c << 8) | d])
      const translated = spellings([0x64, 0xff9b, 0, 0, 0, 0, (a << 8) | b, (c << 8) | d])
      for (const form of [address, `${address}:5678`, ...mapped, ...translated])
        assert.equal(networkOf(form), address, form)
    }),
  )
})

test('two IPv4 addresses are two networks, also inside of IPv6', () => {
  fc.assert(
    fc.property(ipv4, ipv4, (one, other) => {
      fc.pre(one.join() !== other.join())
      assert.notEqual(networkOf(`::ffff:${one.join('.')}`), networkOf(`::ffff:${other.join('.')}`))
    }),
  )
})

test('every spelling of every address of one /64 gives one network', () => {
  fc.assert(
    fc.property(givenOut, halfAddress, halfAddress, (prefix, one, other) => {
      const networks = [...spellings([...prefix, ...one]), ...spellings([...prefix, ...other])].map(networkOf)
      assert.equal(new Set(networks).size, 1, [...new Set(networks)].join())
    }),
  )
})

test('two /64 are two networks', () => {
  fc.assert(
    fc.property(givenOut, givenOut, halfAddress, (one, other, rest) => {
      fc.pre(one.join() !== other.join())
      assert.notEqual(networkOf(hex([...one, ...rest])), networkOf(hex([...other, ...rest])))
    }),
  )
})

for (const [address, network] of [
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
  ['2001:db8::1', '2001:db8::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['::1', '::/64'],
  ['', 'unknown'],
  ['unix:', 'unknown'],
  ['1.2.3', 'unknown'],
  ['1.2.3.4.5', 'unknown'],
  ['client.example', 'unknown'],
] as const) {
  test(`${JSON.stringify(address)} belongs to ${network}`, () => {
    assert.equal(networkOf(address), network)
  })
}

for (const [text, is] of [
  ['203.0.113.0/24', true],
  ['203.0.113.7', true],
  ['0.0.0.0/0', true],
  ['2001:db8::/32', true],
  ['203.0.113.0/33', false],
  ['203.0.113.0/024', false],
  ['203.0.113.0/', false],
  ['203.0.113/24', false],
  ['203.0.113.0/24/1', false],
  ['203.0.113.0:443/24', false],
  ['2001:db8::/129', false],
  ['[2001:db8::]/32', false],
  ['::ffff:203.0.113.0/120', false],
  ['::ffff:cb00:7100/120', false],
  ['fe80::1%eth0', false],
  ['bank.example', false],
  ['', false],
] as const) {
  test(`${JSON.stringify(text)} is ${is ? 'a' : 'no'} network`, () => {
    assert.equal(parseNetwork(text) !== null, is)
  })
}

for (const [address, networks, is] of [
  ['10.1.2.3', [], true],
  ['10.1.2.3', ['10.0.0.0/8'], true],
  ['11.1.2.3', ['10.0.0.0/8'], false],
  ['::ffff:10.1.2.3', ['10.0.0.0/8'], true],
  ['::ffff:a01:203', ['10.0.0.0/8'], true],
  ['::ffff:b01:203', ['10.0.0.0/8'], false],
  ['0:0:0:0:0:FFFF:10.1.2.3', ['10.0.0.0/8'], true],
  ['::ffff:a01:203', ['::/0'], false],
  ['10.1.2.3', ['::/0'], false],
  ['2001:db8::1', ['0.0.0.0/0'], false],
  ['2001:db8::1', ['10.0.0.0/8', '2001:db8::/32'], true],
  ['2001:DB8::1%eth0', ['2001:db8::/32'], true],
  ['no address', ['0.0.0.0/0', '::/0'], false],
] as const) {
  test(`${address} is ${is ? 'inside' : 'outside'} of ${networks.join(' ') || 'no networks'}`, () => {
    assert.equal(isInside(address, networks), is)
  })
}

test('a site is an IPv4 address, or an IPv6 /48 with all of its networks', () => {
  const sites = [
    '2001:db8:7:1::1',
    '2001:db8:7:ffff::2',
    '2001:db8:8::1',
    '192.0.2.7',
    '::ffff:192.0.2.7',
  ].map((address) => siteOf(networkOf(address)))
  assert.deepEqual(sites, ['2001:db8:7::/48', '2001:db8:7::/48', '2001:db8:8::/48', '192.0.2.7', '192.0.2.7'])
  assert.equal(siteOf(networkOf(undefined)), 'unknown')
})
