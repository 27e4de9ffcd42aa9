import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { contrast } from './accent.ts'

const css = readFileSync(new URL('tokens.css', import.meta.url), 'utf8')
const [light, dark] = css
  .split('@media')
  .map(
    (block) =>
      new Map([...block.matchAll(/--([a-z0-9-]+): (#[0-9a-f]{6});/g)].map((found) => [found[1]!, found[2]!])),
  ) as [Map<string, string>, Map<string, string>]

const backgrounds = ['paper', 'surface', 'sunken']
const rules: [token: string, on: string[], least: number][] = [
  ['ink', [...backgrounds, 'accent-tint'], 4.5],
  ['ink-2', backgrounds, 4.5],
  ['accent', [...backgrounds, 'accent-tint'], 4.5],
  ['on-accent', ['accent', 'accent-hover'], 4.5],
  ...['ok', 'warn', 'bad', 'info'].map((token): [string, string[], number] => [
    token,
    [...backgrounds, `${token}-tint`],
    4.5,
  ]),
  ...['ok', 'warn', 'bad', 'info'].map((token): [string, string[], number] => [
    'ink',
    [`${token}-tint`],
    4.5,
  ]),
  ['control', backgrounds, 3],
  ['focus', backgrounds, 3],
]

test('every token is readable on every background it may stand on, light and dark', () => {
  assert.deepEqual([...dark.keys()], [...light.keys()])
  for (const [theme, tokens] of Object.entries({ light, dark })) {
    for (const [token, on, least] of rules) {
      for (const background of on) {
        const ratio = contrast(tokens.get(token)!, tokens.get(background)!)
        assert.ok(
          ratio >= least,
          `${theme}: ${token} on ${background} has ${ratio.toFixed(2)}, needs ${least}`,
        )
      }
    }
  }
})
