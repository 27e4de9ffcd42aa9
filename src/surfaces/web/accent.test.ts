import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { contrast, grounds, ownShades, shadesOf } from './accent.ts'

const colours = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`)

test('whatever the colour, what is drawn in it can be seen and read, light and dark', () => {
  const edges = ['#000000', '#ffffff', '#ffff00', '#0000ff', '#767676', '#777777', '#f6f4ef', '#101513']
  fc.assert(
    fc.property(fc.oneof(colours, fc.constantFrom(...edges)), (accent) => {
      for (const [theme, shade] of Object.entries(shadesOf(accent))) {
        for (const ground of grounds[theme as 'light'])
          assert.ok(contrast(shade.edge, ground) >= 3, `${theme}: edge ${shade.edge} on ${ground}`)
        for (const fill of [shade.fill, shade.hover])
          assert.ok(contrast(shade.text, fill) >= 4.5, `${theme}: ${shade.text} on ${fill}`)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('a colour that can be seen is used as it was chosen', () => {
  const { light, dark } = shadesOf('#d6336c')
  assert.deepEqual([light.fill, light.edge, light.text], ['#d6336c', '#d6336c', '#ffffff'])
  assert.equal(dark.fill, '#d6336c')
})

test('a pale colour keeps its fill on paper, and a dark one is lightened in the dark', () => {
  const { light } = shadesOf('#ffdd2d')
  assert.equal(light.fill, '#ffdd2d')
  assert.equal(light.text, '#000000')
  assert.notEqual(light.edge, '#ffdd2d')
  assert.notEqual(shadesOf('#0a1a4a').dark.fill, '#0a1a4a')
})

test('the grounds and our own accent are those of the tokens', () => {
  const css = readFileSync(new URL('tokens.css', import.meta.url), 'utf8')
  const [light, dark] = css.split('@media').map((block) => {
    const token = (name: string) => new RegExp(`--${name}: (#\\w+);`).exec(block)![1]
    const accent = token('accent')
    return {
      grounds: ['paper', 'surface', 'sunken'].map(token),
      shade: { fill: accent, edge: accent, text: token('on-accent'), hover: token('accent-hover') },
    }
  })
  assert.deepEqual({ light: light!.grounds, dark: dark!.grounds }, grounds)
  assert.deepEqual({ light: light!.shade, dark: dark!.shade }, ownShades)
})
