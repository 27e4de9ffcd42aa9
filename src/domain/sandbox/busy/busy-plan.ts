/**
 * The plan of a busy day: which shop creates which deposit, when, for how much, and what happens to it. Pure: the same seed
 * gives the same plan. Names and numbers are invented.
 */
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

/** One event of a deposit. Absent times are those of the customer's act. */
export type Step = {
  /** Minutes after the customer's act, or between two numbers; or hours after the deadline or the grace, which have passed then. */
  after?: number | readonly [number, number]
  afterDeadline?: number
  afterGrace?: number
} & (
  | { pay: 'percent'; percent: number }
  | { pay: 'more'; cents: bigint }
  | { pay: 'again'; as: 'reversal' | 'other_id' }
  | { act: 'claim' | 'reject' | 'confirm' | 'give_up' | 'cancel' }
) & { purpose?: 'reference' | 'phone' }

const whole = { pay: 'percent', percent: 100 } as const
const claim = { act: 'claim' } as const

/** What happens to a deposit, and to how many of 200. */
export const scenarios = {
  paid: { share: 112, steps: [whole] },
  claimed_and_paid: {
    share: 18,
    steps: [
      { ...claim, after: -0.5 },
      { ...whole, after: [1, 12] },
    ],
  },
  expired: { share: 16, steps: [] },
  // A payment on the bank day of the deadline is still in time, so a late one arrives in the night after it.
  late: { share: 5, steps: [{ ...whole, afterDeadline: 21 }] },
  too_late: { share: 2, steps: [{ ...whole, afterGrace: 2 }] },
  overpaid: { share: 4, steps: [{ ...whole, percent: 110 }] },
  short: { share: 4, steps: [{ ...whole, percent: 60 }] },
  short_then_rest: {
    share: 4,
    steps: [
      { ...whole, percent: 50 },
      { ...whole, percent: 50, after: 6 },
    ],
  },
  other_amount: { share: 1, steps: [{ pay: 'more', cents: 5_000n, purpose: 'reference' }] },
  reversed: { share: 3, steps: [whole, { pay: 'again', as: 'reversal', after: [120, 1_200] }] },
  claimed: { share: 4, steps: [claim] },
  rejected: { share: 6, steps: [claim, { act: 'reject', after: 50 }] },
  given_up: { share: 6, steps: [{ act: 'give_up' }] },
  canceled: { share: 6, steps: [{ act: 'cancel' }] },
  confirmed_by_hand: { share: 3, steps: [claim, { act: 'confirm', after: 40 }] },
  not_chosen: { share: 4, steps: [] },
  other_payer_phone: { share: 1, steps: [{ ...whole, purpose: 'phone' }] },
  // A second announcement, with an id of its own, when a file may have closed the day.
  reported_twice: { share: 1, steps: [whole, { pay: 'again', as: 'other_id', after: 1_800 }] },
} as const satisfies Record<string, { share: number; steps: readonly Step[] }>
type Scenario = keyof typeof scenarios

/** The shops. `share`: how many of 20 deposits are theirs. `callbacks`: how their endpoints answer. */
export const shops = [
  {
    name: 'Demo shop',
    prefix: 'D',
    share: 7,
    currencies: ['RUB', 'RUB', 'UZS', 'KZT', 'TJS'],
    callbacks: 'mostly',
  },
  {
    name: 'Чайный дом «Пример»',
    prefix: 'TEA',
    share: 5,
    currencies: ['RUB', 'RUB', 'KZT'],
    callbacks: 'always',
  },
  {
    name: 'Example Games',
    prefix: 'GAME',
    share: 4,
    currencies: ['UZS', 'KZT', 'RUB'],
    callbacks: 'not_today',
  },
  { name: 'Книги и образцы', prefix: 'BOOK', share: 2, currencies: ['RUB', 'TJS'], callbacks: 'never' },
  {
    name: 'Sample Travel',
    prefix: 'TRIP',
    share: 2,
    currencies: ['RUB', 'UZS', 'KZT', 'TJS'],
    callbacks: 'slowly',
  },
] as const satisfies readonly Shop[]

type Shop = {
  name: string
  prefix: string
  share: number
  currencies: readonly Currency[]
  callbacks: 'always' | 'mostly' | 'slowly' | 'not_today' | 'never'
}

/** Amounts of each currency: smallest, step, and how many steps at most. */
const amounts: Record<Currency, { least: bigint; step: bigint; steps: number }> = {
  RUB: { least: 30_000n, step: 1_000n, steps: 900 },
  UZS: { least: 5_000_000n, step: 100_000n, steps: 2_000 },
  KZT: { least: 200_000n, step: 10_000n, steps: 1_200 },
  TJS: { least: 5_000n, step: 500n, steps: 500 },
}

const methods: Record<Currency, readonly string[]> = {
  RUB: ['any_bank', 'any_bank', 'any_bank', 'any_bank', 'sbp', 'sbp', 'account_number', 'account_number'],
  UZS: ['any_bank', 'any_bank', 'uzs_select', 'account_number'],
  KZT: ['any_bank', 'any_bank', 'account_number'],
  TJS: ['any_bank', 'any_bank', 'account_number'],
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
  phone: string | null
  scenario: Scenario
  /** Until the customer acts, in milliseconds. */
  delay: number
}

/** The scenarios of the newest deposits, so that every state is present at any hour. */
const underWay: readonly Scenario[] = [
  'not_chosen',
  'expired',
  'claimed',
  'short',
  'paid',
  'expired',
  'paid',
  'overpaid',
]

/** The last day has three in ten of all deposits, the same weekday of last week half as many, and the rest is spread. */
export function planDeposits(count: number, random: Random): PlannedDeposit[] {
  const shuffledScenarios = shuffled(
    Array.from({ length: count }, (_, place) => scenarioAt(place)),
    random,
  )
  const newest = Math.max(2 * underWay.length, Math.round(count * 0.01))
  const planned = shuffledScenarios.map((scenario, place): PlannedDeposit => {
    if (place >= newest) return draftOf(place, scenario, drawAgo(place / count, random), random)
    const fresh = draftOf(place, underWay[place % underWay.length]!, random.between(4, 24) * minute, random)
    return { ...fresh, delay: random.between(1, 3) * minute }
  })
  return planned.toSorted((a, b) => b.ago - a.ago)
}

const shares = shops.flatMap(({ share }, shop) => Array.from({ length: share }, () => shop))

function draftOf(place: number, scenario: Scenario, ago: number, random: Random): PlannedDeposit {
  const shop = random.pick(shares)
  const { prefix, currencies } = shops[shop]!
  const drawn = scenario === 'not_chosen' ? 'UZS' : random.pick<Currency>(currencies)
  const currency = scenario === 'reported_twice' ? 'RUB' : drawn
  const { least, step, steps } = amounts[currency]
  return {
    ago,
    shop,
    orderId: `${prefix}-${100_000 + place}`,
    currency,
    paymentType: methodOf(scenario, currency, random),
    cents: least + step * BigInt(Math.floor(random.next() ** 2 * steps)),
    customer: personName(random),
    phone:
      scenario === 'other_payer_phone' || random.next() < 0.3
        ? `+7900000${random.between(1000, 9999)}`
        : null,
    scenario,
    delay: minute + Math.floor(random.next() ** 2 * 22 * minute),
  }
}

/** A payment of another amount is matched only by its reference, which accounts show and cards do not. */
function methodOf(scenario: Scenario, currency: Currency, random: Random): string {
  if (scenario === 'not_chosen') return 'uzs_select'
  if (['overpaid', 'short', 'short_then_rest', 'reported_twice'].includes(scenario)) return 'account_number'
  if (scenario === 'other_payer_phone' || scenario === 'other_amount') return 'any_bank'
  return random.next() < 0.06 ? 'bankx' : random.pick(methods[currency])
}

function drawAgo(share: number, random: Random): number {
  if (share < 0.3) {
    // Most deposits of the last day are in its last hours, whatever the viewer's time zone is.
    const isRecent = random.next() < 0.6
    return Math.floor(isRecent ? random.next() * 7 * hour : (7 + random.next() * 17) * hour)
  }
  if (share < 0.45) return Math.floor((7 + random.next()) * day)
  return Math.floor((1 + random.next() * 12.5) * day)
}

const scenariosOf200 = Object.entries(scenarios).flatMap(([scenario, { share }]) =>
  Array.from({ length: share }, () => scenario as Scenario),
)

/** Steps of 7, which has no common factor with 200, so that even a small part of the plan has many scenarios. */
const scenarioAt = (place: number): Scenario => scenariosOf200[(place * 7) % scenariosOf200.length]!

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const all = [...items]
  for (let last = all.length - 1; last > 0; last--) {
    const other = random.between(0, last)
    ;[all[last], all[other]] = [all[other]!, all[last]!]
  }
  return all
}

const givenNames = [
  { name: 'Анна', ending: 'а' },
  { name: 'Пётр', ending: '' },
  { name: 'Дильноза', ending: 'а' },
  { name: 'Рустам', ending: '' },
  { name: 'Айгерим', ending: 'а' },
  { name: 'Тимур', ending: '' },
  { name: 'Ольга', ending: 'а' },
  { name: 'Фаррух', ending: '' },
  { name: 'Мария', ending: 'а' },
  { name: 'Олег', ending: '' },
]
/** Each gets the ending that belongs to the given name. */
const familyNames = [
  'Образцов',
  'Примеров',
  'Тестов',
  'Шаблонов',
  'Пробников',
  'Черновиков',
  'Демоев',
  'Макетов',
]

export const personName = (random: Random): string => {
  const { name, ending } = random.pick(givenNames)
  return `${name} ${random.pick(familyNames)}${ending}`
}

/** What the people of the desk write as their reasons. */
export const written = {
  seenInApp: 'Seen in the app of the bank',
  nobodyKnows: 'No shop knows this payment',
  bookedLater: 'The bank booked it a day later',
  returned: 'Returned to the payer by the bank',
  chargebacks: 'Two chargebacks in October',
  agreement: 'The agreement with the owner',
  pushesHourly: 'This bank pushes every hour',
  newServer: 'The shop moved to a new server',
  fullByNoon: 'Full by noon every day',
  oneMoreCard: 'One more card of the same owner',
  rejections: [
    'The customer sent the money to another account and got it back',
    'The name on the receipt belongs to somebody else',
    'The receipt is of another day',
  ],
} as const
