import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createVault } from './vault.ts'

const vault = createVault(Buffer.alloc(32, 1))

test('a sealed text opens under the same key and label', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (plain, label) => {
      assert.equal(vault.open(vault.current.seal(plain, label), label), plain)
    }),
  )
})

test('a seal holds neither the text nor its bytes in another form', () => {
  const sealed = vault.current.seal('sk_live_canary', 'row')
  assert.ok(!sealed.includes('sk_live_canary'))
  assert.equal(sealed.length, 1 + 4 + 12 + 'sk_live_canary'.length + 16)
  assert.deepEqual([...sealed.subarray(0, 5)], [1, ...Buffer.from(vault.current.id, 'hex')])
})

test('one text sealed twice gives two different seals: the nonce is new each time', () => {
  const nonces = new Set(
    Array.from({ length: 1000 }, () => vault.current.seal('x', 'row').subarray(5, 17).toString('hex')),
  )
  assert.equal(nonces.size, 1000)
})

test('another label does not open it: a ciphertext moved to another row is worthless', () => {
  const sealed = vault.current.seal('secret', 'api_keys:key_1:merchant_1:request')
  for (const label of [
    '',
    'api_keys:key_2:merchant_1:request',
    'api_keys:key_1:merchant_2:request',
    'api_keys:key_1:merchant_1:callback',
    'api_keys:key_1:merchant_1:request ',
  ]) {
    assert.throws(() => vault.open(sealed, label), label)
  }
})

test('another master key does not open it', () => {
  const sealed = vault.current.seal('secret', 'row')
  assert.throws(() => createVault(Buffer.alloc(32, 2)).open(sealed, 'row'))
})

test('one flipped bit anywhere, in version, key id, nonce, text or tag, does not open', () => {
  const sealed = vault.current.seal('secret', 'row')
  for (let place = 0; place < sealed.length; place++) {
    const changed = Buffer.from(sealed)
    changed[place]! ^= 1
    assert.throws(() => vault.open(changed, 'row'), `byte ${place}`)
  }
})

test('with two keys both open, and digests of both are known; neither says anything about the other', () => {
  const [oldVault, both] = [
    createVault(Buffer.alloc(32, 2)),
    createVault(Buffer.alloc(32, 1), Buffer.alloc(32, 2)),
  ]
  const data = Buffer.from('data')
  for (const key of [vault.current, oldVault.current]) {
    assert.equal(both.open(key.seal('secret', 'row'), 'row'), 'secret')
    assert.ok(both.isMac(key.mac(data, 'purpose'), data, 'purpose'))
    assert.ok(!both.isMac(key.mac(data, 'purpose'), data, 'another purpose'))
  }
  assert.ok(!vault.isMac(oldVault.current.mac(data, 'purpose'), data, 'purpose'))
  assert.notEqual(both.current.id, both.old!.id)
  assert.throws(() => createVault(Buffer.alloc(32, 3)).open(both.current.seal('secret', 'row'), 'row'))
})

test('a seal that was cut, extended or is empty does not open', () => {
  const sealed = vault.current.seal('secret', 'row')
  for (let length = 0; length < sealed.length; length++) {
    assert.throws(() => vault.open(sealed.subarray(0, length), 'row'), `${length} bytes`)
  }
  assert.throws(() => vault.open(Buffer.concat([sealed, Buffer.of(0)]), 'row'))
})

test('a master key that has not 32 bytes makes no vault', () => {
  for (const bytes of [0, 16, 31, 33]) assert.throws(() => createVault(Buffer.alloc(bytes)), /32 bytes/)
})

test('a mac is the same for the same data, purpose and master key, and for nothing else', () => {
  const data = Buffer.from('data')
  const mac = vault.current.mac(data, 'purpose')
  assert.equal(mac.length, 32)
  assert.deepEqual(createVault(Buffer.alloc(32, 1)).current.mac(data, 'purpose'), mac)
  assert.notDeepEqual(vault.current.mac(data, 'another purpose'), mac)
  assert.notDeepEqual(vault.current.mac(Buffer.from('dat'), 'purpose'), mac)
  assert.notDeepEqual(createVault(Buffer.alloc(32, 2)).current.mac(data, 'purpose'), mac)
})
