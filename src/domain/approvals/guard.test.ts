/** What counts at once, what is asked for, and who may approve it when. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addsNetworks, addsRights, approvalRight, type Circumstances, isLooserSettings } from './guard.ts'

for (const [before, after, expected] of [
  [null, 'auditor', true],
  ['auditor', 'operator', true],
  ['operator', 'approver', true],
  ['approver', 'admin', true],
  ['admin', 'approver', false],
  ['approver', 'approver', false],
  ['auditor', null, false],
] as const)
  test(`from ${before} to ${after} ${expected ? 'adds' : 'adds no'} rights`, () =>
    assert.equal(addsRights(before, after), expected))

for (const [what, before, wanted, expected] of [
  ['one operator', { single: false }, { single: true }, true],
  ['two people again', { single: true }, { single: false }, false],
  ['a higher sum', { RUB: '100' }, { RUB: '101' }, true],
  ['a lower sum', { RUB: '100' }, { RUB: '99' }, false],
  ['one higher and one lower', { RUB: '100', KZT: '5' }, { RUB: '99', KZT: '6' }, true],
  ['a sum where there was none', {}, { RUB: '1' }, true],
  ['a sum taken away', { RUB: '100' }, {}, false],
  ['zero where there was none: a second person always, too', {}, { RUB: '0' }, false],
  ['the same', { RUB: '100' }, { RUB: '100' }, false],
] as const)
  test(`${what} is ${expected ? '' : 'not '}looser`, () => {
    const settings = ({ single = false, ...sums }: { single?: boolean; RUB?: string; KZT?: string }) => ({
      ...{ isSingleOperator: single, secondPersonAbove: sums },
    })
    assert.equal(isLooserSettings(settings(before), settings(wanted)), expected)
  })

const day = 86_400_000
const asked = new Date('2026-11-16T12:00:00Z')
const after = (ms: number) => new Date(asked.getTime() + ms)
const guarding = {
  isGuard: true,
  subject: 'person:clara',
  proposedBy: 'anna',
  proposedAt: asked,
} as const
const plain = { isGuard: false, subject: 'deposit:1', proposedBy: 'anna', proposedAt: asked } as const
const usual = {
  proposal: guarding,
  personId: 'boris',
  isSingleOperator: false,
  hasOtherDecider: true,
  admittedAt: null,
  now: asked,
}
const anna = { personId: 'anna' }
const alone = { ...anna, hasOtherDecider: false }
for (const [what, circumstances, expected] of [
  ['somebody else', {}, 'second_person'],
  ['who asked', anna, 'never'],
  ['who asked, where one operator decides', { ...anna, isSingleOperator: true }, 'never'],
  [
    'who asked for something else there',
    { ...anna, proposal: plain, isSingleOperator: true },
    'single_operator',
  ],
  ['who asked for something else', { ...anna, proposal: plain }, 'never'],
  ['who asked, the day almost over', { ...alone, now: after(day - 1) }, 'later'],
  ['who asked, a day later', { ...alone, now: after(day) }, 'delayed'],
  ['who asked, a day later, where others could decide', { ...anna, now: after(day) }, 'never'],
  ['who was let in by the other', { admittedAt: asked, now: after(day - 1) }, 'later'],
  ['who was let in by the other a day ago', { admittedAt: asked, now: after(day) }, 'second_person'],
  ['whom it is about', { personId: 'clara' }, 'never'],
  ['whom it is about, where one operator decides', { personId: 'clara', isSingleOperator: true }, 'never'],
  ['who was let in, for anything', { proposal: plain, admittedAt: asked }, 'later'],
] satisfies [string, Partial<Circumstances>, string][])
  test(`${what}: ${expected}`, () => assert.equal(approvalRight({ ...usual, ...circumstances }).is, expected))

for (const [before, wanted, expected] of [
  ['', '203.0.113.0/24', false],
  ['203.0.113.0/24', '', true],
  ['203.0.113.0/24 198.51.100.7/32', '198.51.100.7', false],
  ['198.51.100.7/32', '198.51.100.7 192.0.2.0/24', true],
  ['203.0.113.0/24', '203.0.112.0/23', true],
] as const)
  test(`from "${before}" to "${wanted}" ${expected ? 'opens' : 'opens no'} network`, () => {
    const list = (text: string) => text.split(' ').filter(Boolean)
    assert.equal(addsNetworks(list(before), list(wanted)), expected)
  })
