/**
 * The plan of a busy day: the shops, the deposits that they create and what happens to each. Pure: the same seed gives the same
 * plan. Names and numbers are invented.
 */
import type { MerchantSettings } from '../../merchants/merchant.ts'
import type { Currency } from '../../money.ts'

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

/** A small generator of random numbers (mulberry32): good enough for a demo, and the same on every machine. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  const pick = <Item>(items: readonly Item[]): Item => items[between(0, items.length - 1)]!
  return { next, between, pick }
}

export type Random = {
  /** In [0, 1). */
  next(): number
  /** A whole number, both ends included. */
  between(least: number, most: number): number
  pick<Item>(items: readonly Item[]): Item
}

/** `share`: how many of 20 deposits are the shop's. `answer`: what its endpoint answers to a callback, if not 200. */
type Shop = {
  name: string
  prefix: string
  share: number
  currencies: readonly Currency[]
  settings?: Partial<MerchantSettings>
  answer?(sent: {
    ago: number
    sequence: bigint
  }): { status: number; answer: string } | { error: string } | false
}

export const shops: readonly Shop[] = [
  {
    ...{ name: 'Demo shop', prefix: 'D', share: 7, currencies: ['RUB', 'RUB', 'UZS', 'KZT', 'TJS'] },
    // It never accepts these orders, so their callbacks are given up after three days.
    answer: ({ sequence }) => sequence % 61n === 7n && { status: 422, answer: 'Unknown order' },
  },
  { name: 'Чайный дом «Пример»', prefix: 'TEA', share: 5, currencies: ['RUB', 'RUB', 'KZT'] },
  {
    ...{ name: 'Example Games', prefix: 'GAME', share: 4, currencies: ['UZS', 'KZT', 'RUB'] },
    // For less than the hour after which the doctor asks why nothing is sent.
    answer: ({ ago }) => ago < 50 * minute && { status: 500, answer: 'Internal Server Error' },
  },
  {
    ...{ name: 'Книги и образцы', prefix: 'BOOK', share: 2, currencies: ['RUB', 'TJS'] },
    answer: ({ ago }) => ago < 8 * day && { error: 'connect' },
  },
  {
    ...{ name: 'Sample Travel', prefix: 'TRIP', share: 2, currencies: ['RUB', 'UZS', 'KZT', 'TJS'] },
    settings: { underpaidPolicy: 'review', overpaidPolicy: 'review', latePolicy: 'review' },
  },
]

export type Act = 'claim' | 'reject' | 'confirm' | 'cancel'
/** Minutes after the customer has begun, or hours after the deadline. `pay`: so many percent of the amount, or `back` to the payer. */
type Step = { after?: number; afterDeadline?: number } & ({ pay: number | 'back' } | { act: Act })
type Scenario = { share: number; steps: readonly Step[]; paymentType?: string }

/** What happens to a deposit, and to how many of 200. The bank's reference is shown for accounts only. */
const scenarios = {
  paid: { share: 116, steps: [{ pay: 100 }] },
  claimed_and_paid: { share: 20, steps: [{ act: 'claim' }, { pay: 100, after: 5 }] },
  expired: { share: 16, steps: [] },
  // A payment on the bank day of the deadline is still in time, so a late one arrives in the night after it.
  late: { share: 6, steps: [{ pay: 100, afterDeadline: 21 }] },
  overpaid: { share: 4, steps: [{ pay: 110 }], paymentType: 'account_number' },
  half: { share: 4, steps: [{ pay: 50 }], paymentType: 'account_number' },
  two_halves: {
    share: 4,
    steps: [{ pay: 50 }, { pay: 50, after: 6 }],
    paymentType: 'account_number',
  },
  wrong_amount: { share: 1, steps: [{ pay: 110 }], paymentType: 'any_bank' },
  reversed: { share: 3, steps: [{ pay: 100 }, { pay: 'back', after: 600 }] },
  claimed: { share: 4, steps: [{ act: 'claim' }] },
  rejected: { share: 8, steps: [{ act: 'claim' }, { act: 'reject', after: 50 }] },
  canceled: { share: 7, steps: [{ act: 'cancel' }] },
  confirmed: { share: 3, steps: [{ act: 'claim' }, { act: 'confirm', after: 40 }] },
  not_chosen: { share: 4, steps: [], paymentType: 'uzs_select' },
} as const satisfies Record<string, Scenario>
type ScenarioName = keyof typeof scenarios

/** Amounts of each currency: the smallest, the step and how many steps at most; and how customers pay. */
const perCurrency: Record<
  Currency,
  { least: bigint; step: bigint; steps: number; types: readonly string[] }
> = {
  RUB: {
    ...{ least: 30_000n, step: 1_000n, steps: 900 },
    types: ['any_bank', 'any_bank', 'any_bank', 'sbp', 'account_number'],
  },
  UZS: { least: 5_000_000n, step: 100_000n, steps: 2_000, types: ['any_bank', 'uzs_select'] },
  KZT: { least: 200_000n, step: 10_000n, steps: 1_200, types: ['any_bank', 'account_number'] },
  TJS: { least: 5_000n, step: 500n, steps: 500, types: ['any_bank', 'bankx', 'account_number'] },
}

export type PlannedDeposit = {
  /** Milliseconds before the end of the busy day. */
  ago: number
  shop: number
  orderId: string
  currency: Currency
  paymentType: string
  cents: bigint
  customer: string
  steps: readonly Step[]
  /** The customer chooses a method, where the shop leaves that open. */
  isChosen: boolean
  /** Until the customer begins, in milliseconds. */
  delay: number
}

/** What happens to the newest deposits, so that every state is present at any hour. */
const underWay = [
  ...['not_chosen', 'expired', 'claimed', 'half'],
  ...['paid', 'expired', 'paid', 'overpaid'],
] as ScenarioName[]

/** Three in ten of all deposits are of the last day. Of a small plan, too, every scenario is a part. */
export function planDeposits(count: number, random: Random): PlannedDeposit[] {
  const names = Object.keys(scenarios) as ScenarioName[]
  const newest = Math.max(2 * underWay.length, Math.round(count * 0.01))
  return Array.from({ length: count }, (_, place): PlannedDeposit => {
    const isNewest = place < newest
    const name = isNewest
      ? underWay[place % underWay.length]!
      : (names[place - newest] ?? names[byShare(Object.values(scenarios), random)]!)
    const { steps, paymentType }: Scenario = scenarios[name]
    const shop = byShare(shops, random)
    const { prefix, currencies } = shops[shop]!
    const currency = name === 'not_chosen' ? 'UZS' : random.pick(currencies)
    const amount = perCurrency[currency]
    return {
      ago: isNewest ? random.between(4, 24) * minute : drawAgo(random),
      ...{ shop, currency, steps, isChosen: name !== 'not_chosen', customer: personName(random) },
      orderId: `${prefix}-${100_000 + place}`,
      paymentType: paymentType ?? random.pick(amount.types),
      cents: amount.least + amount.step * BigInt(Math.floor(random.next() ** 2 * amount.steps)),
      delay: random.between(1, isNewest ? 3 : 20) * minute,
    }
  })
}

function byShare(items: readonly { share: number }[], random: Random): number {
  let left = random.next() * items.reduce((sum, { share }) => sum + share, 0)
  return items.findIndex(({ share }) => {
    left -= share
    return left < 0
  })
}

/** Most deposits of the last day are in its last hours, whatever the viewer's time zone is. */
function drawAgo(random: Random): number {
  const place = random.between(1, 10)
  const [least, most] = place <= 2 ? [0, 7] : place === 3 ? [7, 24] : [24, 324]
  return Math.floor((least + random.next() * (most - least)) * hour)
}

const givenNames = ['Анна', 'Пётр', 'Дильноза', 'Рустам', 'Айгерим', 'Тимур', 'Ольга', 'Фаррух']
/** Of one form for men and women. */
const familyNames = ['Примеренко', 'Тестенко', 'Образченко', 'Шаблоненко', 'Макетенко', 'Демченко']

export const personName = (random: Random): string => `${random.pick(givenNames)} ${random.pick(familyNames)}`
