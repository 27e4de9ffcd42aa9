/**
 * Races: the same act done many times at the same moment. In every round exactly one may win; every other attempt
 * that succeeds has got through. Two gateways stand on one database, so that no memory of a process can help.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addAccount, addRequisite } from '../../src/domain/requisites/add-requisite.ts'
import { luhnDigit } from '../../src/domain/requisites/luhn.ts'
import { setAside } from '../../src/domain/transfers/decide-transfer.ts'
import { sql } from '../../src/platform/db.ts'
import { attacksOf, behindProxy, fromAnywhere, isWhole, many, type Note } from '../support/attempts.ts'
import { accountOf, depositContextOf, transferTo } from '../support/bank.ts'
import {
  openShop,
  type Shop,
  shopOf,
  signedPost,
  startGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { codeNow, invited, joined, PersonsBrowser, password } from '../support/person.ts'

const { attack, report } = attacksOf('races')
/** Races of which npm test has another one elsewhere. */
const whole = { skip: isWhole ? (false as const) : 'in npm run test:attacks' }
const rounds = (count: number) => Array.from({ length: many(count, 1) }, (_, round) => round)

let gateway: TestGateway
let beside: TestGateway
let shop: Shop
type Worker = Awaited<ReturnType<typeof joined>>
let operators: Worker[]
let approvers: Worker[]
before(async () => {
  gateway = await startGateway({ environment: behindProxy })
  beside = await startGateway({
    beside: gateway,
    environment: { ...behindProxy, INLET_ROLES: 'api,console' },
  })
  shop = await openShop(gateway)
  operators = [
    await joined(gateway, { operatorRole: 'operator' }),
    await joined(gateway, { operatorRole: 'operator' }),
  ]
  approvers = [
    await joined(gateway, { operatorRole: 'approver' }),
    await joined(gateway, { operatorRole: 'approver' }),
  ]
  await gateway.database.owner.script(`update installation set second_person_above = '{"RUB": "100000"}'`)
})

/** The same person at the other gateway. */
function atOther({ browser }: Worker): PersonsBrowser {
  const other = new PersonsBrowser(beside)
  other.cookie = browser.cookie
  other.csrf = browser.csrf
  return other
}

/** Notes one attempt for each that raced: all winners but one have got through. Nobody winning is a fault too. */
function oneWins(note: Note, name: string, won: readonly boolean[]): void {
  const winners = won.filter(Boolean).length
  for (const place of won.keys())
    note(`${name}: ${winners} of ${won.length} won`, place > 0 && place < winners)
  assert.ok(winners > 0, `${name}: nobody won`)
}

const stateOf = async (id: string) => (await shop.get(`/api/v1/requests/deposit/${id}`)).body.state as string
const changesTo = async (id: string, state: string): Promise<number> => {
  const [row] = await gateway.database.owner.query<{ count: number }>(
    sql`select count(*)::int as count from deposit_history where deposit_id = ${id} and to_state = ${state}`,
  )
  return row!.count
}

let amount = 700_000

attack('one proposal approved by two people at two gateways, each several times', async (note) => {
  for (const round of rounds(10)) {
    const { id } = (await shop.create({ cents: ++amount })).body
    const { browser } = operators[round % 2]!
    await browser.post(`/operator/deposits/${id}/take`)
    await browser.post(`/operator/deposits/${id}/confirm`, { reason: 'Seen' })
    const [proposal] = await gateway.database.owner.query<{ id: string }>(
      sql`select id from proposals where subject = ${`deposit:${id}`}`,
    )
    const page = `/operator/approvals/${proposal!.id}/approve`
    const browsers = approvers.flatMap((approver) => [
      approver.browser,
      atOther(approver),
      approver.browser,
      atOther(approver),
    ])
    const answers = await Promise.all(
      browsers.map((browser) => browser.post(page, { reason: 'Yes' }, fromAnywhere())),
    )
    oneWins(
      note,
      'approve',
      answers.map(({ location }) => location?.includes('done=approve') ?? false),
    )
    assert.deepEqual([await stateOf(id), await changesTo(id, 'confirmed')], ['confirmed', 1])
  }
})

attack('money given back several times at once', async (note) => {
  const accountId = await accountOf(gateway, (await shop.create({ cents: ++amount })).body.id)
  for (const _round of rounds(10)) {
    const transfer = await transferTo(gateway, accountId, { cents: 41_000n, purpose: 'For nobody' })
    await setAside(depositContextOf(gateway), {
      transferId: transfer,
      actor: 'operator:test',
      reason: 'Nobody’s',
    })
    const [worker] = operators
    const refund = `/operator/refunds/${transfer}`
    await worker!.browser.post(`${refund}/take`)
    const fields = { amount: '410.00', reason: 'Paid back' }
    const browsers = Array.from({ length: 6 }, (_, place) => (place % 2 ? worker!.browser : atOther(worker!)))
    const answers = await Promise.all(
      browsers.map((browser) => browser.post(`${refund}/paid`, fields, fromAnywhere())),
    )
    oneWins(
      note,
      'refund',
      answers.map(({ location }) => location?.includes('done=paid') ?? false),
    )
    const [row] = await gateway.database.owner.query<{ open: string }>(
      sql`select open_cents::text as open from transfers where id = ${transfer}`,
    )
    assert.equal(row!.open, '0')
  }
})

attack(
  'one invitation taken by several at once',
  async (note) => {
    for (const _round of rounds(5)) {
      const { token } = await invited(gateway, { merchantId: shop.merchant, role: 'viewer' })
      const browsers = Array.from(
        { length: many(4, 2) },
        (_, place) => new PersonsBrowser(place % 2 ? gateway : beside),
      )
      const answers = await Promise.all(
        browsers.map((browser, place) =>
          browser.post(`/join/${token}`, { password: `marmalade giraffe ${place} window` }, fromAnywhere()),
        ),
      )
      oneWins(
        note,
        'link',
        answers.map(({ status, location }) => status === 303 && !location?.includes('sign-in?')),
      )
    }
  },
  whole,
)

/** Somebody half signed in, several times over. */
async function halves({ email }: { email: string }, count: number): Promise<PersonsBrowser[]> {
  const browsers = Array.from(
    { length: count },
    (_, place) => new PersonsBrowser(place % 2 ? gateway : beside),
  )
  for (const browser of browsers) {
    const answer = await browser.post('/sign-in', { email, password }, fromAnywhere())
    assert.match(answer.location ?? '', /second/, `half signed in: ${answer.status}`)
    await browser.get('/sign-in/second')
  }
  return browsers
}

attack('one code of the authenticator, and one recovery code, shown by several at once', async (note) => {
  for (const round of rounds(3))
    for (const kind of isWhole ? ['totp', 'recovery'] : ['totp']) {
      // A different person each time, because the losers of a race have to wait.
      const { browser, email, secret } = await joined(gateway, { operatorRole: 'operator' })
      const { text } = await browser.post('/account/codes')
      const recovery = />([a-z0-9]{5}-[a-z0-9]{5})</.exec(text)?.[1]
      const code = kind === 'totp' ? await codeNow(gateway, secret!, 1n) : recovery
      assert.ok(code, 'a code')
      const browsers = await halves({ email }, many(4, 2))
      const answers = await Promise.all(
        browsers.map((browser) => browser.post('/sign-in/second', { code }, fromAnywhere())),
      )
      oneWins(
        note,
        `${kind}, round ${round}`,
        answers.map(({ status }) => status === 303),
      )
    }
})

attack(
  'keys made at once: no more than a merchant may have',
  async (note) => {
    for (const _round of rounds(5)) {
      const own = await openShop(gateway)
      const owner = await joined(gateway, { merchantId: own.merchant, role: 'owner' })
      const path = `/console/${own.merchant}/keys/rotate`
      await owner.browser.post(path, { days: '7' })
      const browsers = Array.from({ length: 6 }, (_, place) => (place % 2 ? owner.browser : atOther(owner)))
      const answers = await Promise.all(
        browsers.map((browser) => browser.post(path, { days: '7' }, fromAnywhere())),
      )
      oneWins(
        note,
        'key',
        answers.map(({ status }) => status < 400),
      )
      const [row] = await gateway.database.owner.query<{ count: number }>(sql`
      select count(*)::int as count from api_keys where merchant_id = ${own.merchant} and purpose = 'request'`)
      assert.equal(row!.count, 3)
    }
  },
  whole,
)

attack('one deposit taken by two operators', async (note) => {
  for (const _round of rounds(20)) {
    const { id } = (await shop.create({ cents: ++amount })).body
    const take = `/operator/deposits/${id}/take`
    const answers = await Promise.all([
      operators[0]!.browser.post(take, {}, fromAnywhere()),
      atOther(operators[1]!).post(take, {}, fromAnywhere()),
    ])
    oneWins(
      note,
      'claim',
      answers.map(({ status }) => status === 303),
    )
  }
})

attack('a deposit canceled by its merchant while an operator confirms it', async (note) => {
  const [worker] = operators
  for (const _round of rounds(20)) {
    const { id } = (await shop.create({ cents: 90_000 + (++amount % 1_000) })).body
    await worker!.browser.post(`/operator/deposits/${id}/take`)
    const [canceled, confirmed] = await Promise.all([
      signedPost(beside, shop, `/api/v1/requests/deposit/${id}/cancel`),
      worker!.browser.post(`/operator/deposits/${id}/confirm`, { reason: 'Seen' }, fromAnywhere()),
    ])
    oneWins(note, 'cancel and confirm', [
      canceled.status === 200,
      confirmed.location?.includes('done=confirm') ?? false,
    ])
    const made = (await changesTo(id, 'canceled')) + (await changesTo(id, 'confirmed'))
    assert.equal(made, 1, await stateOf(id))
  }
})

attack(
  'two owners who end each other at once: one stays',
  async (note) => {
    for (const _round of rounds(10)) {
      const own = await openShop(gateway)
      const place = { merchantId: own.merchant, role: 'owner' } as const
      const [left, right] = [await joined(gateway, place), await joined(gateway, place)]
      const end = (id: string) => `/console/${own.merchant}/people/${id}/end`
      const answers = await Promise.all([
        left.browser.post(end(right.person.id), {}, fromAnywhere()),
        atOther(right).post(end(left.person.id), {}, fromAnywhere()),
      ])
      oneWins(
        note,
        'member',
        answers.map(({ location }) => location?.includes('done=end') ?? false),
      )
      const rows = await gateway.database.owner.query(
        sql`select person_id from memberships where merchant_id = ${own.merchant} and role = 'owner'`,
      )
      assert.equal(rows.length, 1)
    }
  },
  whole,
)

attack(
  'one order asked for many times at once: one deposit',
  async (note) => {
    const second = shopOf(beside, shop.merchant, shop.keyId, shop.secret)
    for (const _round of rounds(5)) {
      const order = shop.order()
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, place) => (place % 2 ? shop : second).post('create', order)),
      )
      oneWins(
        note,
        'order',
        answers.map(({ status }) => status === 201),
      )
      assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1)
    }
  },
  whole,
)

attack(
  '200 creates for one slot',
  async (note) => {
    await gateway.database.owner.script('update requisites set enabled = false')
    const owner = {
      ownerLegalName: 'ООО "Пример"',
      ownerPublicName: 'ООО "Пример"',
      ownerTaxId: '7700000009',
    }
    const { id: accountId } = await addAccount(gateway.db, {
      ...{ mode: 'test', currency: 'RUB', merchantId: null, label: 'test', ...owner },
      ...{ ownerAgreement: 'test', addedBy: 'test' },
    })
    const body = '220000000000777'
    await addRequisite(gateway.db, {
      accountId,
      draft: { kind: 'card', number: body + luhnDigit(body), holder: 'TEST', bankName: 'Test' },
      ...{ bankCode: 'bankx', confirmed: true },
      limits: { minCents: null, maxCents: null, dailyCents: null, openDeposits: null },
    })
    const second = shopOf(beside, shop.merchant, shop.keyId, shop.secret)
    for (const round of rounds(3)) {
      const fields = { payment_type: 'any_bank', cents: 200_000 + round }
      const answers = await Promise.all(
        Array.from({ length: many(200, 60) }, (_, place) => (place % 2 ? shop : second).create(fields)),
      )
      oneWins(
        note,
        'slot',
        answers.map(({ status }) => status === 201),
      )
      assert.ok(answers.every(({ status }) => status === 201 || status === 503))
    }
  },
  whole,
)

test('control: what wins a race wins without one', async () => {
  const [worker] = operators
  const { id } = (await shop.create({ payment_type: 'any_bank', cents: 66_001 })).body
  assert.equal((await worker!.browser.post(`/operator/deposits/${id}/take`)).status, 303)
  const confirmed = await worker!.browser.post(`/operator/deposits/${id}/confirm`, { reason: 'Seen' })
  assert.match(confirmed.location ?? '', /done=confirm/)
})

report()
