/**
 * The demo shop: what it sells, and what it remembers of its orders while the process lives. It learns an outcome
 * from events alone; what the browser carries back is kept beside it and decides nothing.
 */
import { matchesHex, returnString } from '../../../sdk/signature.ts'
import type { Cents } from '../../domain/money.ts'
import { bounds } from '../../platform/bounds.ts'

export const shopCurrencies = ['RUB', 'UZS'] as const
type ShopCurrency = (typeof shopCurrencies)[number]

export const products = {
  notebook: { name: 'Notebook, dotted', cents: { RUB: 49_000n, UZS: 7_500_000n } },
  pen: { name: 'Fountain pen', cents: { RUB: 189_000n, UZS: 29_000_000n } },
} as const satisfies Record<string, { name: string; cents: Record<ShopCurrency, Cents> }>
type Product = keyof typeof products

/** How the customer pays, and in which currencies: the shop names the payment type (create), or the payment page asks (build). */
export const ways = {
  card: {
    name: 'Card',
    hint: 'Direct: a transfer to a card',
    flow: 'create',
    paymentType: 'any_bank',
    currencies: shopCurrencies,
  },
  phone: {
    name: 'Phone number',
    hint: 'Direct: a transfer by phone number',
    flow: 'create',
    paymentType: 'sbp',
    currencies: ['RUB'],
  },
  account: {
    name: 'Bank account',
    hint: 'Direct: a transfer to an account, with a reference',
    flow: 'create',
    paymentType: 'account_number',
    currencies: shopCurrencies,
  },
  choose: {
    name: 'The customer chooses on the payment page',
    hint: 'Selection: you choose on the payment page',
    flow: 'build',
    paymentType: 'uzs_select',
    currencies: shopCurrencies,
  },
} as const
type Way = keyof typeof ways

export const waysIn = (currency: ShopCurrency): Way[] =>
  (Object.keys(ways) as Way[]).filter((way) => (ways[way].currencies as readonly string[]).includes(currency))

export type Basket = { product: Product; quantity: number; currency: ShopCurrency; way: Way }

export const firstBasket: Basket = { product: 'notebook', quantity: 1, currency: 'RUB', way: 'card' }

export const totalOf = ({ product, quantity, currency }: Basket): Cents =>
  products[product].cents[currency] * BigInt(quantity)

/** A form of the shop as a basket; undefined when it holds what the page never offered. */
export function basketFrom(field: (name: string) => string | undefined): Basket | undefined {
  const product = keyIn(products, field('product'))
  const currency = shopCurrencies.find((shopCurrency) => shopCurrency === field('currency'))
  const way = currency && waysIn(currency).find((known) => known === field('way'))
  const quantity = Number(/^[1-9]\d?$/.exec(field('quantity') ?? '')?.[0])
  if (!product || !currency || !way || !(quantity <= bounds.demoShop.quantity)) return undefined
  return { product, quantity, currency, way }
}

const keyIn = <Table extends object>(table: Table, name: string | undefined) =>
  name !== undefined && Object.hasOwn(table, name) ? (name as keyof Table) : undefined

/** The part of an event that the shop reads; all of it is kept to be shown. */
type ToldEvent = { id: string; type: string; sequence: number; data: { state: string } }

/** A callback whose signature held and whose amount is the order's: no other is ever kept. */
export type ReceivedCallback = {
  event: ToldEvent
  headers: readonly (readonly [name: string, value: string])[]
  /** The same event may come again. */
  times: number
}

export const returnFields = ['id', 'order_id', 'state', 'ts', 'signature'] as const
export type ReturnFields = Record<(typeof returnFields)[number], string>
export type BrowserReturned = { fields: ReturnFields; holds: boolean }

export type Order = {
  readonly id: string
  readonly basket: Basket
  readonly depositId: string
  /** The payment page, below this very server. */
  readonly payPath: string
  /** Newest first. */
  callbacks: readonly ReceivedCallback[]
  returned: BrowserReturned | null
}

type NewOrder = Pick<Order, 'id' | 'basket' | 'depositId' | 'payPath'>

/** The newest event decides, whatever arrived last; null before the first. */
export const callbackState = ({ callbacks }: Order): string | null =>
  callbacks.reduce<ToldEvent | null>(
    (newest, { event }) => (newest && newest.sequence > event.sequence ? newest : event),
    null,
  )?.data.state ?? null

/** Remembers so many orders, so many callbacks for each, and forgets the oldest. */
export class Shop {
  readonly #orders = new Map<string, Order>()
  /** Callbacks that were refused, to explain why none arrive. */
  refusedCallbacks = 0

  /** Newest first. */
  orders(): Order[] {
    return [...this.#orders.values()].reverse()
  }

  find(id: string): Order | undefined {
    return this.#orders.get(id)
  }

  add(order: NewOrder): void {
    this.#orders.set(order.id, { ...order, callbacks: [], returned: null })
    if (this.#orders.size > bounds.demoShop.orders) this.#orders.delete(this.#orders.keys().next().value!)
  }

  /** An event that came before is counted, not listed twice. */
  take(order: Order, { event, headers }: Omit<ReceivedCallback, 'times'>): void {
    const before = order.callbacks.find((callback) => callback.event.id === event.id)
    const others = order.callbacks.filter((callback) => callback !== before)
    const received = { event, headers, times: (before?.times ?? 0) + 1 }
    order.callbacks = [received, ...others].slice(0, bounds.demoShop.callbacks)
  }

  /** What the browser brought along. A return that does not hold never hides one that did. */
  takeReturn(order: Order, fields: ReturnFields, signingSecret: string): void {
    const { id, order_id: orderId, state, ts, signature } = fields
    const isOurs = id === order.depositId && orderId === order.id && /^[1-9]\d{0,11}$/.test(ts)
    const signed = returnString({ id, orderId, state, ts: Number(ts) })
    const holds = matchesHex(signingSecret, signed, signature) && isOurs
    if (holds || !order.returned?.holds) order.returned = { fields, holds }
  }
}
