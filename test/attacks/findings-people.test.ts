/**
 * Findings of the audit, as attacks from outside: getting access by inviting first, weak passwords, and ways around a
 * second factor. The texts of pages are not checked, only who has access to whose console afterwards.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { newId } from '../../src/platform/clock.ts'
import { attackedGateway } from '../support/attacked-gateway.ts'
import { attacksOf, fromAnywhere, isWhole, many } from '../support/attempts.ts'
import { openShop, type Shop, type TestGateway } from '../support/gateway.ts'
import { invited, joined, PersonsBrowser, setUpCodes } from '../support/person.ts'

const { attack, report } = attacksOf('taking a place')

/** Long, and not a common password. */
const goodPassword = 'marmalade giraffe window 71'

let gateway: TestGateway
type OwnedShop = { shop: Shop; owner: PersonsBrowser }
let attacker: OwnedShop
before(async () => {
  gateway = await attackedGateway()
  attacker = await openOwnedShop()
})

async function openOwnedShop(): Promise<OwnedShop> {
  const shop = await openShop(gateway)
  const { browser } = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  return { shop, owner: browser }
}

/** Invites with the console's form, and returns the path of the link, if one is shown. */
async function invite({ shop, owner }: OwnedShop, email: string, role = 'owner'): Promise<string | null> {
  const fields = { email, name: 'The CFO', role }
  const { status, text } = await owner.post(`/console/${shop.merchant}/people/invite`, fields, fromAnywhere())
  assert.ok(status < 500, `invited: ${status}`)
  return /\/join\/[\w-]{43}/.exec(text)?.[0] ?? null
}

/** Accepts a link in a new browser. */
async function take(link: string): Promise<PersonsBrowser> {
  const browser = new PersonsBrowser(gateway)
  await browser.get(link, fromAnywhere())
  await browser.post(link, { password: goodPassword }, fromAnywhere())
  return browser
}

const isInside = async (browser: PersonsBrowser, { shop }: OwnedShop): Promise<boolean> => {
  const console = `/console/${shop.merchant}`
  const seen = await browser.get(`${console}/overview`, fromAnywhere())
  const key = await browser.post(`${console}/keys/rotate`, { days: '7' }, fromAnywhere())
  return seen.status === 200 || (key.status === 200 && /sk_|secret/i.test(key.text))
}

async function signedIn(email: string): Promise<PersonsBrowser> {
  const browser = new PersonsBrowser(gateway)
  await browser.post('/sign-in', { email, password: goodPassword }, fromAnywhere())
  return browser
}

attack('an address that another merchant invited first', async (note) => {
  for (let round = 0; round < many(3, 1); round++) {
    for (const role of isWhole ? ['owner', 'developer', 'viewer'] : ['owner']) {
      const email = `cfo-${newId()}@b.example`
      // The attacker invites the address, opens the link, and chooses the password.
      const own = await invite(attacker, email)
      assert.ok(own, 'the attacker gets a link')
      const first = await take(own)
      const victim = await openOwnedShop()
      await invite(victim, email, role)
      note(`link used before, session kept (${role})`, await isInside(first, victim))
      note(`link used before, signed in again (${role})`, await isInside(await signedIn(email), victim))

      const other = `cfo-${newId()}@b.example`
      const unused = await invite(attacker, other)
      const second = await openOwnedShop()
      await invite(second, other, role)
      note(`link used after (${role})`, await isInside(await take(unused!), second))
      note(`link used after, signed in again (${role})`, await isInside(await signedIn(other), second))

      const third = `cfo-${newId()}@b.example`
      const later = await openOwnedShop()
      await invite(later, third, role)
      const late = await invite(attacker, third)
      note(`invited second (${role})`, late !== null && (await isInside(await take(late), later)))
      // Invited again by the attacker, after the victim's invitation.
      const again = await invite(attacker, email)
      note(`invited again (${role})`, again !== null && (await isInside(await take(again), victim)))
    }
  }
})

test('control: accepting a merchant’s link gives access to its console, and to no other', async () => {
  const owned = await openOwnedShop()
  const link = await invite(owned, `honest-${newId()}@b.example`, 'developer')
  const browser = await take(link!)
  assert.equal(await isInside(browser, owned), true)
  assert.equal(await isInside(browser, attacker), false)
})

const weak = [
  ...[
    'passwordpassword',
    'password1234',
    'Password1234',
    '123456789012',
    '111111111111',
    'qwertyuiop123',
    'qwertyqwerty',
  ],
  ...[
    'iloveyouiloveyou',
    'adminadminadmin',
    'letmeinletmein',
    'aaaaaaaaaaaa',
    'abcdefghijkl',
    'password123!',
    'inletinletinlet',
  ],
]

attack('passwords that everybody tries first', async (note) => {
  for (const password of isWhole ? weak : weak.slice(0, 3)) {
    const { token } = await invited(gateway, { merchantId: attacker.shop.merchant, role: 'viewer' })
    const browser = new PersonsBrowser(gateway)
    const answer = await browser.post(`/join/${token}`, { password }, fromAnywhere())
    note(password, answer.status === 303)
  }
  const { token, email } = await invited(gateway, { merchantId: attacker.shop.merchant, role: 'viewer' })
  const browser = new PersonsBrowser(gateway)
  const own = await browser.post(`/join/${token}`, { password: email }, fromAnywhere())
  note('the own address', own.status === 303)
  const { token: other } = await invited(gateway, { merchantId: attacker.shop.merchant, role: 'viewer' })
  const good = await new PersonsBrowser(gateway).post(`/join/${other}`, { password: goodPassword })
  assert.equal(good.status, 303, 'control: a good password')
})

attack('a live merchant’s console with a password alone', async (note) => {
  const live = await openShop(gateway, { mode: 'live' })
  for (const role of isWhole ? (['owner', 'developer'] as const) : (['owner'] as const)) {
    const { token, email } = await invited(gateway, { merchantId: live.merchant, role })
    const joining = await take(`/join/${token}`)
    const console = `/console/${live.merchant}`
    note(`${role}, by the link`, (await joining.get(`${console}/overview`, fromAnywhere())).status === 200)
    const again = await signedIn(email)
    note(`${role}, signed in`, (await again.get(`${console}/keys`, fromAnywhere())).status === 200)
    const key = await again.post(`${console}/keys/rotate`, { days: '7' }, fromAnywhere())
    note(`${role}, a new key`, key.status === 200)
    await setUpCodes(gateway, joining)
    assert.equal(
      (await joining.get(`${console}/overview`, fromAnywhere())).status,
      200,
      'control: with a second factor',
    )
  }
})

attack('a link that bypasses a factor that its person has set up', async (note) => {
  const owned = await openOwnedShop()
  const { email, browser } = await joined(gateway, { merchantId: owned.shop.merchant, role: 'developer' })
  await setUpCodes(gateway, browser)
  const elsewhere = await openOwnedShop()
  for (const [name, link] of [
    ['of another merchant', await invite(elsewhere, email, 'developer')],
    ['of the same merchant', await invite(owned, email, 'owner')],
  ] as const) {
    if (!link) {
      note(`a link ${name}: none is given`, false)
      continue
    }
    const taken = await take(link)
    note(
      `a link ${name}`,
      (await taken.get(`/console/${owned.shop.merchant}/overview`, fromAnywhere())).status === 200,
    )
    note(`a link ${name}, account`, (await taken.get('/account', fromAnywhere())).status === 200)
  }
  note('a password alone', await isInside(await signedIn(email), owned))
})

report()
