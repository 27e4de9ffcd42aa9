import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { backgrounds, contrast, ownShades, shadesOf } from './accent.ts'

const colours = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`)

test('whatever the colour, buttons and their text are visible in the light and dark theme', () => {
  const edges = ['#000000', '#ffffff', '#ffff00', '#0000ff', '#767676', '#777777', '#f6f4ef', '#101513']
  fc.assert(
    fc.property(fc.oneof(colours, fc.constantFrom(...edges)), (accent) => {
      for (const [theme, shade] of Object.entries(shadesOf(accent))) {
        for (const background of backgrounds[theme as 'light'])
          assert.ok(contrast(shade.edge, background) >= 3, `${theme}: edge ${shade.edge} on ${background}`)
        for (const fill of [shade.fill, shade.hover])
          assert.ok(contrast(shade.text, fill) >= 4.5, `${theme}: ${shade.text} on ${fill}`)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('a visible colour is used as it was chosen', () => {
  const { light, dark } = shadesOf('#d6336c')
  assert.deepEqual([light.fill, light.edge, light.text], ['#d6336c', '#d6336c', '#ffffff'])
  assert.equal(dark.fill, '#d6336c')
})

test('a pale colour keeps its fill in the light theme, and a dark one is lightened in the dark theme', () => {
  const { light } = shadesOf('#ffdd2d')
  assert.equal(light.fill, '#ffdd2d')
  assert.equal(light.text, '#000000')
  assert.notEqual(light.edge, '#ffdd2d')
  assert.notEqual(shadesOf('#0a1a4a').dark.fill, '#0a1a4a')
})

test('the backgrounds and our own accent are those of the tokens', () => {
  const css = readFileSync(new URL('tokens.css', import.meta.url), 'utf8')
  const [light, dark] = css.split('@media').map((block) => {
    const token = (name: string) => new RegExp(`--${name}: (#\\w+);`).exec(block)![1]
    const accent = token('accent')
    return {
      backgrounds: ['paper', 'surface', 'sunken'].map(token),
      shade: { fill: accent, edge: accent, text: token('on-accent'), hover: token('accent-hover') },
    }
  })
  assert.deepEqual({ light: light!.backgrounds, dark: dark!.backgrounds }, backgrounds)
  assert.deepEqual({ light: light!.shade, dark: dark!.shade }, ownShades)
})
