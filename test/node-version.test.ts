/** Which Node runs Inlet: one whose node:crypto has argon2. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
// @ts-expect-error: plain JavaScript, because an old Node must be able to read it.
import { isNewEnoughNode, leastNode } from '../bin/node.mjs'

for (const [version, expected] of [
  ['18.20.8', false],
  ['22.19.0', false],
  ['24.0.0', false],
  ['24.6.0', false],
  ['24.7.0', true],
  ['24.10.0', true],
  ['24.7.0-nightly20260101', true],
  ['25.0.0', true],
  ['100.0.0', true],
] as const) {
  test(`Node ${version} ${expected ? 'runs' : 'does not run'} Inlet`, () => {
    assert.equal(isNewEnoughNode(version), expected)
  })
}

test('the Node that npm installs is new enough, and what the documents demand is what is checked', () => {
  const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
  const { optionalDependencies, engines } = JSON.parse(read('package.json'))
  for (const [name, version] of Object.entries<string>(optionalDependencies)) {
    if (name.startsWith('node-')) assert.ok(isNewEnoughNode(version), `${name} ${version}`)
  }
  assert.equal(leastNode, '24.7')
  assert.match(read('README.md'), /Node 24\.7/)
  assert.equal(engines.node, '>=20')
})
