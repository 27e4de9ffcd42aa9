import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bounds } from './bounds.ts'
import { Refusal } from './refusals.ts'
import { cookieOf, refuseOtherSites, type SenderHeaders } from './same-site.ts'

const own = 'https://pay.example'

function isTaken(headers: SenderHeaders, allowsMissing: boolean): boolean {
  try {
    refuseOtherSites({ headers }, own, { allowsMissing })
    return true
  } catch (error) {
    assert.ok(error instanceof Refusal && error.code === 'cross_site_request')
    return false
  }
}

/** The last two: as a console decides, and as a payment page does. */
for (const [site, sender, console, page] of [
  ['same-origin', own, true, true],
  ['same-origin', 'null', true, true],
  ['same-origin', undefined, true, true],
  ['same-origin', 'https://evil.example', false, false],
  ['same-origin', 'http://pay.example', false, false],
  ['same-origin', 'https://pay.example:8443', false, false],
  ['same-origin', 'https://pay.example.evil.example', false, false],
  ['same-origin', `${own}, https://evil.example`, false, false],
  ['same-origin', '', false, false],
  ['same-origin, cross-site', own, false, false],
  ['same-site', own, false, false],
  ['same-site', 'null', false, false],
  ['cross-site', own, false, false],
  ['cross-site', 'https://evil.example', false, false],
  ['cross-site', undefined, false, false],
  ['none', undefined, false, false],
  ['none', own, false, false],
  ['', own, false, false],
  [undefined, own, true, true],
  [undefined, 'https://PAY.example', false, false],
  [undefined, `${own}/`, false, false],
  [undefined, 'http://pay.example', false, false],
  [undefined, 'https://pay.example:8443', false, false],
  [undefined, 'https://evil.example', false, false],
  [undefined, 'null', false, true],
  [undefined, undefined, false, true],
] as const) {
  test(`Sec-Fetch-Site ${site ?? 'absent'}, Origin ${sender ?? 'absent'}: console ${console}, page ${page}`, () => {
    const headers = { 'sec-fetch-site': site, origin: sender }
    assert.equal(isTaken(headers, false), console)
    assert.equal(isTaken(headers, true), page)
  })
}

test('a cookie is the first one with exactly its name, whatever is around it', () => {
  const piece = fc.constantFrom(';', '; ', '=', ' ', 'a', 'a=', 'aa=', 'b=', '1', '"')
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const cookie = pieces.join('').trim()
      const pair = cookie.split(/;\s*/).find((pair) => pair.startsWith('a='))
      assert.equal(cookieOf({ headers: { cookie } }, 'a'), pair?.slice(2) ?? null)
    }),
  )
})

test('cookies that are nothing but separators cost no more than one long cookie', () => {
  const costOf = (cookie: string): number => {
    const before = process.threadCpuUsage().user
    for (let time = 0; time < 500; time++) cookieOf({ headers: { cookie } }, 'inlet_lang')
    return process.threadCpuUsage().user - before
  }
  const long = costOf(`a=${'x'.repeat(bounds.headerBytes)}`)
  for (const piece of [';', '; ', 'b=1;', 'binlet_lang=;'])
    assert.ok(costOf(piece.repeat(bounds.headerBytes / piece.length)) < 10 * long + 120_000, piece)
})
