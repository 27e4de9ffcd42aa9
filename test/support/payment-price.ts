/** What the rule of `identity.ts` costs people: quiet accounts of 60 payments a day. */
import { dayAt, faultOf, PaymentBook, type Row, rightRule } from './payment-book.ts'

type Account = {
  name: string
  hasPushes: boolean
  /** Shares of the payments. */
  lostPushes: number
  latePushes: number
  moved: number
  isNamed: boolean
  /** Of pushes, which cut the text. */
  cutNames: number
  /** A statement of a day tells the day before again. */
  overlaps: boolean
}

export const accounts: { account: Account; leastHeld: number; mostHeld: number }[] = [
  {
    leastHeld: 0,
    mostHeld: 0,
    account: {
      name: 'statements alone',
      hasPushes: false,
      lostPushes: 0,
      latePushes: 0,
      moved: 0.1,
      isNamed: true,
      cutNames: 0.02,
      overlaps: true,
    },
  },
  {
    leastHeld: 0,
    mostHeld: 2,
    account: {
      name: 'pushes with references',
      hasPushes: true,
      lostPushes: 0.02,
      latePushes: 0.01,
      moved: 0.05,
      isNamed: true,
      cutNames: 0.02,
      overlaps: false,
    },
  },
  {
    leastHeld: 9,
    mostHeld: 12,
    account: {
      name: 'cards without references',
      hasPushes: true,
      lostPushes: 0,
      latePushes: 0,
      moved: 0.1,
      isNamed: false,
      cutNames: 0,
      overlaps: false,
    },
  },
]

const paymentsADay = 60

/** Held rows and acts of a person, one for all held rows of a file, for each 100 booked payments. `random`: from 0 to 1. */
export function priceOf(account: Account, days: number, random: () => number) {
  const payments = Array.from({ length: days * paymentsADay }, (_, index) => {
    const day = Math.floor(index / paymentsADay)
    return {
      index,
      day,
      // Exactly that share: the price of cards is little else.
      booked: day + Math.floor((index + 1) * account.moved) - Math.floor(index * account.moved),
      cents: BigInt(1_000 * Math.ceil(5_000 * random())),
      isCut: random() < account.cutNames,
      push: random() < account.lostPushes ? 'lost' : random() < account.latePushes ? 'late' : 'in time',
    }
  })
  const rowOf = (payment: (typeof payments)[number], day: number, isEarly: boolean): Row => {
    const isNamed = account.isNamed && !(isEarly && payment.isCut)
    return {
      told: {
        cents: payment.cents,
        direction: 'credit',
        day: dayAt(day),
        references: isNamed ? [`D${payment.index}`] : [],
        taxId: '',
        lastingId: null,
      },
      key: `${payment.index}`,
      payments: [payment.index],
      byAmount: isNamed ? undefined : `D${payment.index}`,
    }
  }
  const book = new PaymentBook(rightRule)
  let [acts, settled] = [0, 0]
  const settle = () => {
    if (book.heldRows > settled) acts++
    settled = book.heldRows
    book.pairHeld()
  }
  for (let day = 0; day < days; day++) {
    const pushed = account.hasPushes ? payments : []
    for (const payment of pushed)
      if (payment.day === day && payment.push === 'in time')
        book.tellEarly([rowOf(payment, day, true)], 'early')
    const from = account.overlaps ? Math.max(0, day - 1) : day
    book.tellBooked(
      {
        voice: 'old',
        from: dayAt(from),
        to: dayAt(day),
        closesDays: true,
        rows: payments
          .filter(({ booked }) => booked >= from && booked <= day)
          .map((payment) => rowOf(payment, payment.booked, false)),
      },
      false,
    )
    settle()
    for (const payment of pushed)
      if (payment.day === day && payment.push === 'late') book.tellEarly([rowOf(payment, day, true)], 'early')
    settle()
  }
  const per100 = (count: number) => (100 * count) / payments.filter(({ booked }) => booked < days).length
  return {
    held: per100(book.heldRows),
    acts: per100(acts),
    actsADay: acts / days,
    left: book.transfers.filter((transfer) => transfer.isHeld).length,
    fault: faultOf(book.transfers),
  }
}
