import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const css = readFileSync(new URL('tokens.css', import.meta.url), 'utf8')
const [light, dark] = css
  .split('@media')
  .map(
    (block) =>
      new Map([...block.matchAll(/--([a-z0-9-]+): (#[0-9a-f]{6});/g)].map((found) => [found[1]!, found[2]!])),
  ) as [Map<string, string>, Map<string, string>]

/** WCAG 2.2: relative luminance and contrast ratio. */
function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}
function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((left, right) => left - right)
  return (high! + 0.05) / (low! + 0.05)
}

const grounds = ['paper', 'surface', 'sunken']
const rules: [token: string, on: string[], least: number][] = [
  ['ink', [...grounds, 'accent-tint'], 4.5],
  ['ink-2', grounds, 4.5],
  ['accent', [...grounds, 'accent-tint'], 4.5],
  ['on-accent', ['accent', 'accent-hover'], 4.5],
  ...['ok', 'warn', 'bad', 'info'].map((token): [string, string[], number] => [
    token,
    [...grounds, `${token}-tint`],
    4.5,
  ]),
  ...['ok', 'warn', 'bad', 'info'].map((token): [string, string[], number] => [
    'ink',
    [`${token}-tint`],
    4.5,
  ]),
  ['control', grounds, 3],
  ['focus', grounds, 3],
]

test('every token is readable on every ground it may stand on, light and dark', () => {
  assert.deepEqual([...dark.keys()], [...light.keys()])
  for (const [theme, tokens] of Object.entries({ light, dark })) {
    for (const [token, on, least] of rules) {
      for (const ground of on) {
        const ratio = contrast(tokens.get(token)!, tokens.get(ground)!)
        assert.ok(ratio >= least, `${theme}: ${token} on ${ground} has ${ratio.toFixed(2)}, needs ${least}`)
      }
    }
  }
})
