/**
 * Findings of the audit: what an anonymous client can start that costs the others. No time is measured here; what
 * counts is that everybody else is answered, that nothing fails, and that not everything is carried out.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { attacksOf, behindProxy, fromAnywhere, isWhole } from '../support/attempts.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined, PersonsBrowser } from '../support/person.ts'

const { attack, report } = attacksOf('floods')
/** Hundreds of hashes and pictures: too much beside all the other tests. */
const options = { skip: isWhole ? (false as const) : 'in npm run test:attacks' }

let gateway: TestGateway
let shop: Shop
before(async () => {
  if (options.skip) return
  gateway = await startGateway({ environment: behindProxy })
  shop = await openShop(gateway)
})

/** Creates one after another while the flood runs. */
async function createsDuring<Result>(
  flood: () => Promise<Result>,
): Promise<{ flooded: Result; statuses: number[] }> {
  const statuses: number[] = []
  let isOver = false
  const creating = (async () => {
    do statuses.push((await shop.create()).status)
    while (!isOver)
  })()
  const flooded = await flood().finally(() => {
    isOver = true
  })
  await creating
  return { flooded, statuses }
}

const signIn = async (email: string): Promise<number> => {
  const answer = await new PersonsBrowser(gateway).post(
    '/sign-in',
    { email, password: 'wrong password 17' },
    fromAnywhere(),
  )
  return answer.status
}

test('control: a single attempt is answered, and a create', options, async () => {
  assert.equal(await signIn('nobody@example.com'), 401)
  assert.equal((await shop.create()).status, 201)
})

attack(
  'many sign-ins at once, for strangers and for one person',
  async (note) => {
    const { email } = await joined(gateway, { merchantId: shop.merchant, role: 'viewer' })
    for (const [name, emailOf] of [
      ['strangers', (place: number) => `nobody-${place}@example.com`],
      ['one person', () => email],
    ] as const) {
      const attempts = Array.from({ length: 200 }, (_, place) => place)
      const { flooded, statuses } = await createsDuring(() =>
        Promise.all(attempts.map((place) => signIn(emailOf(place)))),
      )
      for (const status of flooded) note(`sign-in of ${name}: ${status}`, status >= 500 && status !== 503)
      for (const status of statuses) note(`a create meanwhile: ${status}`, status !== 201)
      // Beyond the few that are looked at at once, and a short queue, the others are asked to retry.
      const refused = flooded.filter((status) => status === 429 || status === 503).length
      if (isWhole) note(`${name}: all of ${flooded.length} passwords were looked at`, refused === 0)
    }
  },
  options,
)

attack(
  'many pictures of bills at once',
  async (note) => {
    const bills = await Promise.all(
      Array.from({ length: 120 }, async () => {
        const { payment_data } = (await shop.create()).body
        return new URL(payment_data.url).pathname.replace('/pay/', '/bill/')
      }),
    )
    const { flooded, statuses } = await createsDuring(() =>
      Promise.all(
        bills.map(async (path) => {
          const response = await fetch(`${gateway.url}${path}.png`, { headers: fromAnywhere() })
          await response.arrayBuffer()
          return response.status
        }),
      ),
    )
    for (const status of flooded) note(`a picture: ${status}`, status === 500)
    for (const status of statuses) note(`a create meanwhile: ${status}`, status !== 201)
  },
  options,
)

attack(
  'challenges for passkeys at once',
  async (note) => {
    const { flooded, statuses } = await createsDuring(() =>
      Promise.all(
        Array.from({ length: 300 }, async () => {
          const answer = await new PersonsBrowser(gateway).post('/sign-in/passkey/ask', {}, fromAnywhere())
          return answer.status
        }),
      ),
    )
    for (const status of flooded) note(`a challenge: ${status}`, status === 500)
    for (const status of statuses) note(`a create meanwhile: ${status}`, status !== 201)
  },
  options,
)

report()
